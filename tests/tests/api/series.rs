//! Series of showings, and copies of events

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::suspended::Suspended;
use tests::{Client, Setup, TestCampus};

/// An event without showings.
struct Stage {
    campus: TestCampus,
    officer: Client,
    event: String,
}

impl Stage {
    async fn new() -> Self {
        let campus = Setup::default()
            .settings(|settings| settings.mail.time_zone = chrono_tz::Europe::Berlin)
            .build();
        Self::on(campus).await
    }

    async fn on(campus: TestCampus) -> Self {
        let officer = campus.as_("oscar");
        campus.club("chess", &officer).await;
        let event = json!({ "name": "Evening", "showings": [] });
        let event = officer
            .post("/api/clubs/chess/events/", event)
            .await
            .created();
        Self {
            event: format!("/api/clubs/chess/events/{}/", event["id"]),
            campus,
            officer,
        }
    }

    /// Sends a series that begins at this time and lasts two hours.
    async fn series(&self, start: &str, more: Value) -> tests::Response {
        // Ids of one millisecond follow each other.
        self.campus.advance(TimeDelta::seconds(1));
        let begin: chrono::DateTime<chrono::Utc> = start.parse().expect("a time");
        let mut body = json!({
            "start_time": start, "end_time": (begin + TimeDelta::hours(2)).to_rfc3339(),
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let path = format!("{}showings/series/", self.event);
        self.officer.post(&path, body).await
    }

    async fn starts(&self) -> Vec<String> {
        starts(
            &self
                .officer
                .get(&format!("{}showings/", self.event))
                .await
                .ok(),
        )
    }
}

fn starts(showings: &Value) -> Vec<String> {
    let all = showings.as_array().expect("a list");
    let start = |one: &Value| one["start_time"].as_str().unwrap_or_default().to_owned();
    all.iter().map(start).collect()
}

// proves V23
#[tokio::test]
async fn a_series_keeps_the_time_of_day_of_the_campus() {
    let stage = Stage::new().await;
    // Every Tuesday at 19:00 in Berlin, where summer time begins on March 28.
    let rule = json!({
        "rule": "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270413", "except": ["2027-04-06", "2027-04-07"],
        "ticket_types": [{ "name": "Seat", "capacity": 5 }],
        "ticket_drop_time": "2027-03-15T11:00:00Z",
    });
    let made = stage.series("2027-03-16T18:00:00Z", rule).await.created();
    let expected = [
        "2027-03-16T18:00:00Z",
        "2027-03-23T18:00:00Z",
        "2027-03-30T17:00:00Z",
        "2027-04-13T17:00:00Z",
    ];
    assert_eq!(starts(&made), expected);
    assert_eq!(stage.starts().await, expected);
    let last = &made[3];
    assert_eq!(last["end_time"], "2027-04-13T19:00:00Z");
    assert_eq!(last["ticket_drop_time"], "2027-04-12T10:00:00Z");
    assert_eq!(last["ticket_types"][0]["available"], 5);
    assert_ne!(
        last["ticket_types"][0]["id"],
        made[0]["ticket_types"][0]["id"]
    );
    // Each can be ordered.
    let path = format!("{}showings/{}/tickets/", stage.event, last["id"]);
    assert_eq!(stage.officer.get(&path).await.ok(), json!([]));
    // A time that the clocks skip moves forward.
    let daily = json!({ "rule": "FREQ=DAILY;COUNT=2" });
    let made = stage.series("2027-03-27T01:30:00Z", daily).await.created();
    assert_eq!(
        starts(&made),
        ["2027-03-27T01:30:00Z", "2027-03-28T01:30:00Z"]
    );
}

// proves V23
#[tokio::test]
async fn a_rule_is_read_and_fits_the_first_showing() {
    let stage = Stage::new().await;
    for rule in [
        "FREQ=WEEKLY;BYDAY=WE;COUNT=3",
        "FREQ=WEEKLY;BYDAY=TU",
        "FREQ=WEEKLY;BYDAY=TU;COUNT=3;UNTIL=20270501",
        "FREQ=YEARLY;COUNT=3",
        "FREQ=WEEKLY;BYSETPOS=1;BYDAY=TU;COUNT=3",
        "FREQ=WEEKLY;INTERVAL=0;COUNT=3",
        "FREQ=WEEKLY;BYDAY=2TU;COUNT=3",
        "FREQ=WEEKLY;COUNT=0",
        "FREQ=WEEKLY;COUNT=-1",
        "FREQ=MONTHLY;BYDAY=6TU;COUNT=2",
        "FREQ=WEEKLY;UNTIL=tomorrow",
        "BYDAY=TU;COUNT=3",
        "FREQ=WEEKLY;FREQ=DAILY;COUNT=3",
        "",
    ] {
        let refused = stage
            .series("2027-03-16T18:00:00Z", json!({ "rule": rule }))
            .await;
        refused.invalid(&["rule"]);
    }
    let except = json!({ "rule": "FREQ=DAILY;COUNT=1", "except": ["16.3.2027"] });
    let wrong = stage.series("2027-03-16T18:00:00Z", except).await;
    wrong.invalid(&["except.0"]);
    let except = json!({ "rule": "FREQ=DAILY;COUNT=1", "except": ["2027-03-16"] });
    let nothing = stage.series("2027-03-16T18:00:00Z", except).await;
    nothing.invalid(&["except"]);
    assert!(stage.starts().await.is_empty());
    // The end of a series is a day of the campus, or a moment; what is left out counts.
    for (rule, except, n) in [
        ("FREQ=DAILY;UNTIL=20270317", "2026-01-01", 2),
        ("FREQ=DAILY;UNTIL=20270317T175959Z", "2026-01-01", 1),
        ("FREQ=DAILY;UNTIL=20270317T180000Z", "2026-01-01", 2),
        ("FREQ=DAILY;COUNT=3", "2027-03-17", 2),
        ("FREQ=MONTHLY;INTERVAL=2;BYDAY=3TU;COUNT=3", "2026-01-01", 3),
    ] {
        let body = json!({ "rule": rule, "except": [except] });
        let made = stage.series("2027-03-16T18:00:00Z", body).await.created();
        assert_eq!(made.as_array().map(Vec::len), Some(n), "{rule}");
    }
}

// proves V23
#[tokio::test]
async fn a_series_is_whole_or_not_there() {
    let stage = Stage::new().await;
    let daily = |n: u32| json!({ "rule": format!("FREQ=DAILY;COUNT={n}") });
    let start = "2027-03-16T18:00:00Z";
    assert_eq!(stage.series(start, daily(101)).await.refused(), "quota");
    assert!(stage.starts().await.is_empty());
    let types = json!({
        "rule": "FREQ=DAILY;COUNT=99", "ticket_types": [{ "name": "Seat", "capacity": 5 }],
    });
    let made = stage.series(start, types).await.created();
    assert_eq!(made.as_array().map(Vec::len), Some(99));
    assert_eq!(made[98]["ticket_types"][0]["available"], 5);
    assert_eq!(stage.series(start, daily(2)).await.refused(), "quota");
    assert_eq!(stage.series(start, daily(1)).await.status, 201);
    assert_eq!(stage.starts().await.len(), 100);
}

// proves V23
#[tokio::test]
async fn a_series_that_was_interrupted_goes_on_with_its_key() {
    let (suspended, campus) = Suspended::campus();
    let stage = Stage::on(campus).await;
    let body = json!({
        "start_time": "2027-03-16T18:00:00Z", "end_time": "2027-03-16T19:00:00Z",
        "rule": "FREQ=DAILY;COUNT=3", "ticket_types": [{ "name": "Seat", "capacity": 5 }],
    });
    let path = format!("{}showings/series/", stage.event);
    let oscar = stage.campus.as_("oscar").header("Idempotency-Key", "once");
    suspended.stop_write("TicketSale");
    tokio::select! {
        _ = oscar.post(&path, body.clone()) => panic!("the request was not stopped"),
        () = suspended.stopped() => {}
    }
    stage.campus.advance(TimeDelta::minutes(2));
    let made = oscar.post(&path, body.clone()).await.created();
    assert_eq!(oscar.post(&path, body).await.created(), made);
    assert_eq!(stage.starts().await.len(), 3);
    for one in made.as_array().into_iter().flatten() {
        assert_eq!(one["ticket_types"][0]["available"], 5);
    }
}

// proves V24
#[tokio::test]
async fn a_copy_has_the_showings_and_types_but_no_tickets() {
    let stage = Stage::new().await;
    let rule = json!({
        "rule": "FREQ=WEEKLY;COUNT=2", "ticket_types": [{ "name": "Seat", "capacity": 5 }],
    });
    let made = stage.series("2027-03-16T18:00:00Z", rule).await.created();
    let ordered = json!({ "tickets": [{ "type": made[0]["ticket_types"][0]["id"], "count": 2 }] });
    let order = format!("{}showings/{}/tickets/", stage.event, made[0]["id"]);
    let order = order.replace("/clubs/chess", "");
    stage
        .campus
        .as_("ann")
        .post(&order, ordered)
        .await
        .created();
    let copy = format!("{}duplicate/", stage.event);
    let new = stage.officer.post(&copy, json!({})).await.created();
    assert_ne!(
        format!("/api/clubs/chess/events/{}/", new["id"]),
        stage.event
    );
    // Seven days later, over the beginning of summer time.
    assert_eq!(
        starts(&new["showings"]),
        ["2027-03-23T18:00:00Z", "2027-03-30T17:00:00Z"]
    );
    let list = format!("/api/clubs/chess/events/{}/showings/", id(&new));
    let copied = stage.officer.get(&list).await.ok();
    assert_eq!(copied[0]["ticket_types"][0]["taken"], 0);
    assert_eq!(copied[0]["ticket_types"][0]["name"], "Seat");
    let at = json!({ "start_time": "2027-05-01T10:15:00Z" });
    let new = stage.officer.post(&copy, at).await.created();
    assert_eq!(
        starts(&new["showings"]),
        ["2027-05-01T10:15:00Z", "2027-05-08T10:15:00Z"]
    );
    // What is over begins again on the first such day to come.
    stage.campus.advance(TimeDelta::days(200));
    let new = stage.officer.post(&copy, json!({})).await.created();
    let now = tests::start() + TimeDelta::days(200);
    let first: chrono::DateTime<chrono::Utc> = starts(&new["showings"])[0].parse().expect("a time");
    assert!(first > now && first <= now + TimeDelta::days(7), "{first}");
    let stranger = stage.campus.as_("sam");
    stranger.post(&copy, json!({})).await.error(403);
}
