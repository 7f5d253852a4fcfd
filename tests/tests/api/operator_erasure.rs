//! `clubs-admin erase`, and what an erasure leaves of submissions with idempotency keys

use admin::Erased;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Client, TestCampus};

use crate::audit::{findings, repair};

async fn erase(campus: &TestCampus, who: &str, archive: bool) -> Erased {
    let app = &campus.campus.app;
    let erased = admin::erase(&app.table, who, archive, &*app.clock);
    erased.await.expect("an answer")
}

async fn person(client: &Client) -> u64 {
    id(&client.get("/api/settings/").await.ok())
}

/// The submissions in the table.
fn submissions(campus: &TestCampus) -> Vec<Value> {
    let mut stored = campus.stored();
    stored.retain(|item| item["type"]["S"] == "Submission");
    stored
}

// proves P20, P14, P16
#[tokio::test(start_paused = true)]
async fn an_operator_erases_somebody_who_cannot_sign_in() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 4, "").await;
    assert_eq!(erase(&campus, "nobody", false).await, Erased::Nobody);
    assert_eq!(erase(&campus, "999", false).await, Erased::Nobody);
    let number = person(&sue).await;
    assert_eq!(erase(&campus, "SUE", false).await, Erased::Done(number));
    assert_eq!(erase(&campus, "sue", false).await, Erased::Nobody);
    let list = format!("{}submissions/", recruitment.path);
    let list = recruitment.officer.get(&list).await.ok();
    assert_eq!(list[0]["user"], Value::Null);
    let left = json!(campus.stored()).to_string();
    assert!(!left.contains("sue@uni.example"));
    let bob = person(&campus.as_("bob")).await;
    let found = erase(&campus, "bob@uni.example", false).await;
    assert_eq!(found, Erased::Done(bob));
    // A user name may be a number.
    let matriculated = person(&campus.as_("4711")).await;
    assert_eq!(
        erase(&campus, "4711", false).await,
        Erased::Done(matriculated)
    );
    // The officer is the only owner of the club.
    let officer = person(&recruitment.officer).await;
    let number = officer.to_string();
    let refused = erase(&campus, &number, false).await;
    assert_eq!(refused, Erased::OnlyOwner(vec!["chess".to_owned()]));
    assert_eq!(erase(&campus, &number, true).await, Erased::Done(officer));
    let deleted = campus.as_("eve").get("/api/clubs/chess/").await;
    deleted.error(404);
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

// proves P20
#[tokio::test(start_paused = true)]
async fn an_operator_is_asked_which_of_several_people_is_meant() {
    let campus = TestCampus::new();
    let both = ["sue", "sue2"].map(|name| {
        let shared = json!({ "email": "both@uni.example" });
        campus.client(&shared, name)
    });
    let mut ids = vec![person(&both[0]).await, person(&both[1]).await];
    ids.sort_unstable();
    let Erased::Several(mut found) = erase(&campus, "both@uni.example", false).await else {
        panic!("one of two was erased")
    };
    found.sort_unstable();
    assert_eq!(found, ids);
}

// With a key, a submission remembers a hash of what was answered.
// proves P15, O6
#[tokio::test(start_paused = true)]
async fn erased_answers_cannot_be_guessed() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue").header("idempotency-key", "k");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 2, "").await;
    let before = submissions(&campus);
    let keys = before[0]["keys"].clone();
    assert_eq!(keys["L"].as_array().map(Vec::len), Some(1));
    recruitment.close().await;
    campus.erase(&campus.as_("sue")).await;
    let mut erased = submissions(&campus);
    assert_eq!(erased[0]["keys"], json!({ "L": [] }));
    // An erasure of an earlier release has left them.
    erased[0]["keys"] = keys;
    let put = json!({ "TableName": local::table::TABLE, "Item": erased[0] });
    let put = campus.campus.engine.json("PutItem", &put);
    put.expect("a write");
    let stored = campus.stored();
    let done = repair(&campus, &stored, &stored).await;
    assert!(
        matches!(&done[..], [(text, true)] if text.contains("keys of an erased person")),
        "{done:?}"
    );
    assert_eq!(submissions(&campus)[0]["keys"], json!({ "L": [] }));
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}
