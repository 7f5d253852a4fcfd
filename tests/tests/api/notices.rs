//! Reminders of drafts and of interviews, and the settings that end them

use chrono::TimeDelta;
use local::mailbox::KeptMail;
use serde_json::{Value, json};
use shared::settings::Approval;
use tests::fixtures::{Recruitment, hours, id};
use tests::{Client, Setup, TestCampus};

use crate::slots::{Interviewing, slot};

/// The reminders and news so far.
pub(crate) fn notices(campus: &TestCampus) -> Vec<KeptMail> {
    let mut mails = campus.mails();
    mails.retain(|mail| mail.headers.contains_key("List-Unsubscribe"));
    mails
}

pub(crate) async fn advance(campus: &TestCampus, hours: i64) {
    campus.advance(TimeDelta::hours(hours));
    campus.tick().await;
}

/// A club with an application that is open for four days.
pub(crate) async fn long_recruitment(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    end_at(&recruitment, 95).await;
    recruitment
}

pub(crate) async fn end_at(recruitment: &Recruitment, end: i64) {
    let times = json!({
        "application_end_time": hours(end), "result_release_time": hours(200)
    });
    recruitment
        .officer
        .patch(&recruitment.path, times)
        .await
        .ok();
}

pub(crate) async fn draft(recruitment: &Recruitment, person: &Client, text: &str, version: u64) {
    let answer = json!({ "question": recruitment.question, "text": text, "version": version });
    let body = json!({ "responses": [answer] });
    person
        .patch(&format!("{}draft/", recruitment.path), body)
        .await
        .ok();
}

// proves G1
#[tokio::test]
async fn people_choose_their_notices() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let first = sue.get("/api/settings/").await.ok();
    let usual = json!({ "drafts": true, "events": true, "interviews": true, "news": "off" });
    assert_eq!(first["notices"], usual);
    let off = json!({ "notices": { "drafts": false } });
    let merged = sue.patch("/api/settings/", off).await.ok();
    let expected = json!({ "drafts": false, "events": true, "interviews": true, "news": "off" });
    assert_eq!(merged["notices"], expected);
    let mut whole = merged.clone();
    if let Some(fields) = whole.as_object_mut() {
        fields.remove("notices");
    }
    let replaced = sue.put("/api/settings/", whole).await.ok();
    assert_eq!(replaced["notices"], expected, "PUT may leave them out");
    let weekly = json!({ "notices": { "news": "weekly" } });
    let merged = sue.patch("/api/settings/", weekly).await.ok();
    assert_eq!(merged["notices"]["news"], "weekly");
    let daily = json!({ "notices": { "news": "daily" } });
    let wrong = sue.patch("/api/settings/", daily).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("notices"), "{}", wrong.text());
    let null = json!({ "notices": { "drafts": null } });
    let wrong = sue.patch("/api/settings/", null).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("notices"), "{}", wrong.text());
    assert_eq!(sue.get("/api/settings/").await.ok(), merged);
}

// proves G2
#[tokio::test]
async fn a_draft_is_reminded_of_once_24_hours_before_the_end() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    draft(&recruitment, &sue, "One", 0).await;
    advance(&campus, 70).await;
    assert_eq!(notices(&campus).len(), 0, "25 hours before the end");
    advance(&campus, 1).await;
    let [mail] = &notices(&campus)[..] else {
        panic!("one reminder: {:?}", campus.mails())
    };
    assert!(mail.to.starts_with("sue"), "{}", mail.to);
    assert!(mail.subject.contains("chess"), "{}", mail.subject);
    // 2026-11-21 09:00 and 95 hours.
    let end = "25 November 2026, 08:00 (UTC)";
    let link = format!(
        "http://127.0.0.1:8000/clubs/chess/apply/{}/?committee=none",
        id(&recruitment.application)
    );
    for text in [&mail.html, &mail.text] {
        assert!(text.contains(end), "{text}");
        assert!(text.contains(&link), "{text}");
    }
    // Who begins now knows the end.
    draft(&recruitment, &bob, "One", 0).await;
    // A later end causes no second one.
    end_at(&recruitment, 140).await;
    draft(&recruitment, &sue, "Two", 1).await;
    advance(&campus, 45).await;
    let to: Vec<String> = notices(&campus).into_iter().map(|mail| mail.to).collect();
    assert_eq!(to.len(), 2, "bob began before the new time: {to:?}");
    assert!(to[1].starts_with("bob"), "{to:?}");
    advance(&campus, 1).await;
    assert_eq!(notices(&campus).len(), 2);
}

// proves G2
#[tokio::test]
async fn short_application_reminds_after_half_its_time() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    // It is open for 25 hours, of which one has passed.
    advance(&campus, 11).await;
    assert_eq!(notices(&campus).len(), 0);
    draft(&recruitment, &campus.as_("bob"), "One", 0).await;
    advance(&campus, 1).await;
    assert_eq!(notices(&campus).len(), 2);
}

// proves G2
#[tokio::test(start_paused = true)]
async fn no_reminder_of_past_or_unwanted_things() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    let (done, off, deleted) = (campus.as_("done"), campus.as_("off"), campus.as_("gone"));
    let removed = campus.as_("removed");
    for person in [&done, &off, &deleted, &removed] {
        draft(&recruitment, person, "One", 0).await;
    }
    recruitment.submit(&done).await;
    let setting = json!({ "notices": { "drafts": false } });
    off.patch("/api/settings/", setting).await.ok();
    removed
        .delete(&format!("{}draft/", recruitment.path))
        .await
        .no_content();
    campus.erase(&deleted).await;
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| { item["type"]["S"] == "BegunDraft" && item["person"].is_null() })
    );
    advance(&campus, 71).await;
    assert_eq!(notices(&campus).len(), 0);
}

// proves G2
#[tokio::test]
async fn inactive_or_archived_application_reminds_nobody() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    let active = |is_active: bool| json!({ "is_active": is_active });
    recruitment
        .officer
        .patch(&recruitment.path, active(false))
        .await
        .ok();
    advance(&campus, 72).await;
    assert_eq!(notices(&campus).len(), 0);
    // Switched on again, it still helps.
    recruitment
        .officer
        .patch(&recruitment.path, active(true))
        .await
        .ok();
    campus.tick().await;
    assert_eq!(notices(&campus).len(), 1);

    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    recruitment
        .officer
        .delete("/api/clubs/chess/")
        .await
        .no_content();
    advance(&campus, 72).await;
    assert_eq!(notices(&campus).len(), 0);

    // Nobody could open the form of a club that is not approved.
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let recruitment = long_recruitment(&campus).await;
    let approved = |is_approved: bool| json!({ "approved": is_approved });
    let admin = campus.admin();
    admin.patch("/api/clubs/chess/", approved(true)).await.ok();
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    admin.patch("/api/clubs/chess/", approved(false)).await.ok();
    advance(&campus, 72).await;
    assert_eq!(notices(&campus).len(), 0);
    admin.patch("/api/clubs/chess/", approved(true)).await.ok();
    advance(&campus, 1).await;
    assert_eq!(notices(&campus).len(), 1);
}

// proves G2
#[tokio::test]
async fn an_extension_has_a_reminder_of_its_own() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    draft(&recruitment, &sue, "One", 0).await;
    draft(&recruitment, &bob, "One", 0).await;
    let extension = json!({ "username": "sue", "end_time": hours(120) });
    let extensions = format!("{}extensions/", recruitment.path);
    let extension = recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    advance(&campus, 71).await;
    assert_eq!(notices(&campus).len(), 1);
    assert!(notices(&campus)[0].to.starts_with("bob"));
    let path = format!("{extensions}{}/", id(&extension));
    let later = json!({ "end_time": hours(122) });
    recruitment.officer.patch(&path, later).await.ok();
    advance(&campus, 26).await;
    assert_eq!(notices(&campus).len(), 1, "25 hours before her end");
    advance(&campus, 1).await;
    let [_, mail] = &notices(&campus)[..] else {
        panic!("two reminders")
    };
    assert!(mail.to.starts_with("sue"));
    assert!(
        mail.text.contains("26 November 2026, 11:00"),
        "{}",
        mail.text
    );
}

// proves G2
#[tokio::test(start_paused = true)]
async fn an_interview_is_reminded_of_once_for_each_time() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(60)).await);
    there.book(first).await.ok();
    advance(&campus, 5).await;
    assert_eq!(notices(&campus).len(), 0);
    advance(&campus, 1).await;
    let [mail] = &notices(&campus)[..] else {
        panic!("one reminder")
    };
    for text in [&mail.html, &mail.text] {
        assert!(text.contains("15:00") && text.contains("Room 1"), "{text}");
    }
    let location = json!({ "location": "Room 2" });
    let path = format!("{}slots/{first}/", there.recruitment.path);
    there.recruitment.officer.patch(&path, location).await.ok();
    advance(&campus, 0).await;
    assert_eq!(notices(&campus).len(), 1, "a new place");
    there.assign(second).await.ok();
    advance(&campus, 30).await;
    assert_eq!(notices(&campus).len(), 2, "a new time");
    let later = json!({ "start_time": hours(62), "end_time": hours(63) });
    let path = format!("{}slots/{second}/", there.recruitment.path);
    there.recruitment.officer.patch(&path, later).await.ok();
    advance(&campus, 3).await;
    assert_eq!(notices(&campus).len(), 3, "another time of the slot");
    advance(&campus, 30).await;
    assert_eq!(notices(&campus).len(), 3);
}

// proves G2
#[tokio::test(start_paused = true)]
async fn late_or_past_booking_reminds_nobody() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let late = there.slot(slot(23)).await;
    there.book(late).await.ok();
    campus.tick().await;
    advance(&campus, 1).await;
    assert_eq!(notices(&campus).len(), 0, "booked 23 hours before");
    let cancelled = there.slot(slot(50)).await;
    there.book(cancelled).await.ok();
    let own = format!("{}interview/", there.own());
    there.sue.delete(&own).await.no_content();
    advance(&campus, 26).await;
    assert_eq!(notices(&campus).len(), 0, "cancelled");
    // Another hour: the reminder is queued, and the interview is cancelled before it is sent.
    let third = there.slot(slot(60)).await;
    there.book(third).await.ok();
    campus.deliver().await;
    campus.advance(TimeDelta::hours(10));
    let worked = campus.campus.ticker.tick().await.expect("a table");
    assert_eq!(worked.mails, 1);
    there
        .recruitment
        .officer
        .delete(&there.path())
        .await
        .no_content();
    campus.deliver().await;
    assert_eq!(notices(&campus).len(), 0, "cancelled before it was sent");
}

// proves G2
#[tokio::test]
async fn visible_rejection_stops_the_reminder() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    // The results are released after 48 hours.
    let slot = there.slot(slot(80)).await;
    there.book(slot).await.ok();
    there.recruitment.decide(&there.submission, 2, "").await;
    advance(&campus, 56).await;
    assert_eq!(notices(&campus).len(), 0);
}

// proves G2
#[tokio::test(start_paused = true)]
async fn a_notice_that_waited_is_sent_only_if_it_is_still_right() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    let (done, off, deleted) = (campus.as_("done"), campus.as_("off"), campus.as_("gone"));
    for person in [&done, &off, &deleted] {
        draft(&recruitment, person, "One", 0).await;
    }
    let late = campus.as_("late");
    draft(&recruitment, &late, "One", 0).await;
    campus.deliver().await;
    campus.advance(TimeDelta::hours(71));
    let worked = campus.campus.ticker.tick().await.expect("a table");
    assert_eq!(worked.mails, 4);
    recruitment.submit(&done).await;
    let setting = json!({ "notices": { "drafts": false } });
    off.patch("/api/settings/", setting).await.ok();
    campus.erase(&deleted).await;
    // Nobody sent mails for a day.
    campus.advance(TimeDelta::hours(25));
    campus.deliver().await;
    assert_eq!(notices(&campus).len(), 0);
    let states: Vec<Value> = campus.stored();
    let states = states
        .iter()
        .filter(|item| item["kind"]["S"] == "draft_reminder");
    assert!(
        states
            .into_iter()
            .all(|mail| mail["status"]["S"] != "queued")
    );
}

/// How many are reminded if Sue's draft has an extension, and the application is off until so many
/// hours have passed: at once, and an hour later.
async fn reminded_when_on_again(extended_to: i64, off_for: i64) -> (usize, usize) {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    let extension = json!({ "username": "sue", "end_time": hours(extended_to) });
    let extensions = format!("{}extensions/", recruitment.path);
    recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    let active = |is_active: bool| json!({ "is_active": is_active });
    recruitment
        .officer
        .patch(&recruitment.path, active(false))
        .await
        .ok();
    advance(&campus, off_for).await;
    assert_eq!(notices(&campus).len(), 0);
    recruitment
        .officer
        .patch(&recruitment.path, active(true))
        .await
        .ok();
    campus.tick().await;
    let at_once = notices(&campus).len();
    advance(&campus, 1).await;
    (at_once, notices(&campus).len())
}

// proves G2
#[tokio::test]
async fn reactivated_application_reminds_extensions_too() {
    assert_eq!(reminded_when_on_again(98, 76).await, (1, 1));
    // The application itself ended after 95 hours.
    assert_eq!(reminded_when_on_again(120, 97).await, (0, 1));
}
