//! Reminders that wait for the mail worker while what they say changes

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::{Recruitment, hours};

use crate::notices::{draft, end_at, long_recruitment, notices};
use crate::slots::{Interviewing, slot};

/// Queues one reminder, which nobody sends yet.
async fn queue(campus: &TestCampus, after: i64) {
    campus.deliver().await;
    campus.advance(TimeDelta::hours(after));
    let worked = campus.campus.ticker.tick().await.expect("a table");
    assert_eq!(worked.mails, 1);
}

/// The texts of the reminders that are sent after this change.
async fn sent(campus: &TestCampus, hours: i64) -> Vec<String> {
    campus.advance(TimeDelta::hours(hours));
    campus.deliver().await;
    let texts = notices(campus).into_iter().map(|mail| mail.text);
    texts.collect()
}

/// An application with a draft whose reminder is queued.
async fn drafted(campus: &TestCampus) -> Recruitment {
    let recruitment = long_recruitment(campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    queue(campus, 71).await;
    recruitment
}

// proves G2
#[tokio::test]
async fn a_reminder_of_a_draft_says_the_end_of_now() {
    let campus = TestCampus::new();
    let recruitment = drafted(&campus).await;
    end_at(&recruitment, 140).await;
    let texts = sent(&campus, 30).await;
    assert_eq!(texts.len(), 1);
    // 2026-11-21 09:00 and 140 hours.
    let end = "27 November 2026, 05:00 (UTC)";
    assert!(texts[0].contains(end), "{}", texts[0]);

    let campus = TestCampus::new();
    let recruitment = drafted(&campus).await;
    let extension = json!({ "username": "sue", "end_time": hours(120) });
    let extensions = format!("{}extensions/", recruitment.path);
    recruitment
        .officer
        .post(&extensions, extension)
        .await
        .created();
    end_at(&recruitment, 72).await;
    let texts = sent(&campus, 2).await;
    assert_eq!(texts.len(), 1);
    let end = "26 November 2026, 09:00 (UTC)";
    assert!(texts[0].contains(end), "{}", texts[0]);
}

// proves G2
#[tokio::test]
async fn a_reminder_of_a_draft_that_helps_no_more_is_not_sent() {
    let changes = [
        json!({ "application_end_time": hours(72) }),
        json!({ "is_active": false }),
    ];
    for change in changes {
        let campus = TestCampus::new();
        let recruitment = drafted(&campus).await;
        recruitment
            .officer
            .patch(&recruitment.path, change)
            .await
            .ok();
        assert!(sent(&campus, 2).await.is_empty());
    }
    let campus = TestCampus::new();
    let recruitment = drafted(&campus).await;
    recruitment
        .officer
        .delete("/api/clubs/chess/")
        .await
        .no_content();
    assert!(sent(&campus, 2).await.is_empty(), "the club");
    let campus = TestCampus::new();
    let recruitment = drafted(&campus).await;
    let draft = format!("{}draft/", recruitment.path);
    campus.as_("sue").delete(&draft).await.no_content();
    assert!(sent(&campus, 2).await.is_empty(), "the draft");
}

/// Somebody who has booked a slot, and whose reminder is queued.
async fn booked(campus: &TestCampus, start: i64) -> (Interviewing, u64) {
    let there = Interviewing::new(campus).await;
    let slot = there.slot(slot(start)).await;
    there.book(slot).await.ok();
    queue(campus, start - 24).await;
    (there, slot)
}

// proves G2
#[tokio::test]
async fn interview_reminder_has_the_current_location() {
    let campus = TestCampus::new();
    let (there, slot) = booked(&campus, 30).await;
    // It begins at the same time, or there would be another reminder.
    let location = json!({ "location": "Room 2", "end_time": hours(32) });
    let path = format!("{}slots/{slot}/", there.recruitment.path);
    there.recruitment.officer.patch(&path, location).await.ok();
    let texts = sent(&campus, 1).await;
    assert_eq!(texts.len(), 1);
    // 2026-11-21 09:00 and 32 hours.
    let text = &texts[0];
    assert!(text.contains("Room 2") && text.contains("17:00"), "{text}");
}

// proves G2
#[tokio::test(start_paused = true)]
async fn a_reminder_of_an_interview_that_ended_is_not_sent() {
    // The results are released after 48 hours, and nobody looks.
    let campus = TestCampus::new();
    let (there, _) = booked(&campus, 70).await;
    there.recruitment.decide(&there.submission, 2, "").await;
    assert!(sent(&campus, 3).await.is_empty());

    let campus = TestCampus::new();
    let (there, _) = booked(&campus, 70).await;
    let officer = &there.recruitment.officer;
    officer.delete("/api/clubs/chess/").await.no_content();
    assert!(sent(&campus, 1).await.is_empty());
}
