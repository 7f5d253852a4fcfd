//! What the digest of a preview covers, and what a repeat of a sending with the same key does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tests::fixtures::Recruitment;
use tests::{Setup, TestCampus};

use crate::send_emails::accepted;

// proves E9
#[tokio::test]
async fn digest_covers_reasons_and_hidden_submissions() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let texts = json!({ "acceptance_email": "<p>Welcome {{ name }}</p>" });
    recruitment
        .officer
        .patch(&recruitment.path, texts)
        .await
        .ok();
    let sue = campus.as_("sue");
    let mut submissions = vec![];
    for committee in 0..3 {
        let mut answer = recruitment.answer("x");
        if committee > 0 {
            answer["committee"] =
                recruitment.application["committees"][committee - 1]["id"].clone();
        }
        let path = format!("{}submissions/", recruitment.path);
        submissions.push(sue.post(&path, answer).await.created());
    }
    let one = json!({ "one_per_person": true });
    let digest = async || {
        let mut body = one.clone();
        body["dry_run"] = json!(true);
        recruitment.send("acceptance", body).await.ok()["digest"].clone()
    };
    let send = async |digest: &Value| {
        let mut body = one.clone();
        body["digest"] = digest.clone();
        recruitment.send("acceptance", body).await
    };
    recruitment.decide(&submissions[0], 4, "good").await;
    recruitment.decide(&submissions[1], 4, "").await;
    let first = digest().await;
    recruitment.decide(&submissions[0], 4, "internal").await;
    send(&first).await.invalid(&["digest"]);
    // The same number of accepted submissions, but other ones.
    let second = digest().await;
    recruitment.decide(&submissions[1], 1, "").await;
    recruitment.decide(&submissions[2], 4, "").await;
    send(&second).await.invalid(&["digest"]);
    send(&digest().await).await.ok();
}

/// A campus with 67 accepted people, on which queueing a mail takes 19 seconds as long as
/// `is_slow`. 64 are queued at the same time.
pub(crate) async fn slowly_queued(is_slow: Arc<AtomicBool>) -> (TestCampus, Recruitment) {
    let slow = move |operation: &str, body: &[u8]| {
        let is_mail = operation == "TransactWriteItems"
            && String::from_utf8_lossy(body).contains("OUTBOX#")
            && is_slow.load(Ordering::Relaxed);
        let wait = Duration::from_secs(if is_mail { 19 } else { 0 });
        Box::pin(async move {
            tokio::time::sleep(wait).await;
            None
        }) as BoxFuture<'static, Option<(u16, Value)>>
    };
    let campus = Setup::default()
        .table(Arc::new(slow))
        .running_clock()
        .build();
    let recruitment = campus.recruitment("chess").await;
    let names: Vec<String> = (0..67).map(|n| format!("person{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    accepted(&campus, &recruitment, &names).await;
    (campus, recruitment)
}

// proves E11, E31
#[tokio::test(start_paused = true)]
async fn a_repeat_with_the_same_key_sends_what_was_left() {
    let is_slow = Arc::new(AtomicBool::new(true));
    let (campus, recruitment) = slowly_queued(is_slow.clone()).await;
    let idempotent = recruitment.officer.clone().header("idempotency-key", "k");
    let path = format!("{}send_emails/", recruitment.path);
    let body = json!({ "email_type": { "id": "acceptance" } });
    let first = idempotent.post(&path, body.clone()).await.ok();
    assert_eq!(first["recipients"], 64);
    is_slow.store(false, Ordering::Relaxed);
    // The repeat counts what the first attempt has queued as its own.
    let second = idempotent.post(&path, body.clone()).await.ok();
    assert_eq!(second["recipients"], 67, "{second}");
    let third = idempotent.post(&path, body).await.ok();
    assert_eq!(third["recipients"], 67);
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 67);
}
