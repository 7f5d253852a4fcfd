//! The mail worker: server errors of SES, the two queues, and how many mails are sent in a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use local::queues::{MAILS, NOTICES};
use local::stream::Delivered;
use mailer::WORKERS;
use serde_json::json;
use tests::{Setup, TestCampus};

use crate::mail_worker::{campus_with, queued, refused, rejections};

// In an earlier version, each mail became `unknown` while SES had server errors.
// proves E20
#[tokio::test(start_paused = true)]
async fn a_worker_pauses_after_a_server_error() {
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = broken.clone();
    let campus = campus_with(move |_| {
        let fails = is_broken.load(Ordering::SeqCst);
        fails.then(|| refused(500, "InternalFailure")).flatten()
    });
    let recruitment = rejections(&campus, 5).await;
    let count = async |status: &str| {
        let path = format!("{}submissions/?email_status={status}", recruitment.path);
        let list = recruitment.officer.get(&path).await.ok();
        list.as_array().map(Vec::len)
    };
    for n in 1..4 {
        for _ in 0..5 {
            assert_eq!(campus.deliver().await, Delivered::RetryLater);
        }
        assert_eq!(count("unknown").await, Some(n));
        assert_eq!(count("queued").await, Some(5 - n));
        campus.advance(TimeDelta::minutes(2));
        tokio::time::advance(Duration::from_mins(2)).await;
    }
    broken.store(false, Ordering::SeqCst);
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    assert_eq!(
        (count("unknown").await, count("sent").await),
        (Some(3), Some(2))
    );
    assert_eq!(campus.mails().len(), 2);
}

// A throttled mail says nothing of the service.
// proves E14, E20
#[tokio::test(start_paused = true)]
async fn a_throttled_mail_holds_up_no_other() {
    let campus = campus_with(|n| {
        (n == 0)
            .then(|| refused(429, "TooManyRequestsException"))
            .flatten()
    });
    rejections(&campus, 12).await;
    assert_eq!(campus.deliver().await, Delivered::RetryLater);
    assert_eq!(campus.mails().len(), 11);
    campus.deliver_all().await;
    assert_eq!(campus.mails().len(), 12);
}

// proves E21
#[tokio::test(start_paused = true)]
async fn reminders_have_a_queue_of_their_own() {
    let campus = TestCampus::new();
    let recruitment = queued(&campus).await;
    let draft = json!({ "responses": [
        { "question": recruitment.question, "text": "I", "version": 0 },
    ]});
    let path = format!("{}draft/", recruitment.path);
    campus.as_("ann").patch(&path, draft).await.ok();
    let end = recruitment.officer.get(&recruitment.path).await.ok();
    let end = end["application_end_time"]
        .as_str()
        .expect("an end")
        .to_owned();
    let end: chrono::DateTime<chrono::Utc> = end.parse().expect("a time");
    campus.advance(end - tests::start() - TimeDelta::hours(1));
    campus.campus.ticker.tick().await.expect("a table");
    campus.list_changes().await;
    let queues = &campus.campus.queues;
    assert_eq!((queues.len(MAILS), queues.len(NOTICES)), (1, 1));
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 2);
}

// proves O7
#[tokio::test(start_paused = true)]
async fn each_worker_has_its_part_of_the_rate() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 2 * WORKERS)
        .build();
    rejections(&campus, 5).await;
    let began = tokio::time::Instant::now();
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 5);
    // Half a second between two mails: 5 mails have 4 pauses.
    let passed = began.elapsed();
    assert!(passed >= Duration::from_secs(2), "{passed:?}");
}

// proves O7
#[tokio::test(start_paused = true)]
async fn mails_for_which_no_time_is_left_come_again() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 1)
        .build();
    rejections(&campus, 23).await;
    let began = tokio::time::Instant::now();
    campus.deliver_all().await;
    assert_eq!(campus.mails().len(), 23);
    let least = Duration::from_secs(22) * WORKERS;
    assert!(began.elapsed() >= least, "{:?}", began.elapsed());
}
