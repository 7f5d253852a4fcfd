//! Calendars of people with many interviews, and the times at which results are released

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{application, hours, id, moment};

use crate::audit::findings;
use crate::calendar_revisions::{Polled, three};

/// Moves the clock to a time of release. It is asked a minute before, because another day makes
/// another state, too.
async fn release(polled: &mut Polled<'_>, hours: i64) {
    let before = TimeDelta::hours(hours) - TimeDelta::minutes(1);
    polled.campus.advance(before);
    polled.news().await;
    assert_eq!(polled.news().await, None);
    polled.campus.advance(TimeDelta::minutes(2));
}

// proves V22, K9, S14
#[tokio::test(start_paused = true)]
async fn visible_rejection_changes_the_calendar() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let mut hers = Polled::new(&campus, &all[0].0.sue).await;
    let shown = |text: &str| text.matches("UID:interview-").count();
    let decide = async |n: usize, status| {
        let (there, _) = &all[n];
        there
            .recruitment
            .decide(&there.submission, status, "")
            .await;
    };
    // Nobody was told, so the entity tag does not tell either.
    for status in [4, 3, 2] {
        decide(0, status).await;
        campus.list_changes().await;
        assert_eq!(hers.news().await, None, "{status}");
    }
    release(&mut hers, 48).await;
    let text = hers.news().await.expect("the release has come");
    assert_eq!(shown(&text), 2);
    decide(1, 2).await;
    let text = hers.changed("rejected after the release").await;
    assert_eq!(shown(&text), 1);
    decide(1, 1).await;
    let text = hers.changed("taken back").await;
    assert_eq!(shown(&text), 2);
}

/// A time of release that was moved counts as it is now.
// proves V22, K9
#[tokio::test(start_paused = true)]
async fn a_moved_release_is_seen() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let mut hers = Polled::new(&campus, &all[0].0.sue).await;
    let (there, _) = &all[0];
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.list_changes().await;
    let sooner = json!({ "result_release_time": hours(30) });
    there
        .recruitment
        .officer
        .patch(&there.recruitment.path, sooner)
        .await
        .ok();
    campus.list_changes().await;
    assert_eq!(hers.news().await, None);
    release(&mut hers, 30).await;
    let text = hers.news().await.expect("the release has come");
    assert_eq!(text.matches("UID:interview-").count(), 2);
}

/// What an officer books after a release goes on, until the release is moved behind it.
// proves V22, K8, K9
#[tokio::test(start_paused = true)]
async fn booking_after_release_changes_the_calendar() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let mut hers = Polled::new(&campus, &all[0].0.sue).await;
    let (there, slot) = &all[0];
    there.recruitment.decide(&there.submission, 2, "").await;
    campus.list_changes().await;
    release(&mut hers, 48).await;
    let shown = |text: &str| text.matches("UID:interview-").count();
    assert_eq!(shown(&hers.news().await.expect("the release has come")), 2);
    there.assign(*slot).await.ok();
    assert_eq!(shown(&hers.changed("the same slot").await), 3);
    campus.advance(TimeDelta::minutes(30));
    let later = moment(campus.now_ms() - 60_000);
    let later = json!({ "result_release_time": later });
    there
        .recruitment
        .officer
        .patch(&there.recruitment.path, later)
        .await
        .ok();
    assert_eq!(shown(&hers.changed("a later release").await), 2);
}

/// A club that an earlier version has stored does not tell the times of release.
// proves V22, K9
#[tokio::test(start_paused = true)]
async fn items_of_an_earlier_version_are_read() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let (there, _) = &all[0];
    there.recruitment.decide(&there.submission, 2, "").await;
    for mut item in campus.stored() {
        let kind = item["type"]["S"].as_str().unwrap_or_default();
        let newer: &[&str] = match kind {
            "Club" => &["releases"],
            "Booking" => &["received"],
            _ => continue,
        };
        let attributes = item.as_object_mut().expect("an item");
        for name in newer {
            assert!(attributes.remove(*name).is_some(), "{name}");
        }
        let put = json!({ "TableName": "clubs", "Item": item });
        campus.campus.engine.json("PutItem", &put).expect("a table");
    }
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
    let mut hers = Polled::new(&campus, &there.sue).await;
    campus.advance(TimeDelta::hours(48));
    let text = hers.news().await.expect("a day has passed");
    assert_eq!(text.matches("UID:interview-").count(), 2);
    let name = json!({ "name": "Spring" });
    there
        .recruitment
        .officer
        .patch(&there.recruitment.path, name)
        .await
        .ok();
    let is_chess = |item: &&Value| item["type"]["S"] == "Club" && item["code"]["S"] == "chess";
    let stored = campus.stored();
    let club = stored.iter().find(is_chess).expect("a club");
    let release = &club["releases"]["M"][id(&there.recruitment.application).to_string()];
    assert!(release["S"].is_string(), "{club}");
}

// proves V22
#[tokio::test(start_paused = true)]
async fn a_club_keeps_the_next_times_of_release() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for n in 0..22 {
        let mut body = application(&format!("Later {n}"));
        body["result_release_time"] = json!(hours(1_000 - n));
        recruitment
            .officer
            .post("/api/clubs/chess/applications/", body)
            .await
            .created();
    }
    let stored = campus.stored();
    let club = stored.iter().find(|item| item["type"]["S"] == "Club");
    let releases = club.and_then(|club| club["releases"]["M"].as_object());
    let mut releases: Vec<&str> = releases
        .into_iter()
        .flat_map(|all| all.values().filter_map(|at| at["S"].as_str()))
        .collect();
    releases.sort_unstable();
    assert_eq!(releases.len(), 20);
    assert_eq!(releases.first(), Some(&&*hours(48)));
    assert_eq!(releases.last(), Some(&&*hours(997)));
}
