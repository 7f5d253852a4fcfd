//! The mail worker: the state of a mail after each kind of failure

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aws_smithy_runtime_api::client::result::ConnectorError;
use chrono::TimeDelta;
use local::stream::Delivered;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::{Setup, TestCampus};

type SesAnswer = Option<Result<(u16, Value), ConnectorError>>;

/// A campus on which `ses` answers the n-th call of SES, counted from 0. `None` means success.
pub(crate) fn campus_with(ses: impl Fn(usize) -> SesAnswer + Send + Sync + 'static) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .mail(Arc::new(move |_| {
            let response = ses(calls.fetch_add(1, Ordering::SeqCst));
            Box::pin(async move { response })
        }))
        .build()
}

#[expect(clippy::unnecessary_wraps, reason = "an answer among others")]
pub(crate) fn refused(status: u16, kind: &str) -> SesAnswer {
    Some(Ok((status, json!({ "__type": kind, "message": kind }))))
}

/// A recruitment with one accepted applicant whose mail is queued.
pub(crate) async fn queued(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    recruitment
}

/// A recruitment with this number of rejected applicants whose mails are queued.
pub(crate) async fn rejections(campus: &TestCampus, applicants: usize) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    for n in 0..applicants {
        let submission = recruitment
            .submit(&campus.as_(&format!("student{n}")))
            .await;
        recruitment.decide(&submission, 2, "").await;
    }
    let sent = recruitment.send("rejection", json!({})).await.ok();
    assert_eq!(sent["queued"], applicants);
    recruitment
}

pub(crate) async fn state(recruitment: &Recruitment) -> (Value, Value) {
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    (list[0]["email_status"].clone(), list[0]["notified"].clone())
}

// proves E13, E14
#[tokio::test(start_paused = true)]
async fn mail_surely_not_taken_is_retried() {
    for error in [
        (429, "TooManyRequestsException"),
        (400, "LimitExceededException"),
        (400, "SendingPausedException"),
        (403, "AccessDeniedException"),
    ] {
        let campus = campus_with(move |n| {
            if n == 0 {
                refused(error.0, error.1)
            } else {
                None
            }
        });
        let recruitment = queued(&campus).await;
        campus.deliver_all().await;
        assert_eq!(
            state(&recruitment).await,
            (json!("sent"), json!(true)),
            "{error:?}"
        );
        assert_eq!(campus.mails().len(), 1);
    }
}

// proves E14
#[tokio::test(start_paused = true)]
async fn no_connection_is_tried_again() {
    let campus = campus_with(|n| {
        (n < 2).then(|| Err(ConnectorError::io("refused".into()).never_connected()))
    });
    let recruitment = queued(&campus).await;
    campus.deliver_all().await;
    assert_eq!(state(&recruitment).await, (json!("sent"), json!(true)));
}

// proves E13, E14
#[tokio::test(start_paused = true)]
async fn a_mail_that_is_never_taken_has_failed_after_hours() {
    let campus = campus_with(|_| refused(429, "TooManyRequestsException"));
    let recruitment = queued(&campus).await;
    for _ in 0..10 {
        assert_eq!(campus.deliver().await, Delivered::RetryLater);
        assert_eq!(state(&recruitment).await, (json!("queued"), json!(false)));
        campus.advance(TimeDelta::hours(1));
    }
    campus.advance(TimeDelta::hours(2));
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(state(&recruitment).await, (json!("failed"), json!(false)));
}

// proves E14
#[tokio::test(start_paused = true)]
async fn a_mail_waits_while_ses_does_not_know_the_sender() {
    let campus = campus_with(|n| {
        let why = "Email address is not verified. The following identities failed the check in \
            region EU-CENTRAL-1: no-reply@clubs.example";
        let response = json!({ "__type": "MessageRejected", "message": why });
        (n == 0).then_some(Ok((400, response)))
    });
    let recruitment = queued(&campus).await;
    campus.deliver_all().await;
    assert_eq!(state(&recruitment).await, (json!("sent"), json!(true)));
}

// proves E14
#[tokio::test(start_paused = true)]
async fn permanently_refused_mail_failed_and_may_be_resent() {
    let campus = campus_with(|n| {
        if n == 0 {
            refused(400, "MessageRejected")
        } else {
            None
        }
    });
    let recruitment = queued(&campus).await;
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(state(&recruitment).await, (json!("failed"), json!(false)));
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(state(&recruitment).await, (json!("sent"), json!(true)));
}

// proves E15
#[tokio::test(start_paused = true)]
async fn mail_perhaps_taken_is_never_retried() {
    let answers: [fn() -> SesAnswer; 4] = [
        || Some(Err(ConnectorError::timeout("slow".into()))),
        || Some(Err(ConnectorError::io("reset".into()))),
        || refused(500, "InternalServiceErrorException"),
        || Some(Ok((200, json!("not an answer")))),
    ];
    for (n, response) in answers.into_iter().enumerate() {
        let campus = campus_with(move |n| if n == 0 { response() } else { None });
        let recruitment = queued(&campus).await;
        assert_eq!(campus.deliver().await, Delivered::Nothing);
        assert_eq!(
            state(&recruitment).await,
            (json!("unknown"), json!(false)),
            "answer {n}"
        );
        assert_eq!(
            recruitment.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
            1
        );
        // The worker pauses.
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!(
            campus
                .with_worker(recruitment.send("acceptance", json!({ "allow_resend": true })))
                .await
                .ok()["sent"],
            1
        );
        assert_eq!(campus.mails().len(), 1);
    }
}

/// A campus whose worker dies at the n-th transaction after the counter was set to n.
fn dying() -> (TestCampus, Arc<AtomicUsize>) {
    let countdown = Arc::new(AtomicUsize::new(usize::MAX));
    let counter = countdown.clone();
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let dies = operation == "TransactWriteItems"
                && counter.load(Ordering::SeqCst) != usize::MAX
                && counter.fetch_sub(1, Ordering::SeqCst) == 1;
            Box::pin(async move {
                dies.then(|| {
                    (
                        400,
                        json!({ "__type": "ResourceNotFoundException", "message": "dead" }),
                    )
                })
            })
        }))
        .build();
    (campus, countdown)
}

// proves E12
#[tokio::test(start_paused = true)]
async fn worker_dying_before_claim_leaves_the_mail() {
    let (campus, countdown) = dying();
    let recruitment = queued(&campus).await;
    campus.list_changes().await;
    countdown.store(1, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    assert_eq!(state(&recruitment).await, (json!("queued"), json!(false)));
    countdown.store(usize::MAX, Ordering::SeqCst);
    campus.deliver_all().await;
    assert_eq!(state(&recruitment).await, (json!("sent"), json!(true)));
    assert_eq!(campus.mails().len(), 1);
}

// proves E12, E15, E19
#[tokio::test(start_paused = true)]
async fn worker_dying_after_handover_leaves_unknown_mail() {
    let (campus, countdown) = dying();
    let recruitment = queued(&campus).await;
    campus.list_changes().await;
    countdown.store(2, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    countdown.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(state(&recruitment).await, (json!("sending"), json!(false)));
    assert_eq!(campus.mails().len(), 1, "SES has the mail");
    assert_eq!(
        campus.deliver().await,
        Delivered::RetryLater,
        "the other worker may still be alive"
    );
    // Later mails do not wait for it.
    let bob = recruitment.submit(&campus.as_("bob")).await;
    recruitment.decide(&bob, 4, "").await;
    assert_eq!(
        campus
            .with_worker(recruitment.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    let only = campus.mails().len();
    assert_eq!(only, 2);
    campus.advance(TimeDelta::minutes(2));
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    recruitment
        .officer
        .patch(
            &format!("{}submissions/{}/", recruitment.path, id(&bob)),
            json!({ "status": 1 }),
        )
        .await
        .ok();
    bob_goes(&campus, &bob).await;
    assert_eq!(state(&recruitment).await, (json!("unknown"), json!(false)));
    assert_eq!(campus.mails().len(), only, "it was sent twice");
}

// proves E12
#[tokio::test(start_paused = true)]
async fn a_record_that_is_delivered_twice_is_sent_once() {
    let campus = TestCampus::new();
    let recruitment = queued(&campus).await;
    campus.deliver().await;
    // Another process reads the stream from its beginning.
    let other = campus.another();
    assert_eq!(other.deliver().await, Delivered::Nothing);
    assert_eq!(campus.mails().len(), 1);
    assert_eq!(state(&recruitment).await, (json!("sent"), json!(true)));
}

// proves E14
#[tokio::test(start_paused = true)]
async fn one_bad_mail_holds_up_no_other() {
    let campus = Setup::default()
        .mail(Arc::new(|to: &str| {
            let bad = to.starts_with("bob");
            Box::pin(async move {
                if bad {
                    refused(400, "MessageRejected")
                } else {
                    None
                }
            })
        }))
        .build();
    let recruitment = campus.recruitment("chess").await;
    for name in ["ann", "bob", "cleo"] {
        let submission = recruitment.submit(&campus.as_(name)).await;
        recruitment.decide(&submission, 2, "").await;
    }
    let sent = campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!((&sent["sent"], &sent["failed"]), (&json!(2), &json!(1)));
    let failed = recruitment
        .officer
        .get(&format!("{}submissions/?notified=false", recruitment.path))
        .await
        .ok();
    assert_eq!(
        (failed.as_array().map(Vec::len), &failed[0]["email_status"]),
        (Some(1), &json!("failed"))
    );
    assert_eq!(failed[0]["user"]["username"], "bob");
    assert!(id(&failed[0]) > 0);
}

// proves E7
#[tokio::test(start_paused = true)]
async fn too_large_mail_is_refused_before_sending() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "acceptance_email": "{{ reason }}".repeat(100) }),
        )
        .await
        .ok();
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, &"x".repeat(5_000)).await;
    recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .error(400);
    recruitment.send("acceptance", json!({})).await.error(400);
    assert_eq!(state(&recruitment).await, (json!(null), json!(false)));
}

async fn bob_goes(campus: &TestCampus, submission: &Value) {
    campus
        .as_("bob")
        .delete(&format!("/api/submissions/{}/", id(submission)))
        .await
        .no_content();
}

// proves E33
#[tokio::test(start_paused = true)]
async fn mail_unreadable_by_older_release_waits() {
    let campus = TestCampus::new();
    rejections(&campus, 2).await;
    let stored = campus.stored();
    let mut mail = stored.into_iter().find(|item| item["type"]["S"] == "Mail");
    let mail = mail.take().expect("a mail");
    let put = |kind: &str| {
        let mut item = mail.clone();
        item["kind"]["S"] = json!(kind);
        let put = json!({ "TableName": local::table::TABLE, "Item": item });
        campus.campus.engine.json("PutItem", &put).expect("stored");
    };
    put("a_later_kind");
    for _ in 0..3 {
        assert_eq!(campus.deliver().await, Delivered::RetryLater);
        assert_eq!(campus.mails().len(), 1, "another mail was held up");
        campus.advance(TimeDelta::hours(1));
    }
    // The release that can read it.
    put("rejection");
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(campus.mails().len(), 2);
}
