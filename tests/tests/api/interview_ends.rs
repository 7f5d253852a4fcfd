//! Interviews that ended and begin again, and what an officer books after a rejection

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};

use crate::interview_mails::{calendar, line, notified};
use crate::interviews::code;
use crate::slots::{Interviewing, slot};

/// Rejects the applicant, and tells them by mail.
pub(crate) async fn reject(campus: &TestCampus, there: &Interviewing) {
    there.recruitment.decide(&there.submission, 2, "").await;
    let sent = there.recruitment.send("rejection", json!({}));
    campus.with_worker(sent).await.ok();
}

/// The numbers of the calendar files that Sue got.
pub(crate) async fn numbers(campus: &TestCampus) -> Vec<u32> {
    let number = |mail| {
        let line = line(&calendar(mail), "SEQUENCE:");
        line["SEQUENCE:".len()..].parse().expect("a number")
    };
    notified(campus).await.iter().map(number).collect()
}

// proves K9, K10
#[tokio::test(start_paused = true)]
async fn invited_again_after_rejection_can_book() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(90)).await, there.slot(slot(95)).await);
    there.book(first).await.ok();
    reject(&campus, &there).await;
    assert_eq!(there.interview().await, json!(null));
    assert_eq!(code(there.book(first).await), "application_closed");
    campus.advance(TimeDelta::hours(48));
    there.recruitment.decide(&there.submission, 1, "").await;
    let again = json!({ "submissions": [id(&there.submission)], "allow_resend": true });
    there.recruitment.send("interview", again).await.ok();
    assert_eq!(there.book(second).await.ok()["slot"]["id"], second);
    let numbers = numbers(&campus).await;
    assert_eq!(numbers.len(), 3);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

// proves K10
#[tokio::test(start_paused = true)]
async fn calendar_files_rise_after_a_withdrawal_too() {
    let campus = TestCampus::new();
    let mut there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(40)).await, there.slot(slot(50)).await);
    there.book(first).await.ok();
    campus.ten_minutes().await;
    there.sue.delete(&there.own()).await.no_content();
    campus.ten_minutes().await;
    there.submission = there.recruitment.submit(&there.sue).await;
    there.invite(&there.submission).await;
    there.book(second).await.ok();
    let numbers = numbers(&campus).await;
    assert_eq!(numbers.len(), 3);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

// proves K10
#[tokio::test(start_paused = true)]
async fn they_rise_after_an_interview_that_was_over_too() {
    let campus = TestCampus::new();
    let mut there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(13)).await, there.slot(slot(22)).await);
    there.book(first).await.ok();
    campus.ten_minutes().await;
    let path = format!("{}slots/{first}/", there.recruitment.path);
    for room in ["Room 2", "Room 3"] {
        let location = json!({ "location": room });
        there.recruitment.officer.patch(&path, location).await.ok();
        campus.ten_minutes().await;
    }
    campus.advance(TimeDelta::hours(15));
    there.sue.delete(&there.own()).await.no_content();
    campus.advance(TimeDelta::minutes(1));
    there.submission = there.recruitment.submit(&there.sue).await;
    there.assign(second).await.ok();
    let numbers = numbers(&campus).await;
    assert_eq!(numbers.len(), 4);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

// proves K8, K9
#[tokio::test(start_paused = true)]
async fn officers_booking_after_rejection_stays() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    reject(&campus, &there).await;
    campus.advance(TimeDelta::hours(1));
    there.assign(slot).await.ok();
    assert_eq!(there.shown(slot).await["booked"], 1);
    there.sue.get("/api/submissions/").await.ok();
    assert_eq!(there.interview().await["state"], "booked");
    assert_eq!(there.shown(slot).await["booked"], 1);
}

/// A test, or a quick officer, books in the second in which the rejection was told.
// proves K8, K9
#[tokio::test(start_paused = true)]
async fn officers_booking_in_the_second_of_rejection_stays() {
    for (is_mailed, is_booked) in [(true, false), (false, false), (false, true)] {
        let campus = TestCampus::new();
        let there = Interviewing::new(&campus).await;
        let slot = there.slot(slot(90)).await;
        if is_booked {
            there.book(slot).await.ok();
        }
        if is_mailed {
            reject(&campus, &there).await;
        } else {
            campus.advance(TimeDelta::hours(48));
            there.recruitment.decide(&there.submission, 2, "").await;
        }
        there.assign(slot).await.ok();
        assert_eq!(there.shown(slot).await["booked"], 1);
        there.sue.get("/api/submissions/").await.ok();
        assert_eq!(there.interview().await["state"], "booked");
        assert_eq!(there.shown(slot).await["booked"], 1);
        // A rejection that is told later ends it.
        campus.advance(TimeDelta::minutes(1));
        there.recruitment.decide(&there.submission, 1, "").await;
        there.recruitment.decide(&there.submission, 2, "").await;
        if !is_mailed {
            assert_eq!(there.shown(slot).await["booked"], 0);
        }
    }
}

// proves K8
#[tokio::test(start_paused = true)]
async fn an_invitation_after_that_changes_nothing() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    reject(&campus, &there).await;
    there.assign(slot).await.ok();
    there.recruitment.decide(&there.submission, 1, "").await;
    let again = json!({ "submissions": [id(&there.submission)], "allow_resend": true });
    there.recruitment.send("interview", again).await.ok();
    assert_eq!(there.interview().await["state"], "booked");
    assert_eq!(there.shown(slot).await["booked"], 1);
}

/// Nobody has looked since the release.
// proves K3, K9
#[tokio::test(start_paused = true)]
async fn slot_of_rejected_people_changes_like_an_empty_one() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let moved = there.slot(slot(90)).await;
    there.book(moved).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.advance(TimeDelta::hours(48));
    let path = format!("{}slots/{moved}/", there.recruitment.path);
    let officer = &there.recruitment.officer;
    officer
        .patch(&path, json!({ "location": "Tower" }))
        .await
        .ok();
    let notified = notified(&campus).await;
    let subjects: Vec<&str> = notified.iter().map(|mail| mail.subject.as_str()).collect();
    assert!(
        !subjects.iter().any(|one| one.contains("changed")),
        "{subjects:?}"
    );
    let campus = TestCampus::new();
    let other = Interviewing::new(&campus).await;
    let cancelled = other.slot(slot(90)).await;
    other.book(cancelled).await.ok();
    other.recruitment.decide(&other.submission, 2, "").await;
    campus.advance(TimeDelta::hours(48));
    let path = format!("{}slots/{cancelled}/", other.recruitment.path);
    other.recruitment.officer.delete(&path).await.no_content();
}

// proves K9
#[tokio::test(start_paused = true)]
async fn oldest_of_many_submissions_releases_its_booking() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.book(slot).await.ok();
    let names: Vec<Value> = (0..21)
        .map(|n| json!({ "name": format!("C{n}") }))
        .collect();
    let body = json!({ "committees": names });
    let shown = there
        .recruitment
        .officer
        .patch(&there.recruitment.path, body)
        .await
        .ok();
    for n in 0..21 {
        let committee = &shown["committees"][n]["id"];
        let responses = json!([{ "question": there.recruitment.question, "text": "I play." }]);
        let body = json!({ "committee": committee, "responses": responses });
        let path = format!("{}submissions/", there.recruitment.path);
        there.sue.post(&path, body).await.created();
    }
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.advance(TimeDelta::hours(48));
    let is_booked = || {
        campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "Booking")
    };
    assert!(is_booked());
    let own = there.sue.get("/api/submissions/").await.ok();
    assert_eq!(own[21]["id"], there.submission["id"]);
    assert!(!is_booked());
}

// proves K8
#[tokio::test(start_paused = true)]
async fn officer_does_not_see_own_attendance() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let ada = &there.recruitment.officer;
    campus.member("chess", ada, "bob", 10).await;
    let bob = campus.as_("bob");
    let own = there.recruitment.submit(&bob).await;
    let begun = json!({ "start_time": hours(-1), "end_time": hours(1) });
    let slot = there.slot(begun).await;
    let path = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&own)
    );
    ada.put(&path, json!({ "slot": slot })).await.ok();
    ada.patch(&path, json!({ "attended": false })).await.ok();
    let submissions = format!("{}submissions/", there.recruitment.path);
    let slots = format!("{}slots/", there.recruitment.path);
    for (officer, attended, missed) in [(ada, json!(false), 1), (&bob, json!(null), 0)] {
        let shown = officer.get(&slots).await.ok();
        assert_eq!(shown[0]["bookings"][0]["attended"], attended);
        let all = officer.get(&submissions).await.ok();
        let of = |one: &&Value| one["id"] == own["id"];
        let listed = all.as_array().into_iter().flatten().find(of);
        assert_eq!(listed.expect("there")["interview"]["attended"], attended);
        let found = officer
            .get(&format!("{submissions}?interview=missed"))
            .await;
        assert_eq!(found.ok().as_array().map(Vec::len), Some(missed));
    }
}

// proves K9
#[tokio::test(start_paused = true)]
async fn invitation_after_mailed_rejection_counts_before_release() {
    for had_an_interview in [true, false] {
        let campus = TestCampus::new();
        let there = if had_an_interview {
            Interviewing::new(&campus).await
        } else {
            Interviewing::uninvited(&campus).await
        };
        let slot = there.slot(slot(90)).await;
        reject(&campus, &there).await;
        campus.advance(TimeDelta::hours(1));
        there.recruitment.decide(&there.submission, 1, "").await;
        let again = json!({ "submissions": [id(&there.submission)], "allow_resend": true });
        there.recruitment.send("interview", again).await.ok();
        // The results are released after 48 hours: the applicant still knows the first decision.
        assert_eq!(there.interview().await["state"], "invited");
        there.book(slot).await.ok();
        assert_eq!(there.interview().await["state"], "booked");
        // Another rejection, which is not mailed.
        there.recruitment.decide(&there.submission, 3, "").await;
        assert_eq!(there.interview().await["state"], "booked");
        campus.advance(TimeDelta::hours(48));
        assert_eq!(there.interview().await, json!(null));
        assert_eq!(there.shown(slot).await["booked"], 0);
    }
}

/// Bob has booked the only place of a slot, and was rejected. Sue waits for it.
async fn waiting(campus: &TestCampus) -> (Interviewing, u64) {
    let there = Interviewing::new(campus).await;
    let slot = there.slot(slot(90)).await;
    let bob = campus.as_("bob");
    let submission = there.recruitment.submit(&bob).await;
    there.invite(&submission).await;
    let own = format!("/api/submissions/{}/interview/", id(&submission));
    bob.put(&own, json!({ "slot": slot })).await.ok();
    there.recruitment.decide(&submission, 2, "").await;
    (there, slot)
}

// proves K9
#[tokio::test(start_paused = true)]
async fn rejected_booking_goes_to_the_next_person() {
    let campus = TestCampus::new();
    let (there, slot) = waiting(&campus).await;
    assert_eq!(code(there.book(slot).await), "slot_full");
    let list = format!("{}slots/", there.own());
    assert_eq!(there.sue.get(&list).await.ok()[0]["free"], 0);
    campus.advance(TimeDelta::hours(48));
    assert_eq!(there.sue.get(&list).await.ok()[0]["free"], 1);
    there.book(slot).await.ok();

    let campus = TestCampus::new();
    let (there, slot) = waiting(&campus).await;
    campus.advance(TimeDelta::hours(48));
    assert_eq!(there.book(slot).await.ok()["slot"]["id"], slot);
    assert_eq!(there.shown(slot).await["booked"], 1);
}

// proves K8
#[tokio::test(start_paused = true)]
async fn officers_booking_after_release_survives_a_new_reason() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(90)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    // The results are released, and the officer keeps the interview before anybody looked.
    campus.advance(TimeDelta::hours(49));
    let officer = &there.recruitment.officer;
    officer
        .put(&there.path(), json!({ "slot": slot }))
        .await
        .ok();
    assert_eq!(there.shown(slot).await["booked"], 1);
    campus.advance(TimeDelta::hours(1));
    there
        .recruitment
        .decide(&there.submission, 2, "Sorry.")
        .await;
    there
        .recruitment
        .decide(&there.submission, 3, "Sorry.")
        .await;
    assert_eq!(there.interview().await["state"], "booked");
    assert_eq!(there.shown(slot).await["booked"], 1);
    // Another rejection, after the first one was taken back.
    there.recruitment.decide(&there.submission, 1, "").await;
    there.recruitment.decide(&there.submission, 2, "").await;
    assert_eq!(there.interview().await, json!(null));
    assert_eq!(there.shown(slot).await["booked"], 0);
}

// proves K9
#[tokio::test(start_paused = true)]
async fn second_interview_can_be_chosen_after_the_first() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (taken, second) = (there.slot(slot(20)).await, there.slot(slot(60)).await);
    there.book(taken).await.ok();
    campus.advance(TimeDelta::hours(22));
    reject(&campus, &there).await;
    assert_eq!(there.shown(taken).await["booked"], 1, "it was held");
    campus.advance(TimeDelta::hours(1));
    there.recruitment.decide(&there.submission, 1, "").await;
    let again = json!({ "submissions": [id(&there.submission)], "allow_resend": true });
    there.recruitment.send("interview", again).await.ok();
    assert_eq!(there.interview().await["state"], "invited");
    assert_eq!(there.book(second).await.ok()["slot"]["id"], second);
    assert_eq!(there.shown(taken).await["booked"], 0);
    let numbers = numbers(&campus).await;
    assert_eq!(numbers.len(), 2);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

// proves K9, K10
#[tokio::test(start_paused = true)]
async fn rejected_person_gets_no_mail_about_a_moved_past_interview() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let mut body = slot(20);
    body["capacity"] = json!(2);
    let taken = there.slot(body).await;
    there.book(taken).await.ok();
    let bob = campus.as_("bob");
    let other = there.recruitment.submit(&bob).await;
    there.invite(&other).await;
    let path = format!("/api/submissions/{}/interview/", id(&other));
    bob.put(&path, json!({ "slot": taken })).await.ok();
    campus.deliver().await;
    campus.advance(TimeDelta::hours(22));
    reject(&campus, &there).await;
    campus.deliver().await;
    let before = campus.mails().len();
    // The other one did not come.
    let moved = json!({ "start_time": hours(60), "end_time": hours(61) });
    let path = format!("{}slots/{taken}/", there.recruitment.path);
    there.recruitment.officer.patch(&path, moved).await.ok();
    campus.deliver().await;
    let notified: Vec<String> = campus.mails().drain(before..).map(|mail| mail.to).collect();
    assert_eq!(notified, ["bob@uni.example"]);
    assert_eq!(there.interview().await, json!(null));
}
