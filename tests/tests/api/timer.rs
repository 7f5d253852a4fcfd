//! The timer that queues notices: late, twice at once, dying, and by the clock of the local service

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, hours, id};
use tests::{Setup, TestCampus};
use tokio::sync::Notify;

use crate::notices::{advance, draft, end_at, long_recruitment, notices};
use crate::slots::{Interviewing, slot};

// proves G5
#[tokio::test]
async fn timer_stopped_for_a_day_sends_what_still_helps() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    advance(&campus, 1).await;
    let evening = json!({
        "name": "Short", "application_start_time": hours(-1), "application_end_time": hours(60),
        "result_release_time": hours(200), "is_active": true,
    });
    let path = "/api/clubs/chess/applications/";
    let short = recruitment.officer.post(path, evening).await.created();
    let short = Recruitment {
        path: format!("{path}{}/", id(&short)),
        ..recruitment.clone()
    };
    let questions = format!("{}questions/", short.path);
    let question = json!({ "question_type": 1, "prompt": "Why?" });
    let question = short.officer.post(&questions, question).await.created();
    let short = Recruitment {
        question: id(&question),
        ..short
    };
    draft(&short, &campus.as_("bob"), "One", 0).await;
    // Bob's application has ended in the meantime, and Sue's has not.
    advance(&campus, 80).await;
    let to: Vec<String> = notices(&campus).into_iter().map(|mail| mail.to).collect();
    assert_eq!(to.len(), 1, "{to:?}");
    assert!(to[0].starts_with("sue"), "{to:?}");
}

// proves G5
#[tokio::test(start_paused = true)]
async fn two_timers_at_once_and_one_that_dies_anywhere_mail_once() {
    for deadly in 0..40 {
        // The table dies at a call of the timer, and comes back with the next run.
        let calls = Arc::new(AtomicUsize::new(usize::MAX / 2));
        let count = calls.clone();
        let campus = Setup::default()
            .table(Arc::new(move |_, _| {
                let call = count.fetch_add(1, Ordering::SeqCst);
                Box::pin(async move {
                    let error = json!({ "__type": "ValidationException", "message": "dead" });
                    (deadly..usize::MAX / 2)
                        .contains(&call)
                        .then_some((400, error))
                })
            }))
            .build();
        let recruitment = long_recruitment(&campus).await;
        for person in ["sue", "bob", "eve"] {
            draft(&recruitment, &campus.as_(person), "One", 0).await;
        }
        advance(&campus, 70).await;
        campus.advance(TimeDelta::hours(1));
        calls.store(0, Ordering::SeqCst);
        let died = campus.campus.ticker.tick().await.is_err();
        calls.store(usize::MAX / 2, Ordering::SeqCst);
        let ticker = &campus.campus.ticker;
        let (first, second) = tokio::join!(ticker.tick(), ticker.tick());
        first.and(second).expect("a table");
        campus.tick().await;
        assert_eq!(notices(&campus).len(), 3, "dead at call {deadly}");
        if !died {
            return;
        }
    }
    panic!("the timer takes more than 40 calls");
}

// proves G5
#[tokio::test(start_paused = true)]
async fn task_filed_while_timer_looks_is_not_removed() {
    // The timer is held when it wants to remove the entry.
    let (expected, waits, go) = <(Arc<AtomicBool>, Arc<Notify>, Arc<Notify>)>::default();
    let parts = (expected.clone(), waits.clone(), go.clone());
    let campus = Setup::default()
        .table(Arc::new(move |operation, body| {
            let text = String::from_utf8_lossy(body).into_owned();
            let removes = operation == "TransactWriteItems" && text.contains("\"Delete\"");
            let (expected, waits, go) = parts.clone();
            Box::pin(async move {
                if removes && expected.swap(false, Ordering::SeqCst) {
                    waits.notify_one();
                    go.notified().await;
                }
                None
            })
        }))
        .build();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    advance(&campus, 70).await;
    let active = |is_active: bool| json!({ "is_active": is_active });
    recruitment
        .officer
        .patch(&recruitment.path, active(false))
        .await
        .ok();
    campus.advance(TimeDelta::hours(1));
    expected.store(true, Ordering::SeqCst);
    // It has read that the application is off. Now it is switched on, and has an entry again.
    let on = async {
        waits.notified().await;
        recruitment
            .officer
            .patch(&recruitment.path, active(true))
            .await
            .ok();
        go.notify_one();
    };
    let (worked, ()) = tokio::join!(campus.campus.ticker.tick(), on);
    assert_eq!(worked.expect("a table").mails, 0);
    campus.tick().await;
    assert_eq!(notices(&campus).len(), 1);
}

// proves G5
#[tokio::test(start_paused = true)]
async fn moved_clock_runs_tasks_in_order() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    end_at(&there.recruitment, 95).await;
    draft(&there.recruitment, &campus.as_("bob"), "One", 0).await;
    let slot = there.slot(slot(50)).await;
    there.book(slot).await.ok();
    let day = json!({ "advance_s": 10 * 86_400 });
    campus.anonymous().post("/local/clock/", day).await.ok();
    let sent: Vec<(String, String)> = notices(&campus)
        .into_iter()
        .map(|mail| (mail.to.chars().take(3).collect(), mail.sent_at.to_string()))
        .collect();
    let expected = [("sue", hours(26)), ("bob", hours(71))];
    assert_eq!(sent, expected.map(|(to, at)| (to.to_owned(), at)));
}

// proves G5
#[tokio::test]
async fn the_check_finds_what_the_timer_would_not_hear_of() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    end_at(&there.recruitment, 95).await;
    let slot = there.slot(slot(50)).await;
    there.book(slot).await.ok();
    let weekly = json!({ "notices": { "news": "weekly" } });
    there.sue.patch("/api/settings/", weekly).await.ok();
    let now = tests::start();
    let stored = campus.stored();
    let kept = |item: &&Value| item["type"]["S"] != "ScheduledTask";
    let without: Vec<Value> = stored.iter().filter(kept).cloned().collect();
    let found = admin::check(&without, now);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|text| text.starts_with("the timer")));
    assert_eq!(admin::check(&stored, now), Vec::<String>::new());
    // A write that arrived many hours late: the timer has passed that hour.
    campus.tick().await;
    let mut late = campus.stored();
    for entry in late.iter_mut().filter(|item| !kept(&&**item)) {
        entry["hour"] = json!({ "S": hours(-9) });
    }
    let mut missing = admin::check(&late, now);
    missing.retain(|text| text.starts_with("the timer"));
    assert_eq!(missing, found);
}
