//! Many bookings at the same moment, answers that are lost, and requests that arrive late

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, id};
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

use crate::interview_mails::notified;
use crate::late_writes::Late;
use crate::lost_responses::{LOSSES, Trap, after};
use crate::races::{delayed, slow};
use crate::slots::{Interviewing, slot};

/// A club with people who are invited: each with the address of their interview.
pub(crate) async fn crowd(
    campus: &TestCampus,
    people: usize,
) -> (Recruitment, Vec<(Client, String)>) {
    let recruitment = campus.recruitment("chess").await;
    let (mut crowd, mut invited) = (vec![], vec![]);
    for n in 0..people {
        let client = campus.as_(&format!("person{n}"));
        let submission = recruitment.submit(&client).await;
        invited.push(id(&submission));
        crowd.push((
            client,
            format!("/api/submissions/{}/interview/", id(&submission)),
        ));
    }
    recruitment
        .send("interview", json!({ "submissions": invited }))
        .await
        .ok();
    (recruitment, crowd)
}

pub(crate) async fn slots(recruitment: &Recruitment) -> Vec<Value> {
    let listed = recruitment
        .officer
        .get(&format!("{}slots/", recruitment.path))
        .await
        .ok();
    listed.as_array().cloned().unwrap_or_default()
}

// proves K7
#[tokio::test(start_paused = true)]
async fn slot_never_exceeds_its_capacity() {
    let campus = slow();
    let (recruitment, crowd) = crowd(&campus, 60).await;
    for n in 0..4 {
        let mut body = slot(30 + n);
        body["capacity"] = json!(5);
        let path = format!("{}slots/", recruitment.path);
        recruitment.officer.post(&path, body).await.created();
    }
    let all: Vec<Value> = slots(&recruitment).await;
    let answers = join_all(crowd.iter().enumerate().map(|(n, (client, path))| {
        let slot = all[n % 4]["id"].clone();
        async move { client.put(path, json!({ "slot": slot })).await }
    }))
    .await;
    let booked = answers
        .iter()
        .filter(|response| response.status == 200)
        .count();
    let full = answers
        .iter()
        .filter(|response| response.json()["code"] == "slot_full");
    assert_eq!((booked, full.count()), (20, 40));
    let seats: Vec<Value> = slots(&recruitment)
        .await
        .into_iter()
        .map(|slot| slot["booked"].clone())
        .collect();
    assert_eq!(seats, [5, 5, 5, 5]);
    // Everybody wants another slot, and all are full: nobody loses a place.
    let moves = join_all(crowd.iter().enumerate().map(|(n, (client, path))| {
        let slot = all[(n + 1) % 4]["id"].clone();
        async move { client.put(path, json!({ "slot": slot })).await }
    }))
    .await;
    assert!(
        moves
            .iter()
            .all(|response| response.status == 200 || response.json()["code"] == "slot_full")
    );
    let seats: u64 = slots(&recruitment)
        .await
        .iter()
        .filter_map(|slot| slot["booked"].as_u64())
        .sum();
    assert_eq!(seats, 20);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K7
#[tokio::test(start_paused = true)]
async fn a_booking_and_the_deletion_of_the_slot_agree() {
    for pause in [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30] {
        let campus = slow();
        let there = Interviewing::new(&campus).await;
        let slot = there.slot(slot(30)).await;
        let one = format!("{}slots/{slot}/?force=true", there.recruitment.path);
        let (booked, deleted) = futures::join!(there.book(slot), async {
            after(pause).await;
            there.recruitment.officer.delete(&one).await
        });
        deleted.no_content();
        assert!(
            booked.status == 200 || booked.status == 400,
            "{}",
            booked.text()
        );
        assert_eq!(
            there.interview().await["state"],
            "invited",
            "after {pause} ms"
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves K11
#[tokio::test(start_paused = true)]
async fn a_booking_and_the_deletion_of_the_application_agree() {
    for pause in (0..40).step_by(2) {
        // The booking has read when the deletion begins, and writes that long after it.
        let is_next = Arc::new(AtomicBool::default());
        let next = is_next.clone();
        let campus = delayed(move |operation| {
            let is_booking = operation == "TransactWriteItems";
            let is_late = is_booking && next.swap(false, Ordering::SeqCst);
            if is_late { pause + 20 } else { 5 }
        });
        let there = Interviewing::new(&campus).await;
        let slot = there.slot(slot(30)).await;
        let (officer, path) = (&there.recruitment.officer, &there.recruitment.path);
        officer
            .patch(path, json!({ "is_active": false }))
            .await
            .ok();
        // A deletion does not wait for submissions then.
        campus.advance(TimeDelta::minutes(5));
        let forced = format!("{path}?force=true");
        is_next.store(true, Ordering::SeqCst);
        let (booked, deleted) = futures::join!(there.book(slot), async {
            after(20).await;
            officer.delete(&forced).await
        });
        deleted.no_content();
        campus.ten_minutes().await;
        let notified = notified(&campus).await;
        let subjects: Vec<&str> = notified.iter().map(|mail| mail.subject.as_str()).collect();
        let is_notified = |end: &str| subjects.iter().any(|one| one.ends_with(end));
        assert!(
            booked.status != 200 || is_notified("is cancelled"),
            "after {pause} ms: {subjects:?}"
        );
        let is_left = |item: &Value| {
            ["Slot", "Booking"]
                .iter()
                .any(|one| item["type"]["S"] == *one)
        };
        assert!(!campus.stored().iter().any(is_left), "after {pause} ms");
    }
}

// proves K7, K11
#[tokio::test(start_paused = true)]
async fn a_booking_and_a_withdrawal_agree() {
    for pause in [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30] {
        let campus = slow();
        let there = Interviewing::new(&campus).await;
        let slot = there.slot(slot(30)).await;
        let own = there.own();
        let (booked, withdrawn) = futures::join!(there.book(slot), async {
            after(pause).await;
            there.sue.delete(&own).await
        });
        withdrawn.no_content();
        assert!(
            booked.status == 200 || booked.status == 404,
            "{}",
            booked.text()
        );
        assert_eq!(there.shown(slot).await["booked"], 0, "after {pause} ms");
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves K7, K9
#[tokio::test(start_paused = true)]
async fn a_booking_and_a_rejection_mail_agree() {
    for pause in [0, 5, 10, 15, 20, 25, 30, 35, 40] {
        let campus = slow();
        let there = Interviewing::new(&campus).await;
        let (first, second) = (there.slot(slot(30)).await, there.slot(slot(40)).await);
        there.book(first).await.ok();
        campus.deliver().await;
        there.recruitment.decide(&there.submission, 2, "").await;
        there.recruitment.send("rejection", json!({})).await.ok();
        let (moved, _) = futures::join!(
            async {
                after(pause).await;
                there.book(second).await
            },
            campus.deliver()
        );
        assert!(
            moved.status == 200 || moved.status == 400,
            "{}",
            moved.text()
        );
        campus.deliver().await;
        assert_eq!(there.interview().await, json!(null));
        for slot in [first, second] {
            assert_eq!(there.shown(slot).await["booked"], 0, "after {pause} ms");
        }
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves K7
#[tokio::test(start_paused = true)]
async fn lost_answers_book_once_and_mail_once() {
    for loss in LOSSES {
        for n in 1..=2 {
            let trap = Trap::default();
            let campus = trap.campus();
            let there = Interviewing::new(&campus).await;
            let (first, second) = (there.slot(slot(30)).await, there.slot(slot(40)).await);
            there.book(first).await.ok();
            campus.ten_minutes().await;
            trap.arm(n, loss);
            let moved = there.book(second).await;
            after(5_000).await;
            if moved.status != 200 {
                there.book(second).await.ok();
            }
            assert_eq!(there.interview().await["slot"]["id"], second, "{loss:?}");
            assert_eq!(there.shown(first).await["booked"], 0);
            campus.deliver().await;
            let mails = campus.mails();
            let notified = mails
                .iter()
                .filter(|mail| !mail.attachments.is_empty())
                .count();
            assert_eq!(notified, 2, "{loss:?}");
            assert_eq!(recount(&campus), [""; 0]);
        }
    }
}

// proves K7
#[tokio::test(start_paused = true)]
async fn a_late_booking_does_not_undo_a_later_cancellation() {
    let late = Late::default();
    let campus = late.campus();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    late.hold(0, 1);
    there.book(slot).await.ok();
    there
        .sue
        .delete(&format!("{}interview/", there.own()))
        .await
        .no_content();
    assert_eq!(late.arrive(), 1);
    assert_eq!(there.interview().await["state"], "invited");
    assert_eq!(there.shown(slot).await["booked"], 0);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves K7
#[tokio::test(start_paused = true)]
async fn later_of_concurrent_requests_is_kept() {
    // The first read after the trap is set takes long, so a later request overtakes it.
    let is_set = Arc::new(AtomicBool::new(false));
    let trap = is_set.clone();
    let hook = move |operation: &str, _: &[u8]| {
        let is_slow = operation == "BatchGetItem" && trap.swap(false, Ordering::SeqCst);
        Box::pin(async move {
            after(if is_slow { 500 } else { 0 }).await;
            None
        }) as _
    };
    let campus = Setup::default()
        .table(Arc::new(hook))
        .running_clock()
        .build();
    let there = Interviewing::new_now(&campus).await;
    let slot = there.slot(campus.slot_in(30)).await;
    let interview = format!("{}interview/", there.own());
    there.book(slot).await.ok();
    there.sue.delete(&interview).await.no_content();
    after(10).await;
    is_set.store(true, Ordering::SeqCst);
    let (late, cancelled) = futures::join!(there.book(slot), async {
        after(100).await;
        there.sue.delete(&interview).await
    });
    cancelled.no_content();
    assert_eq!(late.ok()["state"], "invited");
    assert_eq!(there.interview().await["state"], "invited");
    after(10).await;
    there.book(slot).await.ok();
    assert_eq!(there.interview().await["state"], "booked");
}
