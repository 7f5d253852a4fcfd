//! `/submissions/{submission}/slots/`, `…/interview/`, and the interview of a submission for
//! officers

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};

use crate::slots::{Interviewing, slot};

/// The code of an answer that refuses.
#[track_caller]
pub(crate) fn code(refused: tests::Response) -> String {
    let code = refused.json()["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    refused.error(400);
    code
}

// proves K5, K6
#[tokio::test(start_paused = true)]
async fn invited_person_chooses_a_slot() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    assert_eq!(submission["interview"], json!(null));
    let there = Interviewing {
        recruitment,
        sue,
        submission,
    };
    let (own, recruitment) = (there.own(), &there.recruitment);
    let (soon, first) = (there.slot(slot(11)).await, there.slot(slot(30)).await);
    let mut other = slot(40);
    other["committee"] = recruitment.application["committees"][0]["id"].clone();
    let other = there.slot(other).await;
    let last = there.slot(slot(50)).await;
    // Nothing is there before the invitation.
    there.sue.get(&format!("{own}slots/")).await.error(404);
    there.book(first).await.error(404);
    there
        .sue
        .delete(&format!("{own}interview/"))
        .await
        .error(404);
    recruitment.officer.get(&there.path()).await.error(404);
    there.invite(&there.submission).await;
    let invited = json!({ "state": "invited", "slot": null, "changes_until": null });
    assert_eq!(there.interview().await, invited);
    let listed = there.sue.get(&format!("{own}slots/")).await.ok();
    let shown = |id: u64, start: i64| {
        json!({
            "id": id, "start_time": hours(start), "end_time": hours(start + 1),
            "location": "Room 1", "free": 1,
        })
    };
    assert_eq!(listed, json!([shown(first, 30), shown(last, 50)]));
    let booked = there.book(first).await.ok();
    let expected = json!({
        "state": "booked", "changes_until": hours(18),
        "slot": {
            "id": first, "start_time": hours(30), "end_time": hours(31), "location": "Room 1",
            "sequence": 1,
        },
    });
    assert_eq!(booked, expected);
    assert_eq!(there.interview().await, expected);
    assert_eq!(there.book(first).await.ok(), expected);
    let listed = there.sue.get(&format!("{own}slots/")).await.ok();
    assert_eq!(listed[0]["free"], 0);
    // Slots of another committee, and too late ones.
    there.book(other).await.invalid(&["slot"]);
    there.book(7).await.invalid(&["slot"]);
    assert_eq!(code(there.book(soon).await), "slot_closed");
    let moved = there.book(last).await.ok();
    assert_eq!(moved["slot"]["id"], last);
    assert_eq!(there.shown(first).await["booked"], 0);
    let seen = there.shown(last).await;
    assert_eq!(seen["bookings"][0]["user"]["username"], "sue");
    assert_eq!(seen["bookings"][0]["submission"], there.submission["id"]);
    there
        .sue
        .delete(&format!("{own}interview/"))
        .await
        .no_content();
    there
        .sue
        .delete(&format!("{own}interview/"))
        .await
        .no_content();
    assert_eq!(there.interview().await, invited);
    assert_eq!(there.shown(last).await["bookings"], json!([]));
    // Others do not see it.
    campus
        .as_("bob")
        .get(&format!("{own}slots/"))
        .await
        .error(404);
    campus
        .anonymous()
        .get(&format!("{own}slots/"))
        .await
        .error(401);
}

// proves K6
#[tokio::test(start_paused = true)]
async fn within_the_notice_nothing_changes() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(60)).await);
    there.book(first).await.ok();
    campus.advance(TimeDelta::hours(18));
    assert_eq!(code(there.book(second).await), "slot_closed");
    let cancelled = there
        .sue
        .delete(&format!("{}interview/", there.own()))
        .await;
    assert_eq!(code(cancelled), "slot_closed");
    let notice = json!({ "interview_notice_hours": 2 });
    there
        .recruitment
        .officer
        .patch(&there.recruitment.path, notice)
        .await
        .ok();
    assert_eq!(there.interview().await["changes_until"], hours(28));
    there.book(second).await.ok();
}

// proves H13, H29, K8
#[tokio::test(start_paused = true)]
async fn officers_change_the_interview_that_they_saw() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(60)).await);
    let officer = &there.recruitment.officer;
    let path = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&there.submission)
    );
    // What GET shows can be sent: a slot as an object.
    let slot = |id: u64| json!({ "slot": { "id": id, "location": "Room 1" } });
    officer.put(&path, slot(first)).await.ok();
    let before = officer.get(&path).await.header("etag").to_owned();
    officer.put(&path, slot(second)).await.ok();
    let now = officer.get(&path).await.header("etag").to_owned();
    let late = officer.clone().header("if-match", &before);
    late.put(&path, slot(first)).await.error(412);
    late.put(&path, json!({})).await.error(412);
    late.patch(&path, json!({ "attended": true }))
        .await
        .error(412);
    late.delete(&path).await.error(412);
    assert_eq!(officer.get(&path).await.header("etag"), now);
    let present = officer.clone().header("if-match", &now);
    present.patch(&path, json!({ "attended": true })).await.ok();
    present.delete(&path).await.error(412);
    let any = officer.clone().header("if-match", "\"*\"");
    any.delete(&path).await.error(412);
    officer
        .clone()
        .header("if-match", "*")
        .delete(&path)
        .await
        .no_content();
}

// proves K6
#[tokio::test(start_paused = true)]
async fn full_slot_is_refused() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    let bob = campus.as_("bob");
    let other = there.recruitment.submit(&bob).await;
    there.invite(&other).await;
    let path = format!("/api/submissions/{}/interview/", id(&other));
    let refused = bob.put(&path, json!({ "slot": slot })).await;
    assert_eq!(code(refused), "slot_full");
    let officers = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&other)
    );
    let refused = there
        .recruitment
        .officer
        .put(&officers, json!({ "slot": slot }))
        .await;
    assert_eq!(code(refused), "slot_full");
}

// proves K8
#[tokio::test(start_paused = true)]
async fn officers_book_without_an_invitation() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let there = Interviewing {
        recruitment,
        sue,
        submission,
    };
    let (officer, path) = (&there.recruitment.officer, there.path());
    let mut begun = slot(-1);
    begun["end_time"] = json!(hours(1));
    begun["committee"] = there.recruitment.application["committees"][0]["id"].clone();
    let begun = there.slot(begun).await;
    officer
        .patch(&path, json!({ "attended": true }))
        .await
        .error(400);
    officer.delete(&path).await.no_content();
    there.recruitment.decide(&there.submission, 4, "").await;
    let booked = officer.put(&path, json!({ "slot": begun })).await.ok();
    assert_eq!(
        (&booked["state"], &booked["attended"]),
        (&json!("booked"), &json!(null))
    );
    assert_eq!(officer.get(&path).await.ok(), booked);
    assert_eq!(there.interview().await["slot"]["id"], begun);
    let noted = officer.patch(&path, json!({ "attended": true })).await.ok();
    assert_eq!(noted["attended"], true);
    assert_eq!(there.interview().await.get("attended"), None);
    assert_eq!(there.shown(begun).await["bookings"][0]["attended"], true);
    let later = there.slot(slot(40)).await;
    let moved = officer.put(&path, json!({ "slot": later })).await.ok();
    assert_eq!(moved["attended"], json!(null));
    officer
        .patch(&path, json!({ "attended": false }))
        .await
        .ok();
    let cleared = officer.patch(&path, json!({ "attended": null })).await.ok();
    assert_eq!(cleared["attended"], json!(null));
    there.sue.get(&path).await.error(403);
    // Nobody handles an interview of their own.
    let own = there.recruitment.submit(officer).await;
    let own = format!(
        "{}submissions/{}/interview/",
        there.recruitment.path,
        id(&own)
    );
    officer.put(&own, json!({ "slot": later })).await.error(403);
    officer.get(&own).await.error(403);
    // What remains of an erased person does not change.
    there.recruitment.close().await;
    campus.erase(&there.sue).await;
    assert_eq!(
        code(officer.put(&path, json!({ "slot": later })).await),
        "erased"
    );
    assert_eq!(
        code(officer.patch(&path, json!({ "attended": true })).await),
        "erased"
    );
    assert_eq!(there.shown(later).await["booked"], 0);
}

// proves K12
#[tokio::test(start_paused = true)]
async fn lists_and_exports_know_interviews() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let recruitment = &there.recruitment;
    let bob = recruitment.submit(&campus.as_("bob")).await;
    let eve = recruitment.submit(&campus.as_("eve")).await;
    there.invite(&eve).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    let with = async |interview: &str| -> Vec<Value> {
        let path = format!("{}submissions/?interview={interview}", recruitment.path);
        let found = recruitment.officer.get(&path).await.ok();
        let found = found.as_array().cloned().unwrap_or_default();
        found.into_iter().map(|one| one["id"].clone()).collect()
    };
    let (sue, bob, eve) = (&there.submission["id"], &bob["id"], &eve["id"]);
    assert_eq!(with("none").await, std::slice::from_ref(bob));
    assert_eq!(with("invited").await, std::slice::from_ref(eve));
    assert_eq!(with("booked").await, std::slice::from_ref(sue));
    assert!(with("attended").await.is_empty() && with("missed").await.is_empty());
    recruitment
        .officer
        .patch(&there.path(), json!({ "attended": false }))
        .await
        .ok();
    assert_eq!(with("missed").await, std::slice::from_ref(sue));
    recruitment
        .officer
        .patch(&there.path(), json!({ "attended": true }))
        .await
        .ok();
    assert_eq!(
        (with("attended").await, with("booked").await),
        (vec![sue.clone()], vec![sue.clone()])
    );
    let wrong = format!("{}submissions/?interview=later", recruitment.path);
    recruitment
        .officer
        .get(&wrong)
        .await
        .invalid(&["interview"]);
    let csv = recruitment
        .officer
        .get(&format!("{}submissions/export/", recruitment.path))
        .await;
    let (text, start) = (csv.text(), hours(30));
    assert!(
        text.contains(",interview,") && text.matches(&start).count() == 1,
        "{text}"
    );
    let export = there.sue.get("/api/settings/export/").await;
    assert!(export.text().contains(&start) && !export.text().contains("attended"));
}

// proves K11
#[tokio::test(start_paused = true)]
async fn withdrawal_releases_booking_and_invitation() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    let again = there.recruitment.submit_again(&there.sue).await;
    assert_eq!(again["interview"]["state"], "booked");
    there.sue.delete(&there.own()).await.no_content();
    assert_eq!(there.shown(slot).await["booked"], 0);
    let fresh = there.recruitment.submit(&there.sue).await;
    assert_eq!(fresh["interview"], json!(null));
    there.book(slot).await.error(404);
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "Booking")
    );
}

// proves K11
#[tokio::test(start_paused = true)]
async fn erasure_releases_booking() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let slot = there.slot(slot(30)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 4, "").await;
    campus.erase(&there.sue).await;
    assert_eq!(there.shown(slot).await["booked"], 0);
    let path = format!("{}submissions/", there.recruitment.path);
    assert_eq!(
        there.recruitment.officer.get(&path).await.ok()[0]["interview"],
        json!(null)
    );
}

// proves K11
#[tokio::test(start_paused = true)]
async fn a_deleted_application_has_no_slots_and_no_bookings() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let person = id(&there.recruitment.officer.get("/api/settings/").await.ok());
    let mut body = slot(30);
    body["interviewers"] = json!([person]);
    body["note"] = json!("Tea.");
    let slot = there.slot(body).await;
    there.book(slot).await.ok();
    campus.ten_minutes().await;
    let forced = format!("{}?force=true", there.recruitment.path);
    there.recruitment.officer.delete(&forced).await.no_content();
    campus.deliver().await;
    let left = ["Slot", "SlotNote", "Booking", "OwnInterviews"];
    let stored = campus.stored();
    let found = stored
        .iter()
        .find(|item| left.iter().any(|kind| item["type"]["S"] == *kind));
    assert_eq!(found, None);
    let notified = campus
        .mails_but_welcomes()
        .into_iter()
        .filter(|mail| mail.to.starts_with("sue"));
    let subjects: Vec<String> = notified.map(|mail| mail.subject).collect();
    // The last of them tells that the application ended.
    let last = subjects.iter().rev().nth(1);
    assert!(
        last.is_some_and(|subject| subject.ends_with("is cancelled")),
        "{subjects:?}"
    );
}
