//! The mail worker: outages of SES, the order of mails, and how many are sent in a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use local::stream::Delivered;
use mailer::{Ses, Worker};
use serde_json::json;
use shared::time::Clock as _;
use tests::{Setup, TestCampus};

use crate::mail_worker::{campus_with, refused, rejections};

// In an earlier version, each mail became `unknown` while SES had server errors.
// proves E20
#[tokio::test(start_paused = true)]
async fn ses_outage_stops_the_worker() {
    let broken = Arc::new(AtomicUsize::new(1));
    let is_broken = broken.clone();
    let campus = campus_with(move |_| {
        if is_broken.load(Ordering::SeqCst) == 1 {
            refused(500, "InternalFailure")
        } else {
            None
        }
    });
    let recruitment = rejections(&campus, 12).await;
    for _ in 0..20 {
        assert_eq!(campus.deliver().await, Delivered::RetryLater);
    }
    let count = async |status: &str| {
        let list = recruitment
            .officer
            .get(&format!(
                "{}submissions/?email_status={status}",
                recruitment.path
            ))
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

// In an earlier version, a try that was throttled ended the outage for all workers.
// proves E20
#[tokio::test(start_paused = true)]
async fn a_try_that_is_throttled_does_not_end_an_outage() {
    let throttles = Arc::new(AtomicUsize::new(0));
    let flag = throttles.clone();
    let campus = campus_with(move |_| match flag.load(Ordering::SeqCst) {
        0 => refused(500, "InternalFailure"),
        _ => refused(429, "TooManyRequestsException"),
    });
    let recruitment = rejections(&campus, 12).await;
    for (throttled, unknown) in [(0, 3), (1, 3), (0, 4), (1, 4), (0, 5)] {
        throttles.store(throttled, Ordering::SeqCst);
        for _ in 0..6 {
            assert_eq!(campus.deliver().await, Delivered::RetryLater);
        }
        let path = format!("{}submissions/?email_status=unknown", recruitment.path);
        let found = recruitment.officer.get(&path).await.ok();
        assert_eq!(found.as_array().map(Vec::len), Some(unknown));
        // The second pause is longer.
        campus.advance(TimeDelta::minutes(2));
    }
}

// proves E20
#[tokio::test(start_paused = true)]
async fn an_outage_is_counted_once_for_all_workers() {
    let campus = campus_with(|_| refused(500, "InternalFailure"));
    let recruitment = rejections(&campus, 12).await;
    let parts = &campus.campus;
    // Each worker is a new process that knows only the table.
    for _ in 0..20 {
        let ses = Ses::new(
            &local::sdk_config(parts.mailbox.clone()),
            &parts.app.settings,
        );
        let (table, clock) = (parts.app.table.clone(), parts.clock.clone());
        let worker = Worker::new(table, ses, clock, parts.app.settings.clone());
        let worker = worker.expect("a time zone");
        let end = parts.stream.deliver(&worker).await;
        assert_eq!(end.expect("a stream"), Delivered::RetryLater);
    }
    let path = format!("{}submissions/?email_status=unknown", recruitment.path);
    let unknown = recruitment.officer.get(&path).await.ok();
    assert_eq!(unknown.as_array().map(Vec::len), Some(3));
}

// proves E21
#[tokio::test(start_paused = true)]
async fn decision_mails_are_sent_before_all_other_mails() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 4, "").await;
    // The next batch then has only the two mails.
    campus.deliver().await;
    recruitment
        .officer
        .post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    assert_eq!(campus.deliver().await, Delivered::Nothing);
    let recipients: Vec<String> = campus.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients, ["sue@uni.example", "ina@uni.example"]);
}

// proves O7
#[tokio::test(start_paused = true)]
async fn mail_rate_is_never_exceeded() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 2)
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

// proves E20
#[tokio::test(start_paused = true)]
async fn mails_are_sent_in_parallel_after_the_first() {
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

// proves E20
#[tokio::test(start_paused = true)]
async fn an_outage_begins_with_few_mails_on_their_way() {
    // SES takes the first mails, then it fails.
    let campus = campus_with(|n| (n >= 3).then(|| Ok((500, json!({ "message": "no" })))));
    let recruitment = rejections(&campus, 20).await;
    campus.deliver().await;
    let list = format!("{}submissions/", recruitment.path);
    let states = recruitment.officer.get(&list).await.ok();
    let count = |state: &str| {
        let all = states.as_array().expect("a list").iter();
        all.filter(|one| one["email_status"] == state).count()
    };
    // One, then two side by side, then four, which fail. Nobody begins after the third error.
    assert_eq!(count("sent"), 3);
    assert!((3..=4).contains(&count("unknown")), "{states}");
}

// proves O7
#[tokio::test(start_paused = true)]
async fn workers_share_the_rate() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 2)
        .build();
    let began = campus.campus.clock.now();
    let table = &campus.campus.app.table;
    let after = |ms| began + TimeDelta::milliseconds(ms);
    let reserve = async |at: DateTime<Utc>, mails| {
        let until = at + TimeDelta::seconds(45);
        let send_slots = table.reserve_send_slots(at, until, 2, mails).await;
        send_slots.expect("turns")
    };
    assert_eq!(reserve(began, 2).await, [after(0), after(500)]);
    // Another worker at the same moment gets the turns behind.
    assert_eq!(reserve(began, 2).await, [after(1_000), after(1_500)]);
    // Turns that nobody used are not made up for.
    let later = after(60_000);
    assert_eq!(reserve(later, 1).await, [later]);
    // Workers that reserve at once get different turns.
    let until = later + TimeDelta::seconds(45);
    let one = |_| table.reserve_send_slots(later, until, 2, 1);
    let all = futures::future::join_all((0..8).map(one)).await;
    let mut send_slots: Vec<_> = all
        .into_iter()
        .flat_map(|send_slots| send_slots.expect("a turn"))
        .collect();
    send_slots.sort();
    send_slots.dedup();
    assert_eq!(send_slots.len(), 8);
    // Nobody reserves what nobody can wait for, however many workers ask.
    assert_eq!(reserve(later, 200).await.len(), 81);
    assert!(reserve(later, 200).await.is_empty());
    let soon = later + TimeDelta::seconds(2);
    assert_eq!(reserve(soon, 200).await.len(), 4);
}

// proves O7
#[tokio::test(start_paused = true)]
async fn many_workers_send_all_mails_at_the_rate() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 1)
        .build();
    rejections(&campus, 6).await;
    let table = &campus.campus.app.table;
    // Sixty other workers want turns, again and again, for much more than a worker can wait.
    let others = async |at: DateTime<Utc>| {
        for _ in 0..60 {
            let until = at + TimeDelta::seconds(45);
            let _ = table
                .reserve_send_slots(at, until, 1, 8)
                .await
                .expect("turns");
        }
    };
    let began = campus.campus.clock.now();
    others(began).await;
    while campus.deliver().await == Delivered::RetryLater {
        let waited = campus.campus.clock.now() - began;
        assert!(waited < TimeDelta::minutes(4), "{}", campus.mails().len());
        campus.advance(TimeDelta::seconds(40));
    }
    assert_eq!(campus.mails().len(), 6);
}

// proves O7
#[tokio::test(start_paused = true)]
async fn send_slot_of_another_day_is_not_awaited() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 1)
        .build();
    rejections(&campus, 1).await;
    let next = campus.campus.clock.now() + TimeDelta::days(1);
    let item = json!({
        "TableName": local::table::TABLE,
        "Item": {
            "pk": { "S": "MAILS" }, "sk": { "S": "SEND_SLOTS" }, "type": { "S": "SendSlots" },
            "next": { "N": next.timestamp_micros().to_string() }, "by": { "S": "x" },
        },
    });
    campus.campus.engine.json("PutItem", &item).expect("stored");
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn interrupted_batch_continues_with_remaining_mails() {
    let campus = Setup::default()
        .settings(|settings| settings.mail.rate = 1)
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
