//! Reminders and news after something was taken back: an extension, a new end, a hidden or archived
//! club, an application that was off for a while; and how many are queued at once

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

use crate::interview_late::failing;
use crate::news::{days, follower, notified, open};
use crate::notices::{advance, draft, end_at, long_recruitment, notices};
use crate::slots::{Interviewing, slot};

const CLUB: &str = "/api/clubs/chess/";

async fn set(person: &Client, path: &str, fields: Value) {
    person.patch(path, fields).await.ok();
}

/// The people who got reminders.
fn reminded(campus: &TestCampus) -> Vec<String> {
    let mails = notices(campus).into_iter();
    mails
        .map(|mail| mail.to.split('@').next().unwrap_or_default().to_owned())
        .collect()
}

// proves G2
#[tokio::test]
async fn lost_extension_reminds_like_everybody() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    draft(&recruitment, &campus.as_("bob"), "One", 0).await;
    let extensions = format!("{}extensions/", recruitment.path);
    let body = json!({ "username": "sue", "end_time": hours(190) });
    let extension = recruitment.officer.post(&extensions, body).await.created();
    // The others are reminded 24 hours before the end.
    advance(&campus, 72).await;
    assert_eq!(reminded(&campus), ["bob"]);
    let one = format!("{extensions}{}/", id(&extension));
    recruitment.officer.delete(&one).await.no_content();
    advance(&campus, 1).await;
    assert_eq!(reminded(&campus), ["bob", "sue"]);
}

// proves G2
#[tokio::test]
async fn draft_is_remembered_as_long_as_its_answers() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    let sue = campus.as_("sue");
    draft(&recruitment, &sue, "One", 0).await;
    let times = json!({
        "application_end_time": hours(24 * 60), "result_release_time": hours(24 * 61)
    });
    set(&recruitment.officer, &recruitment.path, times).await;
    draft(&recruitment, &sue, "Two", 1).await;
    let expiry = |kind: &str| {
        let items = campus.stored().into_iter();
        let all: Vec<Value> = items
            .filter(|item| item["type"]["S"] == kind)
            .map(|item| item["expires"].clone())
            .collect();
        all
    };
    assert_eq!(expiry("BegunDraft").len(), 1);
    assert_eq!(expiry("BegunDraft"), expiry("Draft"));
}

// proves G2
#[tokio::test]
async fn reminder_missed_while_inactive_follows_the_next_end() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    campus.deliver().await;
    campus.advance(TimeDelta::hours(72));
    let queued = campus.campus.ticker.tick().await.expect("a table");
    assert_eq!(queued.mails, 1);
    set(
        &recruitment.officer,
        &recruitment.path,
        json!({ "is_active": false }),
    )
    .await;
    campus.deliver().await;
    assert_eq!(reminded(&campus), [""; 0]);
    set(
        &recruitment.officer,
        &recruitment.path,
        json!({ "is_active": true }),
    )
    .await;
    end_at(&recruitment, 140).await;
    advance(&campus, 45).await;
    assert_eq!(reminded(&campus), ["sue"]);
}

// proves G2
#[tokio::test]
async fn a_club_that_comes_back_reminds_of_what_is_not_over() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    end_at(&there.recruitment, 95).await;
    let slot = there.slot(slot(95)).await;
    there.book(slot).await.ok();
    draft(&there.recruitment, &campus.as_("bob"), "One", 0).await;
    campus.deliver().await;
    let officer = &there.recruitment.officer;
    officer.delete(CLUB).await.no_content();
    advance(&campus, 72).await;
    assert_eq!(reminded(&campus), [""; 0]);
    set(&campus.admin(), CLUB, json!({ "archived": false })).await;
    advance(&campus, 2).await;
    // The interview was cancelled with the club.
    assert_eq!(reminded(&campus), ["bob"]);
}

// proves G3
#[tokio::test]
async fn news_is_not_repeated_after_hiding_the_club() {
    let campus = TestCampus::new();
    let (ada, _) = follower(&campus).await;
    open(&ada, "Autumn", 2, 2_000).await;
    days(&campus, 2).await;
    assert_eq!(notified(&campus, &["Autumn"]), ["Autumn"]);
    set(&campus.admin(), CLUB, json!({ "approved": false })).await;
    open(&ada, "Winter", 24 * 3, 2_000).await;
    days(&campus, 7).await;
    assert_eq!(notified(&campus, &["Autumn"]).len(), 1);
    set(&campus.admin(), CLUB, json!({ "approved": true })).await;
    days(&campus, 7).await;
    let words = ["Autumn", "Winter"];
    assert_eq!(notified(&campus, &words), ["Autumn", "Winter"]);
}

// proves G5, P17
#[tokio::test(start_paused = true)]
async fn late_reminder_is_not_queued_for_erased_person() {
    let is_next = Arc::new(AtomicBool::new(false));
    let next = is_next.clone();
    let hook = move |operation: &str, body: &[u8]| {
        let is_reminder = operation == "TransactWriteItems"
            && String::from_utf8_lossy(body).contains("planted@")
            && next.swap(false, Ordering::SeqCst);
        Box::pin(async move {
            if is_reminder {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
            None
        }) as _
    };
    let campus = Setup::default().table(Arc::new(hook)).build();
    let recruitment = long_recruitment(&campus).await;
    let sue = campus.client(&json!({ "email": "planted@uni.example" }), "planted");
    draft(&recruitment, &sue, "One", 0).await;
    campus.deliver().await;
    campus.advance(TimeDelta::hours(72));
    is_next.store(true, Ordering::SeqCst);
    let (worked, erased) = futures::join!(campus.campus.ticker.tick(), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        sue.delete("/api/settings/").await
    });
    erased.accepted();
    campus.finish_erasures().await;
    assert!(!is_next.load(Ordering::SeqCst), "the reminder was late");
    assert_eq!(worked.expect("a table").mails, 0);
    assert_eq!(crate::erasure::planted(&campus), [""; 0]);
}

// proves G5
#[tokio::test]
async fn the_clock_moves_on_although_a_run_fails() {
    let (campus, fails) = failing("Query");
    let recruitment = long_recruitment(&campus).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    let before = campus.now_ms();
    fails.store(true, Ordering::SeqCst);
    let ticker = &campus.campus.ticker;
    assert!(ticker.advance(TimeDelta::hours(80)).await.is_err());
    assert_eq!(campus.now_ms() - before, 80 * 3_600_000);
    fails.store(false, Ordering::SeqCst);
    advance(&campus, 1).await;
    assert_eq!(reminded(&campus), ["sue"]);
}

// proves G2
#[tokio::test]
async fn late_opened_application_reminds_after_half_the_remaining_time() {
    let campus = TestCampus::new();
    let recruitment = long_recruitment(&campus).await;
    // Its start is long over, and it is off until 20 hours before its end.
    let off = json!({ "is_active": false, "application_start_time": hours(-240) });
    set(&recruitment.officer, &recruitment.path, off).await;
    end_at(&recruitment, 21).await;
    advance(&campus, 1).await;
    let on = json!({ "is_active": true });
    set(&recruitment.officer, &recruitment.path, on).await;
    advance(&campus, 1).await;
    draft(&recruitment, &campus.as_("sue"), "One", 0).await;
    advance(&campus, 8).await;
    assert_eq!(reminded(&campus), [""; 0]);
    advance(&campus, 2).await;
    assert_eq!(reminded(&campus), ["sue"]);
}
