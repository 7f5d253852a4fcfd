//! Entries of calendars that change

use serde_json::json;
use tests::TestCampus;
use tests::fixtures::{hours, id};

use crate::interview_ends::numbers;
use crate::interview_mails::line;
use crate::own_calendar::{calendar, read};
use crate::slots::{Interviewing, slot};

// proves K10, V21
#[tokio::test(start_paused = true)]
async fn an_interview_has_the_number_of_its_last_mail() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let (first, second) = (there.slot(slot(30)).await, there.slot(slot(40)).await);
    let shown = async || {
        let text = read(&campus, &calendar(&there.sue).await).await;
        line(&text, "SEQUENCE:")
    };
    there.book(first).await.ok();
    campus.ten_minutes().await;
    let path = format!("{}slots/{first}/", there.recruitment.path);
    for room in ["Room 2", "Room 3"] {
        let location = json!({ "location": room });
        there.recruitment.officer.patch(&path, location).await.ok();
        campus.ten_minutes().await;
        let mailed = numbers(&campus).await;
        assert_eq!(
            shown().await,
            format!("SEQUENCE:{}", mailed.last().unwrap_or(&0))
        );
    }
    there.book(second).await.ok();
    campus.ten_minutes().await;
    let mailed = numbers(&campus).await;
    assert_eq!(
        shown().await,
        format!("SEQUENCE:{}", mailed.last().unwrap_or(&0))
    );
    assert_eq!(mailed.len(), 4);
}

// proves V21
#[tokio::test(start_paused = true)]
async fn a_deadline_is_in_it_a_year_before() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let follow = json!({ "club": "chess" });
    sue.post("/api/subscriptions/", follow).await.created();
    for (days, is_shown) in [(364, true), (367, false)] {
        let end = json!({
            "application_end_time": hours(days * 24),
            "result_release_time": hours(days * 24 + 1),
        });
        recruitment.officer.patch(&recruitment.path, end).await.ok();
        let text = read(&campus, &calendar(&sue).await).await;
        let uid = format!("UID:deadline-{}@clubs", id(&recruitment.application));
        assert_eq!(text.contains(&uid), is_shown, "{days}: {text}");
    }
}
