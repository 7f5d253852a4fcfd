//! The mails that confirm submissions, with their answers and receipts.

use chrono::TimeDelta;
use serde_json::json;
use tests::fixtures::{Recruitment, id};
use tests::{Setup, TestCampus};

use crate::receipts::{receipt, submit};

async fn with_confirmation(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    let body = json!({ "confirmation": true });
    let changed = recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    assert_eq!(changed["confirmation"], true);
    recruitment
}

// proves T5
#[tokio::test]
async fn a_confirmation_tells_the_time_on_campus() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.time_zone = chrono_tz::America::New_York)
        .build();
    let recruitment = with_confirmation(&campus).await;
    // 02:30 UTC on Sunday.
    campus.advance(TimeDelta::minutes(17 * 60 + 30));
    submit(&recruitment, &campus.as_("sue"), "late").await;
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    let time = "Saturday, 21 November 2026, 21:30:00 (America/New_York)";
    assert!(mails[0].text.contains(time), "{}", mails[0].text);
    assert!(mails[0].html.contains(time), "{}", mails[0].html);
}

// proves T5
#[tokio::test]
async fn stored_submission_is_confirmed_once_with_answers_and_receipt() {
    let campus = TestCampus::new();
    let recruitment = with_confirmation(&campus).await;
    let sue = campus.as_("sue").header("idempotency-key", "one");
    let first = submit(&recruitment, &sue, "I <b>care</b> & more").await;
    submit(&recruitment, &sue, "I <b>care</b> & more").await;
    campus.deliver().await;
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 1);
    let mail = &mails[0];
    assert_eq!(mail.to, "sue@uni.example");
    assert!(mail.text.contains("I <b>care</b> & more") && mail.text.contains("Why?"));
    assert!(
        mail.html
            .contains("I &#60;b&#62;care&#60;/b&#62; &#38; more")
    );
    for part in [&mail.text, &mail.html] {
        assert!(part.contains(&receipt(&first)));
    }
    let second = submit(&recruitment, &campus.as_("sue"), "two").await;
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    assert_eq!(mails.len(), 2);
    assert!(mails[1].text.contains(&receipt(&second)));
    assert!(mails[1].text.contains("replaces"));
    // What the mail said is not kept after it arrived, and the state of mails that the applicant
    // sees is that of decisions alone.
    campus.report().await;
    assert!(!json!(campus.stored()).to_string().contains("care</b> &"));
    let list = format!("{}submissions/", recruitment.path);
    let row = recruitment.officer.get(&list).await.ok()[0].clone();
    assert_eq!(
        (&row["notified"], &row["email_status"]),
        (&json!(false), &json!(null))
    );
}

// proves T5
#[tokio::test]
async fn no_confirmation_without_storage_or_switch() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    submit(&recruitment, &campus.as_("sue"), "one").await;
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "confirmation": true }))
        .await
        .ok();
    let bob = campus.as_("bob");
    let late = json!({ "responses": [{ "question": 7, "text": "x" }] });
    bob.post(&format!("{}submissions/", recruitment.path), late)
        .await
        .error(400);
    let ann = campus.client(&json!({ "email": null }), "ann");
    assert_eq!(
        submit(&recruitment, &ann, "no address").await["revision"],
        1
    );
    campus.deliver().await;
    assert!(campus.mails_but_welcomes().is_empty());
}

// proves T5
#[tokio::test]
async fn long_answers_are_left_out_of_the_mail() {
    let campus = TestCampus::new();
    let recruitment = with_confirmation(&campus).await;
    let mut responses = Vec::new();
    for _ in 0..8 {
        let question = json!({ "question_type": 1, "prompt": "And?" });
        let path = format!("{}questions/", recruitment.path);
        let question = recruitment.officer.post(&path, question).await.created();
        responses.push(json!({ "question": id(&question), "text": "long ".repeat(3_999) }));
    }
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let submission = sue
        .post(&path, json!({ "responses": responses }))
        .await
        .created();
    campus.deliver().await;
    let mail = campus.mails_but_welcomes().remove(0);
    assert!(mail.text.contains("too long for a mail"));
    assert!(mail.text.contains(&receipt(&submission)));
}

// proves T5, T6
#[tokio::test]
async fn concurrent_tabs_are_confirmed_with_their_own_revision() {
    let campus = Setup::default().latency(5).build();
    let recruitment = with_confirmation(&campus).await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    campus.advance(TimeDelta::seconds(1));
    let sue = campus.as_("sue");
    let tabs = ["a", "b", "c", "d"].map(|text| submit(&recruitment, &sue, text));
    let answers = futures::future::join_all(tabs).await;
    campus.deliver().await;
    let mails = campus.mails_but_welcomes();
    let last = answers
        .iter()
        .filter_map(|response| response["revision"].as_u64())
        .max()
        .unwrap();
    assert_eq!(mails.len() as u64, last);
    for response in &answers {
        let receipt = receipt(response);
        let sent = mails.iter().filter(|mail| mail.text.contains(&receipt));
        assert_eq!(sent.count(), 1, "{response}");
    }
}
