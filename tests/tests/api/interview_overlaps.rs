//! Two interviews at the same time, and what was booked since somebody looked

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;

use crate::interviews::code;
use crate::slots::{Interviewing, slot};

/// The same person, invited by another club too.
async fn invited_elsewhere(campus: &TestCampus, there: &Interviewing) -> Interviewing {
    let recruitment = campus.recruitment("go").await;
    let submission = recruitment.submit(&there.sue).await;
    let elsewhere = Interviewing {
        recruitment,
        sue: there.sue.clone(),
        submission,
    };
    elsewhere.invite(&elsewhere.submission).await;
    elsewhere
}

// proves K6
#[tokio::test(start_paused = true)]
async fn two_interviews_at_once_need_a_word() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let chess = there.slot(slot(30)).await;
    there.book(chess).await.ok();
    let go = invited_elsewhere(&campus, &there).await;
    let at_once = go.slot(slot(30)).await;
    let after = go.slot(slot(31)).await;
    assert_eq!(code(go.book(at_once).await), "overlap");
    go.book(after).await.ok();
    // Officers look at their own club only.
    go.recruitment
        .officer
        .put(&go.path(), json!({ "slot": at_once }))
        .await
        .ok();
    go.book(after).await.ok();
    let both = json!({ "slot": at_once, "overlap": true });
    go.sue
        .put(&format!("{}interview/", go.own()), both)
        .await
        .ok();
    let second = there.slot(slot(30)).await;
    go.book(after).await.ok();
    // The slot that is left does not count.
    there.book(second).await.ok();
    there
        .recruitment
        .officer
        .delete("/api/clubs/chess/")
        .await
        .no_content();
    go.book(at_once).await.ok();
}

// proves K6, K9
#[tokio::test(start_paused = true)]
async fn an_interview_that_ended_with_a_rejection_is_no_overlap() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let chess = there.slot(slot(90)).await;
    there.book(chess).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    let go = invited_elsewhere(&campus, &there).await;
    let at_once = go.slot(slot(90)).await;
    assert_eq!(code(go.book(at_once).await), "overlap");
    // The results are released, and nobody has looked.
    campus.advance(TimeDelta::hours(48));
    go.book(at_once).await.ok();
}

// proves K6
#[tokio::test(start_paused = true)]
async fn booking_made_meanwhile_counts_as_overlap() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let go = invited_elsewhere(&campus, &there).await;
    let (at_once, later, last) = (
        go.slot(slot(30)).await,
        go.slot(slot(40)).await,
        go.slot(slot(50)).await,
    );
    let listed = format!("{}slots/", go.own());
    go.sue.get(&listed).await.ok();
    let chess = there.slot(slot(30)).await;
    there.book(chess).await.ok();
    assert_eq!(code(go.book(at_once).await), "overlap");
    // An officer moves it, which this process need not remember.
    go.book(later).await.ok();
    let officer = &go.recruitment.officer;
    let body = json!({ "slot": last });
    officer.put(&go.path(), body).await.ok();
    assert_eq!(go.book(later).await.ok()["slot"]["id"], later);
    let booked = async |slot: u64| go.shown(slot).await["booked"].clone();
    assert_eq!(
        (booked(later).await, booked(last).await),
        (json!(1), json!(0))
    );
    officer.put(&go.path(), json!({ "slot": last })).await.ok();
    let own = format!("{}interview/", go.own());
    go.sue.delete(&own).await.no_content();
    assert_eq!(
        (booked(later).await, booked(last).await),
        (json!(0), json!(0))
    );
    assert_eq!(go.interview().await["state"], "invited");
}

// proves K10
#[tokio::test(start_paused = true)]
async fn an_interview_and_a_slot_are_moved_so_often() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slots = [there.slot(slot(90)).await, there.slot(slot(92)).await];
    for n in 0..200 {
        there.book(slots[n % 2]).await.ok();
    }
    assert_eq!(there.book(slots[0]).await.json()["code"], "quota");
    let path = format!("{}slots/{}/", there.recruitment.path, slots[0]);
    for n in 0..50 {
        let location = json!({ "location": format!("Room {n}") });
        there.recruitment.officer.patch(&path, location).await.ok();
    }
    let location = json!({ "location": "Hall" });
    let more = there.recruitment.officer.patch(&path, location).await;
    assert_eq!(more.json()["code"], "quota");
    let note = json!({ "note": "still good" });
    there.recruitment.officer.patch(&path, note).await.ok();
}

// proves K13
#[tokio::test(start_paused = true)]
async fn nobody_holds_two_interviews_at_once() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let [bob, eve] = ["bob", "eve"].map(|name| campus.member("chess", officer, name, 20));
    let (bob, eve) = futures::join!(bob, eve);
    let [bob, eve] = [
        bob.get("/api/settings/").await.ok(),
        eve.get("/api/settings/").await.ok(),
    ];
    let slot_of = |hour: i64, by: &[&serde_json::Value]| {
        let mut body = slot(hour);
        body["interviewers"] = by.iter().map(|one| one["id"].clone()).collect();
        body
    };
    let duplicate = format!("{}duplicate/", recruitment.path);
    let other = officer.post(&duplicate, json!({})).await.created();
    let here = format!("{}slots/", recruitment.path);
    let there = format!(
        "/api/clubs/chess/applications/{}/slots/",
        tests::fixtures::id(&other)
    );
    officer.post(&here, slot_of(30, &[&bob])).await.created();
    let busy = async |path: &str, body: serde_json::Value| {
        let refused = officer.post(path, body).await;
        assert_eq!(refused.json()["code"], "overlap");
        refused.invalid(&["interviewers"]);
    };
    busy(&here, slot_of(30, &[&eve, &bob])).await;
    busy(&there, slot_of(30, &[&bob])).await;
    officer.post(&there, slot_of(31, &[&bob])).await.created();
    let moved = officer.post(&there, slot_of(30, &[&eve])).await.created();
    let mut both = slot_of(30, &[&bob]);
    both["overlap"] = json!(true);
    let doubled = officer.post(&there, both).await.created();
    // What stays as it is, is not asked again.
    let doubled = format!("{there}{}/", tests::fixtures::id(&doubled));
    officer
        .patch(&doubled, json!({ "note": "Room 2" }))
        .await
        .ok();
    let moved = format!("{there}{}/", tests::fixtures::id(&moved));
    let by_bob = json!({ "interviewers": [bob["id"]] });
    officer
        .patch(&moved, by_bob)
        .await
        .invalid(&["interviewers"]);
    officer
        .patch(&moved, json!({ "start_time": slot(29)["start_time"] }))
        .await
        .ok();
    let mut series = slot_of(29, &[&eve]);
    series["end_time"] = slot(32)["end_time"].clone();
    series["minutes"] = json!(30);
    let path = format!("{there}series/");
    busy(&path, series.clone()).await;
    series["overlap"] = json!(true);
    officer.post(&path, series).await.created();
    // Nobody is in a slot that is over, and in another club nobody is asked.
    campus.advance(TimeDelta::hours(40));
    officer.post(&there, slot_of(-10, &[&bob])).await.created();
}
