//! When drafts of submissions can be written, and when they end

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

use crate::drafts::{path, question, text};

// proves N5
#[tokio::test]
async fn the_draft_is_there_until_the_submission_is_stored() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    sue.patch(&path, text(recruitment.question, "Because.", 0))
        .await
        .ok();
    let wrong = json!({ "responses": [{ "question": 7, "text": "x" }] });
    sue.post(&format!("{}submissions/", recruitment.path), wrong)
        .await
        .error(400);
    sue.get(&path).await.ok();
    campus.advance(TimeDelta::seconds(1));
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    sue.get(&path).await.error(404);
    // What is typed afterwards is a new draft, also for the client that knows no version.
    campus.advance(TimeDelta::seconds(1));
    let sue = campus.as_("sue");
    let next = sue
        .patch(&path, text(recruitment.question, "Better.", 0))
        .await
        .ok();
    assert_eq!(next["responses"][0]["text"], "Better.");
    // A withdrawal takes nothing that was typed after the submission.
    campus.advance(TimeDelta::seconds(1));
    let sue = campus.as_("sue");
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    assert_eq!(sue.get(&path).await.ok(), next);
}

// proves N5, N6
#[tokio::test]
async fn drafts_are_saved_while_open_and_expire_later() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = path(&recruitment);
    let sue = campus.as_("sue");
    sue.patch(&path, text(recruitment.question, "one", 0))
        .await
        .ok();
    let other = question(&recruitment, json!({})).await;
    // The end moves: the next save keeps the whole draft longer.
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "application_end_time": hours(48), "result_release_time": hours(72) }),
        )
        .await
        .ok();
    let draft = sue.patch(&path, text(other, "two", 0)).await.ok();
    assert_eq!(draft["expires_at"], hours(48 + 720));
    campus.advance(TimeDelta::hours(49));
    let sue = campus.as_("sue");
    let closed = sue
        .patch(&path, text(recruitment.question, "three", 1))
        .await;
    assert_eq!(closed.json()["code"], "application_closed");
    closed.error(400);
    campus.advance(TimeDelta::hours(718));
    assert_eq!(campus.as_("sue").get(&path).await.ok(), draft);
    campus.advance(TimeDelta::hours(2));
    campus.as_("sue").get(&path).await.error(404);
}

// proves N5, N6
#[tokio::test]
async fn an_extension_keeps_the_draft_open() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.as_("sue").get("/api/settings/").await.ok();
    recruitment
        .officer
        .post(
            &format!("{}extensions/", recruitment.path),
            json!({ "username": "sue", "end_time": hours(30) }),
        )
        .await
        .created();
    campus.advance(TimeDelta::hours(25));
    let draft = campus
        .as_("sue")
        .patch(&path(&recruitment), text(recruitment.question, "late", 0))
        .await
        .ok();
    assert_eq!(draft["expires_at"], hours(30 + 720));
}

async fn drafts_in_export(client: &Client) -> Value {
    client.get("/api/settings/export/").await.ok()["drafts"].clone()
}

// proves N7
#[tokio::test(start_paused = true)]
async fn drafts_are_exported_erased_and_deleted_with_application() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, bob, path) = (campus.as_("sue"), campus.as_("bob"), path(&recruitment));
    sue.patch(&path, text(recruitment.question, "Zanzibar", 0))
        .await
        .ok();
    bob.patch(&path, text(recruitment.question, "Timbuktu", 0))
        .await
        .ok();
    let exported = drafts_in_export(&sue).await;
    assert_eq!(exported[0]["text"], "Zanzibar");
    assert_eq!(exported.as_array().map(Vec::len), Some(1));
    campus.erase(&sue).await;
    let holds = |text: &str| json!(campus.stored()).to_string().contains(text);
    assert!(!holds("Zanzibar"));
    assert!(holds("Timbuktu"));
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
    assert!(!holds("Timbuktu"));
}
