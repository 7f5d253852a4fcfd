//! The mail worker: the state of a mail after each kind of failure
//!
//! Proves E7, E12, E13, E14, E15, E17, E18, E19, E20, E21, O7.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_runtime_api::client::result::ConnectorError;
use chrono::TimeDelta;
use local::stream::Delivered;
use mailer::{Ses, Worker};
use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::fixtures::{Recruitment, id};
use tests::{Setup, TestCampus};

type SesAnswer = Option<Result<(u16, Value), ConnectorError>>;

/// A campus on which `ses` answers the n-th call of SES, counted from 0. `None` means success.
fn campus_with(ses: impl Fn(usize) -> SesAnswer + Send + Sync + 'static) -> TestCampus {
    let calls = AtomicUsize::new(0);
    Setup::default()
        .mail(Arc::new(move |_| {
            let answer = ses(calls.fetch_add(1, Ordering::SeqCst));
            Box::pin(async move { answer })
        }))
        .build()
}

#[expect(clippy::unnecessary_wraps, reason = "an answer among others")]
fn refused(status: u16, kind: &str) -> SesAnswer {
    Some(Ok((status, json!({ "__type": kind, "message": kind }))))
}

/// A drive with one accepted applicant whose mail is queued.
async fn queued(campus: &TestCampus) -> Recruitment {
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, "").await;
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    drive
}

/// A drive with this number of rejected applicants whose mails are queued.
async fn rejections(campus: &TestCampus, applicants: usize) -> Recruitment {
    let drive = campus.drive("chess").await;
    for n in 0..applicants {
        let submission = drive.submit(&campus.as_(&format!("student{n}"))).await;
        drive.decide(&submission, 2, "").await;
    }
    let sent = drive.send("rejection", json!({})).await.ok();
    assert_eq!(sent["queued"], applicants);
    drive
}

async fn state(drive: &Recruitment) -> (Value, Value) {
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    (list[0]["email_status"].clone(), list[0]["notified"].clone())
}

#[tokio::test(start_paused = true)]
async fn what_surely_was_not_taken_is_tried_again() {
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
        let drive = queued(&campus).await;
        campus.deliver().await;
        assert_eq!(
            state(&drive).await,
            (json!("sent"), json!(true)),
            "{error:?}"
        );
        assert_eq!(campus.mails().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn no_connection_is_tried_again() {
    let campus = campus_with(|n| {
        (n < 2).then(|| Err(ConnectorError::io("refused".into()).never_connected()))
    });
    let drive = queued(&campus).await;
    campus.deliver().await;
    assert_eq!(state(&drive).await, (json!("sent"), json!(true)));
}

#[tokio::test(start_paused = true)]
async fn after_some_tries_the_stream_delivers_again_and_after_hours_it_has_failed() {
    let campus = campus_with(|_| refused(429, "TooManyRequestsException"));
    let drive = queued(&campus).await;
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    assert_eq!(state(&drive).await, (json!("queued"), json!(false)));
    for _ in 0..10 {
        assert_eq!(campus.deliver().await, Delivered::RetryLater);
    }
    campus.advance(TimeDelta::hours(12));
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_for_good_has_failed_and_may_be_sent_anew() {
    let campus = campus_with(|n| {
        if n == 0 {
            refused(400, "MessageRejected")
        } else {
            None
        }
    });
    let drive = queued(&campus).await;
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(state(&drive).await, (json!("sent"), json!(true)));
}

#[tokio::test(start_paused = true)]
async fn what_perhaps_was_taken_is_never_retried_by_itself() {
    let answers: [fn() -> SesAnswer; 4] = [
        || Some(Err(ConnectorError::timeout("slow".into()))),
        || Some(Err(ConnectorError::io("reset".into()))),
        || refused(500, "InternalServiceErrorException"),
        || Some(Ok((200, json!("not an answer")))),
    ];
    for (n, answer) in answers.into_iter().enumerate() {
        let campus = campus_with(move |n| if n == 0 { answer() } else { None });
        let drive = queued(&campus).await;
        assert_eq!(campus.deliver().await, Delivered::Nothing);
        assert_eq!(
            state(&drive).await,
            (json!("unknown"), json!(false)),
            "answer {n}"
        );
        assert_eq!(
            drive.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
            1
        );
        assert_eq!(
            campus
                .with_worker(drive.send("acceptance", json!({ "allow_resend": true })))
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

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_before_its_claim_leaves_the_mail_to_the_next() {
    let (campus, countdown) = dying();
    let drive = queued(&campus).await;
    countdown.store(1, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    assert_eq!(state(&drive).await, (json!("queued"), json!(false)));
    countdown.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(state(&drive).await, (json!("sent"), json!(true)));
    assert_eq!(campus.mails().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_after_handing_over_leaves_an_unknown_mail() {
    let (campus, countdown) = dying();
    let drive = queued(&campus).await;
    countdown.store(2, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    countdown.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(state(&drive).await, (json!("sending"), json!(false)));
    assert_eq!(campus.mails().len(), 1, "SES has the mail");
    assert_eq!(
        campus.deliver().await,
        Delivered::RetryLater,
        "the other worker may still be alive"
    );
    // Later mails do not wait for it.
    let bob = drive.submit(&campus.as_("bob")).await;
    drive.decide(&bob, 4, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    let only = campus.mails().len();
    assert_eq!(only, 2);
    campus.advance(TimeDelta::minutes(2));
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "MailLease"),
        "an item of the waiting mail is left"
    );
    drive
        .officer
        .patch(
            &format!("{}submissions/{}/", drive.path, id(&bob)),
            json!({ "status": 1 }),
        )
        .await
        .ok();
    bob_goes(&campus, &bob).await;
    assert_eq!(state(&drive).await, (json!("unknown"), json!(false)));
    assert_eq!(campus.mails().len(), only, "it was sent twice");
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_delivered_twice_is_sent_once() {
    let campus = TestCampus::new();
    let drive = queued(&campus).await;
    let again = local::stream::Stream::open(campus.campus.engine.clone(), None).expect("a stream");
    campus.deliver().await;
    while again
        .deliver(&campus.campus.worker)
        .await
        .expect("a stream")
        == Delivered::All
    {}
    assert_eq!(campus.mails().len(), 1);
    assert_eq!(state(&drive).await, (json!("sent"), json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_submission_that_went_before_its_mail_gets_none() {
    let campus = TestCampus::new();
    let drive = queued(&campus).await;
    drive
        .officer
        .delete(&format!("{}?force=true", drive.path))
        .await
        .no_content();
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert!(campus.mails().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_was_changed_before_its_mail_is_not_told() {
    for (status, reason) in [(2, ""), (1, ""), (4, "Another reason.")] {
        let campus = TestCampus::new();
        let drive = campus.drive("chess").await;
        let submission = drive.submit(&campus.as_("sue")).await;
        drive.decide(&submission, 4, "").await;
        assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
        drive.decide(&submission, status, reason).await;
        assert_eq!(campus.deliver().await, Delivered::Nothing);
        assert!(campus.mails().is_empty(), "{status}");
        assert_eq!(state(&drive).await, (json!("failed"), json!(false)));
        // The officer can send the present decision.
        drive.decide(&submission, 4, "Yes, after all.").await;
        assert_eq!(
            campus
                .with_worker(drive.send("acceptance", json!({})))
                .await
                .ok()["sent"],
            1
        );
        assert_eq!(campus.mails().len(), 1);
    }
}

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
    let drive = campus.drive("chess").await;
    for name in ["ann", "bob", "cleo"] {
        let submission = drive.submit(&campus.as_(name)).await;
        drive.decide(&submission, 2, "").await;
    }
    let sent = campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!((&sent["sent"], &sent["failed"]), (&json!(2), &json!(1)));
    let failed = drive
        .officer
        .get(&format!("{}submissions/?notified=false", drive.path))
        .await
        .ok();
    assert_eq!(
        (failed.as_array().map(Vec::len), &failed[0]["email_status"]),
        (Some(1), &json!("failed"))
    );
    assert_eq!(failed[0]["user"]["username"], "bob");
    assert!(id(&failed[0]) > 0);
}

#[tokio::test(start_paused = true)]
async fn a_submission_made_anew_has_mails_of_its_own() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let first = drive.submit(&sue).await;
    drive.decide(&first, 4, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    drive.decide(&first, 1, "").await;
    sue.delete(&format!("/api/submissions/{}/", id(&first)))
        .await
        .no_content();
    let second = drive.submit(&sue).await;
    assert_eq!(second["notified"], false);
    drive.decide(&second, 4, "").await;
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", json!({})))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(campus.mails().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_would_be_too_large_is_refused_before_anything_is_sent() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive
        .officer
        .patch(
            &drive.path,
            json!({ "acceptance_email": "{{ reason }}".repeat(100) }),
        )
        .await
        .ok();
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, &"x".repeat(5_000)).await;
    drive
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .error(400);
    drive.send("acceptance", json!({})).await.error(400);
    assert_eq!(state(&drive).await, (json!(null), json!(false)));
}

async fn bob_goes(campus: &TestCampus, submission: &Value) {
    campus
        .as_("bob")
        .delete(&format!("/api/submissions/{}/", id(submission)))
        .await
        .no_content();
}

// In an earlier version, each mail became `unknown` while SES had server errors.
#[tokio::test(start_paused = true)]
async fn an_outage_of_ses_stops_the_worker_instead_of_marking_the_whole_queue() {
    let broken = Arc::new(AtomicUsize::new(1));
    let is_broken = broken.clone();
    let campus = campus_with(move |_| {
        if is_broken.load(Ordering::SeqCst) == 1 {
            refused(500, "InternalFailure")
        } else {
            None
        }
    });
    let drive = rejections(&campus, 12).await;
    for _ in 0..20 {
        assert_eq!(campus.deliver().await, Delivered::RetryLater);
    }
    let count = async |status: &str| {
        let list = drive
            .officer
            .get(&format!("{}submissions/?email_status={status}", drive.path))
            .await
            .ok();
        list.as_array().map(Vec::len)
    };
    assert_eq!(
        (count("unknown").await, count("queued").await),
        (Some(3), Some(9))
    );
    // After a minute the worker tries one mail. The next pause is longer.
    campus.advance(TimeDelta::minutes(1));
    campus.deliver().await;
    assert_eq!(count("unknown").await, Some(4));
    broken.store(0, Ordering::SeqCst);
    campus.advance(TimeDelta::minutes(2));
    while campus.deliver().await == Delivered::RetryLater {}
    assert_eq!(
        (
            count("unknown").await,
            count("sent").await,
            campus.mails().len()
        ),
        (Some(4), Some(8), 8)
    );
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_counted_once_for_all_workers() {
    let campus = campus_with(|_| refused(500, "InternalFailure"));
    let drive = rejections(&campus, 12).await;
    let parts = &campus.campus;
    // Each worker is a new process that knows only the table.
    for _ in 0..20 {
        let ses = Ses::new(
            &local::sdk_config(parts.mailbox.clone()),
            &parts.app.settings,
        );
        let (table, clock) = (parts.app.table.clone(), parts.clock.clone());
        let worker = Worker::new(table, ses, clock, parts.app.settings.clone());
        let end = parts.stream.deliver(&Arc::new(worker)).await;
        assert_eq!(end.expect("a stream"), Delivered::RetryLater);
    }
    let path = format!("{}submissions/?email_status=unknown", drive.path);
    let unknown = drive.officer.get(&path).await.ok();
    assert_eq!(unknown.as_array().map(Vec::len), Some(3));
}

#[tokio::test(start_paused = true)]
async fn decision_mails_are_sent_before_all_other_mails() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, "").await;
    // The next batch then has only the two mails.
    campus.deliver().await;
    drive
        .officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    let recipients: Vec<String> = campus.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients, ["sue@uni.example", "ina@uni.example"]);
}

#[tokio::test(start_paused = true)]
async fn no_more_mails_are_sent_in_a_second_than_the_setting_allows() {
    let campus = Setup::default()
        .settings(|settings| settings.mail_rate = 2)
        .build();
    rejections(&campus, 5).await;
    let began = tokio::time::Instant::now();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 5);
    // Half a second between two mails: 5 mails have 4 pauses.
    assert!(
        began.elapsed() >= std::time::Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn mails_are_handed_over_side_by_side_after_the_first_one_was_taken() {
    let now = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (open, peak) = (now.clone(), most.clone());
    let campus = Setup::default()
        .mail(Arc::new(move |_| {
            let (open, peak) = (open.clone(), peak.clone());
            Box::pin(async move {
                peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                open.fetch_sub(1, Ordering::SeqCst);
                None
            })
        }))
        .build();
    rejections(&campus, 20).await;
    let began = tokio::time::Instant::now();
    while campus.deliver().await != Delivered::Nothing {}
    assert_eq!(campus.mails().len(), 20);
    assert_eq!(most.load(Ordering::SeqCst), 8);
    assert!(
        began.elapsed() < std::time::Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn an_outage_begins_with_few_mails_on_their_way() {
    // SES takes the first mails, then it fails.
    let campus = campus_with(|n| (n >= 3).then(|| Ok((500, json!({ "message": "no" })))));
    let drive = rejections(&campus, 20).await;
    campus.deliver().await;
    let list = format!("{}submissions/", drive.path);
    let states = drive.officer.get(&list).await.ok();
    let count = |state: &str| {
        let all = states.as_array().expect("a list").iter();
        all.filter(|one| one["email_status"] == state).count()
    };
    // One, then two side by side, then four, which fail. Nobody begins after the third error.
    assert_eq!(count("sent"), 3);
    assert!((3..=4).contains(&count("unknown")), "{states}");
}

#[tokio::test(start_paused = true)]
async fn workers_share_the_rate() {
    let campus = Setup::default()
        .settings(|settings| settings.mail_rate = 2)
        .build();
    let began = campus.campus.clock.now();
    let first = campus
        .campus
        .app
        .table
        .reserve_turns(began, 2, 2)
        .await
        .expect("turns");
    // Another worker at the same moment gets the turns behind.
    let second = campus
        .campus
        .app
        .table
        .reserve_turns(began, 2, 2)
        .await
        .expect("turns");
    let after = |ms| began + TimeDelta::milliseconds(ms);
    assert_eq!(first, [after(0), after(500)]);
    assert_eq!(second, [after(1_000), after(1_500)]);
    // Turns that nobody used are not made up for.
    let later = after(60_000);
    let third = campus
        .campus
        .app
        .table
        .reserve_turns(later, 2, 1)
        .await
        .expect("turns");
    assert_eq!(third, [later]);
    // Workers that reserve at once get different turns.
    let table = &campus.campus.app.table;
    let all = futures::future::join_all((0..8).map(|_| table.reserve_turns(later, 2, 1))).await;
    let mut turns: Vec<_> = all
        .into_iter()
        .flat_map(|turns| turns.expect("a turn"))
        .collect();
    turns.sort();
    turns.dedup();
    assert_eq!(turns.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_was_cut_short_goes_on_with_the_mails_that_are_left() {
    let campus = Setup::default()
        .settings(|settings| settings.mail_rate = 1)
        .build();
    rejections(&campus, 50).await;
    // The clock stands still while a worker waits, so it waits longer each time, and is cut short.
    let mut batches = 1;
    while campus.deliver().await == Delivered::RetryLater {
        // The same records come again. Those that are finished take no turns.
        campus.advance(TimeDelta::seconds(60));
        batches += 1;
        assert!(batches < 8, "{} mails were sent", campus.mails().len());
    }
    assert!(batches > 1);
    assert_eq!(campus.mails().len(), 50);
}
