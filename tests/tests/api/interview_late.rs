//! What happens to an interview while a rejection is sent or known, and what an earlier request did
//! not finish

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::recount::recount;
use tests::reports::reports_of;
use tests::{Setup, TestCampus};

use crate::interview_ends::{numbers, reject};
use crate::interview_mails::{calendar, line, notified};
use crate::lost_responses::after;
use crate::slots::{Interviewing, slot};

/// Whether somebody has a place in a slot. It is not asked by a request, because that gives back
/// the places of rejected people.
fn has_places(campus: &TestCampus) -> bool {
    let has_place = |item: &Value| {
        let seats = item["seats"]["M"].as_object();
        seats.is_some_and(|all| !all.is_empty())
    };
    campus.stored().iter().any(has_place)
}

/// A campus whose SES takes 100 ms for a mail.
fn with_slow_mail() -> TestCampus {
    Setup::default()
        .mail(Arc::new(|_: &str| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                None
            })
        }))
        .build()
}

/// A campus on which calls of this operation fail as long as the test says so.
pub(crate) fn failing(operation: &'static str) -> (TestCampus, Arc<AtomicBool>) {
    let is_on = Arc::new(AtomicBool::new(false));
    let on = is_on.clone();
    let hook = move |called: &str, _: &[u8]| {
        let fails = on.load(Ordering::Relaxed) && called == operation;
        let body = json!({ "__type": "ValidationException" });
        Box::pin(async move { fails.then_some((400_u16, body)) }) as _
    };
    (Setup::default().table(Arc::new(hook)).build(), is_on)
}

// proves K9, K10
#[tokio::test(start_paused = true)]
async fn booking_during_rejection_mail_ends_with_it() {
    for is_move in [false, true] {
        let campus = with_slow_mail();
        let there = Interviewing::new(&campus).await;
        let (first, second) = (there.slot(slot(60)).await, there.slot(slot(70)).await);
        if is_move {
            there.book(first).await.ok();
        }
        campus.ten_minutes().await;
        there.recruitment.decide(&there.submission, 2, "").await;
        there.recruitment.send("rejection", json!({})).await.ok();
        let (booked, _) = futures::join!(
            async {
                after(50).await;
                there.book(second).await
            },
            campus.deliver()
        );
        booked.ok();
        assert!(!has_places(&campus), "moved: {is_move}");
        assert_eq!(there.interview().await, json!(null));
        let mails = notified(&campus).await;
        let mut files = numbers(&campus).await;
        // The rejection has the file of the slot that was booked before, and its number is that of
        // the move.
        files.dedup();
        assert!(files.is_sorted_by(|a, b| a < b), "{files:?}");
        let last = &mails.last().expect("a mail").subject;
        assert!(last.ends_with("is cancelled"), "{last}");
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves K9, K10
#[tokio::test(start_paused = true)]
async fn slot_moved_during_rejection_mail_ends_with_a_later_file() {
    let campus = with_slow_mail();
    let there = Interviewing::new(&campus).await;
    let booked = there.slot(slot(60)).await;
    there.book(booked).await.ok();
    campus.ten_minutes().await;
    there.recruitment.decide(&there.submission, 2, "").await;
    there.recruitment.send("rejection", json!({})).await.ok();
    let path = format!("{}slots/{booked}/", there.recruitment.path);
    let (moved, _) = futures::join!(
        async {
            after(50).await;
            let elsewhere = json!({ "location": "Room 7" });
            there.recruitment.officer.patch(&path, elsewhere).await
        },
        campus.deliver()
    );
    moved.ok();
    campus.deliver().await;
    assert!(!has_places(&campus));
    let mails = notified(&campus).await;
    let last = &mails.last().expect("a mail").subject;
    assert!(last.ends_with("is cancelled"), "{last}");
    let files = numbers(&campus).await;
    let last = files.last().expect("a file");
    assert!(
        files.iter().filter(|file| *file >= last).count() == 1,
        "{files:?}"
    );
}

// proves K8
#[tokio::test(start_paused = true)]
async fn officers_booking_after_release_outlasts_the_mail() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.advance(TimeDelta::hours(49));
    there.assign(slot).await.ok();
    campus.advance(TimeDelta::hours(1));
    let sent = there.recruitment.send("rejection", json!({}));
    campus.with_worker(sent).await.ok();
    campus.deliver().await;
    assert!(has_places(&campus));
    assert_eq!(there.interview().await["state"], "booked");
}

// proves K8, K9
#[tokio::test(start_paused = true)]
async fn cancellation_after_rejection_leaves_no_choice() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    reject(&campus, &there).await;
    there.assign(slot).await.ok();
    there
        .recruitment
        .officer
        .delete(&there.path())
        .await
        .no_content();
    assert_eq!(there.interview().await, json!(null));
}

// proves K9
#[tokio::test(start_paused = true)]
async fn officer_reading_an_interview_releases_the_booking() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    let shown = there.recruitment.officer.get(&there.path()).await;
    assert_eq!(shown.ok()["state"], "booked", "nobody knows of it");
    campus.advance(TimeDelta::hours(49));
    let shown = there.recruitment.officer.get(&there.path()).await;
    assert_eq!(shown.status, 404);
    assert!(!has_places(&campus));
    // The officer only looked: nobody did it (Z5).
    let is_submission = |item: &Value| item["type"]["S"] == "Submission";
    let stored = campus.stored().into_iter().find(is_submission);
    assert_eq!(stored.expect("one")["changed_by"], json!({ "NULL": true }));
}

// proves K3, K9
#[tokio::test(start_paused = true)]
async fn large_slot_is_deleted_after_release_like_an_empty_one() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let mut large = slot(90);
    large["capacity"] = json!(30);
    let slot = there.slot(large).await;
    let students: Vec<_> = (0..25).map(|n| campus.as_(&format!("s{n}"))).collect();
    join_all(students.iter().map(async |student| {
        let submission = there.recruitment.submit(student).await;
        there.invite(&submission).await;
        let path = format!("/api/submissions/{}/interview/", id(&submission));
        student.put(&path, json!({ "slot": slot })).await.ok();
        there.recruitment.decide(&submission, 2, "").await;
    }))
    .await;
    campus.advance(TimeDelta::hours(49));
    let path = format!("{}slots/{slot}/", there.recruitment.path);
    there.recruitment.officer.delete(&path).await.no_content();
    assert!(!has_places(&campus));
}

// proves K11
#[tokio::test(start_paused = true)]
async fn the_list_of_slots_finishes_a_deletion() {
    let (campus, is_killed) = failing("TransactWriteItems");
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    campus.ten_minutes().await;
    is_killed.store(true, Ordering::Relaxed);
    let (officer, slots) = (
        &there.recruitment.officer,
        format!("{}slots/", there.recruitment.path),
    );
    let deleted = officer.delete(&format!("{slots}{slot}/?force=true")).await;
    assert_eq!(deleted.status, 500);
    is_killed.store(false, Ordering::Relaxed);
    assert!(has_places(&campus));
    assert_eq!(officer.get(&slots).await.ok(), json!([]));
    assert_eq!(there.interview().await["state"], "invited");
    let last = notified(&campus).await.pop().expect("a mail");
    assert!(last.subject.ends_with("is cancelled"), "{}", last.subject);
    let is_slot = |item: &Value| item["type"]["S"] == "Slot";
    assert!(!campus.stored().iter().any(is_slot));
}

// proves K10
#[tokio::test(start_paused = true)]
async fn move_to_a_past_time_is_mailed() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (next, over) = (there.slot(slot(30)).await, there.slot(slot(-5)).await);
    let older = there.slot(slot(-9)).await;
    there.assign(next).await.ok();
    campus.ten_minutes().await;
    there.assign(over).await.ok();
    assert_eq!(notified(&campus).await.len(), 2);
    // Nothing that is to come changes.
    there.assign(older).await.ok();
    assert_eq!(notified(&campus).await.len(), 2);
}

// proves K9, K12
#[tokio::test(start_paused = true)]
async fn invitation_ends_for_the_club_when_rejection_is_visible() {
    for is_mailed in [true, false] {
        let campus = TestCampus::new();
        let there = Interviewing::new(&campus).await;
        there.recruitment.decide(&there.submission, 2, "").await;
        let found = async |stage: &str| {
            let path = format!("{}submissions/?interview={stage}", there.recruitment.path);
            let all = there.recruitment.officer.get(&path).await.ok();
            all.as_array().map_or(0, Vec::len)
        };
        assert_eq!((found("invited").await, found("none").await), (1, 0));
        if is_mailed {
            let sent = there.recruitment.send("rejection", json!({}));
            campus.with_worker(sent).await.ok();
        } else {
            campus.advance(TimeDelta::hours(50));
        }
        assert_eq!((found("invited").await, found("none").await), (0, 1));
        let one = format!(
            "{}submissions/{}/",
            there.recruitment.path,
            id(&there.submission)
        );
        let shown = there.recruitment.officer.get(&one).await.ok();
        assert_eq!(shown["interview"], json!(null), "mailed: {is_mailed}");
        assert_eq!(
            there.recruitment.officer.get(&there.path()).await.status,
            404
        );
    }
}

// proves K9
#[tokio::test(start_paused = true)]
async fn past_interview_can_be_cancelled_within_notice() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let soon = there.slot(slot(60)).await;
    there.book(soon).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.advance(TimeDelta::hours(50));
    let interview = format!("{}interview/", there.own());
    there.sue.delete(&interview).await.no_content();
    assert!(!has_places(&campus));
    there.sue.delete(&interview).await.no_content();
}

// proves K8, K9
#[tokio::test(start_paused = true)]
async fn late_rejection_report_keeps_newer_booking() {
    for is_late in [true, false] {
        // SES takes each mail, but its answer is lost.
        let campus = Setup::default()
            .mail(Arc::new(|_: &str| {
                Box::pin(async { Some(Ok((500, json!({ "__type": "Lost" })))) })
            }))
            .build();
        let there = Interviewing::new(&campus).await;
        let slot = there.slot(slot(40)).await;
        if !is_late {
            there.assign(slot).await.ok();
            campus.advance(TimeDelta::hours(1));
        }
        reject(&campus, &there).await;
        let taken_at = tests::start() + TimeDelta::hours(i64::from(!is_late));
        let reports = reports_of(&campus, "rejection", taken_at);
        campus.advance(TimeDelta::hours(1));
        if is_late {
            there.assign(slot).await.ok();
        }
        assert_eq!(there.shown(slot).await["booked"], 1, "nobody knows of it");
        campus.reported(&reports[0]).await;
        let has_place = |item: &Value| {
            item["seats"]["M"]
                .as_object()
                .is_some_and(|all| !all.is_empty())
        };
        assert_eq!(campus.stored().iter().any(has_place), is_late);
        // The rejection may not have mentioned it.
        let stored = campus.stored();
        let key = |item: &&Value| item["sk"]["S"].as_str().unwrap_or_default().to_owned();
        let mails = stored.iter().filter(|item| item["type"]["S"] == "Mail");
        let mails = mails.filter(|item| key(item).contains("#appointment#"));
        assert_eq!(
            mails.count(),
            if is_late { 1 } else { 2 },
            "booked, cancelled"
        );
        assert_eq!(there.interview().await.is_null(), !is_late);
    }
}

// In an earlier version, the applicant was told after the cancellation that it is booked.
// proves K10
#[tokio::test(start_paused = true)]
async fn ended_booking_is_not_shown_as_booked() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    notified(&campus).await;
    let taken = there.slot(slot(30)).await;
    there.recruitment.decide(&there.submission, 2, "").await;
    // Both wait for the worker, the rejection first.
    there.recruitment.send("rejection", json!({})).await.ok();
    there.book(taken).await.ok();
    let mails = notified(&campus).await;
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects, ["Your application to chess: Fall"]);
    assert_eq!(line(&calendar(&mails[0]), "METHOD:"), "METHOD:CANCEL");
    assert_eq!(there.shown(taken).await["booked"], 0);
}
