//! `/events.ics`, `/clubs/{club}/events.ics`

use chrono::TimeDelta;
use icalendar::{
    Calendar, CalendarDateTime, Component as _, DatePerhapsTime, Event, EventLike as _,
};
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};
use tests::start;

/// The entries of a calendar, read by a parser.
fn entries(text: &str) -> Vec<Event> {
    let calendar: Calendar = text
        .parse()
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    calendar.events().cloned().collect()
}

fn utc(hours: i64) -> DatePerhapsTime {
    DatePerhapsTime::DateTime(CalendarDateTime::Utc(start() + TimeDelta::hours(hours)))
}

/// A name with characters that a calendar escapes, in a line that it folds.
fn long_name() -> String {
    format!(
        "Ünïcode, semi;colons \\ and a long name: {}",
        "é".repeat(120)
    )
}

/// A campus whose club has an event with two showings, the first of which is long over, and an
/// event that is over. Returns the campus and the first event.
async fn campus_with_events() -> (TestCampus, Value) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    ada.post(
        "/api/clubs/",
        json!({ "name": "Chess; Go, and \\ friends", "code": "chess" }),
    )
    .await
    .created();
    let body = json!({
        "name": long_name(),
        "type": 2,
        "description": "<p>Line one</p><p>two; three, \\four</p>",
        "url": "https://x.example/",
        "showings": [
            {
                "start_time": hours(1),
                "end_time": hours(2),
                "location": "Main; hall, 2",
                "location_visible_to_public": true,
            },
            { "start_time": hours(-900), "end_time": hours(-900) },
        ],
    });
    let event = ada.post("/api/clubs/chess/events/", body).await.created();
    ada.post(
        "/api/clubs/chess/events/",
        json!({ "name": "over", "showings": [{ "start_time": hours(-3), "end_time": hours(-2) }] }),
    )
    .await
    .created();
    (campus, event)
}

// proves V18
#[tokio::test]
async fn a_calendar_is_text_that_every_program_reads() {
    let (campus, _) = campus_with_events().await;
    for path in ["/api/events.ics", "/api/clubs/chess/events.ics"] {
        let response = campus.anonymous().get(path).await;
        assert_eq!(
            response.header("content-type"),
            "text/calendar; charset=utf-8"
        );
        let text = response.text();
        assert!(
            text.split("\r\n")
                .all(|line| line.len() <= 75 && !line.contains('\n')),
            "{text}"
        );
        let calendar: Calendar = text.parse().expect("a calendar");
        let name_of_all = if path.contains("chess") {
            "Chess; Go, and \\ friends"
        } else {
            "Club events"
        };
        assert_eq!(calendar.property_value("X-WR-CALNAME"), Some(name_of_all));
    }
}

// proves V18
#[tokio::test]
async fn a_calendar_has_an_entry_a_showing() {
    let (campus, event) = campus_with_events().await;
    let name = long_name();
    for path in ["/api/events.ics", "/api/clubs/chess/events.ics"] {
        let text = campus.anonymous().get(path).await.text();
        let entries = entries(&text);
        assert_eq!(entries.len(), if path.contains("chess") { 3 } else { 1 });
        let of = |showing: &Value| {
            let uid = format!("showing-{}@clubs", id(showing));
            entries
                .iter()
                .find(|entry| entry.get_uid() == Some(&uid))
                .cloned()
                .expect("an entry")
        };
        let entry = of(&event["showings"][1]);
        assert_eq!(
            entry.get_summary(),
            Some(format!("{name} (Chess; Go, and \\ friends)").as_str())
        );
        assert_eq!(
            entry.get_description(),
            Some("Line one\n\ntwo; three, \\four")
        );
        assert_eq!(entry.get_location(), Some("Main; hall, 2"));
        assert_eq!(
            (entry.get_start(), entry.get_end(), entry.get_url()),
            (Some(utc(1)), Some(utc(2)), None)
        );
        assert_eq!(
            (entry.get_timestamp(), entry.get_sequence()),
            (Some(start()), Some(0))
        );
        if !path.contains("chess") {
            continue;
        }
        let moment = of(&event["showings"][0]);
        assert_eq!(
            (moment.get_start(), moment.get_end(), moment.get_location()),
            (Some(utc(-900)), None, None)
        );
    }
}

// proves V18
#[tokio::test]
async fn every_text_can_be_in_a_calendar() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    // A library folded these lines for ever.
    let locations = [
        format!("{}{}x", "😀".repeat(24), " ".repeat(120)),
        format!("{}{}x", "😀".repeat(24), "a ".repeat(60)),
        format!("{}{}x", "é".repeat(72), " ".repeat(73)),
    ];
    for (n, location) in locations.iter().enumerate() {
        let body = json!({ "name": location, "showings": [{
            "start_time": hours(1), "end_time": hours(2),
            "location": location, "location_visible_to_public": true,
        }] });
        ada.post("/api/clubs/chess/events/", body).await.created();
        let text = campus.anonymous().get("/api/events.ics").await.text();
        let entries = entries(&text);
        assert_eq!(entries.len(), n + 1);
        assert!(
            entries
                .iter()
                .any(|entry| entry.get_location() == Some(location))
        );
    }
}

// proves H28, V19
#[tokio::test]
async fn a_calendar_that_did_not_change_is_not_sent_again() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body =
        json!({ "name": "x", "showings": [{ "start_time": hours(9), "end_time": hours(9) }] });
    let event = ada.post("/api/clubs/chess/events/", body).await.created();
    let anybody = campus.anonymous();
    let path = "/api/clubs/chess/events.ics";
    let first = anybody.get(path).await;
    let tag = first.header("etag").to_owned();
    campus.advance(TimeDelta::hours(1));
    let again = anybody
        .clone()
        .header("if-none-match", tag.clone())
        .get(path)
        .await;
    assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
    let uid = entries(&first.text())[0].get_uid().map(str::to_owned);
    ada.patch(
        &format!("/api/clubs/chess/events/{}/", id(&event)),
        json!({ "name": "y" }),
    )
    .await
    .ok();
    let changed = anybody.clone().header("if-none-match", tag).get(path).await;
    assert_eq!(changed.status, 200);
    let entry = &entries(&changed.text())[0];
    assert_eq!(
        (entry.get_uid().map(str::to_owned), entry.get_sequence()),
        (uid, Some(1))
    );
    assert_eq!(entry.get_timestamp(), Some(start() + TimeDelta::hours(1)));
}

// proves V19
#[tokio::test]
async fn an_empty_calendar_is_a_calendar() {
    let campus = TestCampus::new();
    let text = campus.anonymous().get("/api/events.ics").await.text();
    assert!(
        text.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Clubs//Clubs//EN\r\n")
            && text.contains("BEGIN:VTIMEZONE\r\n")
            && text.ends_with("END:VCALENDAR\r\n"),
        "{text}"
    );
    assert_eq!(entries(&text).len(), 0);
    campus
        .anonymous()
        .get("/api/clubs/nothing/events.ics")
        .await
        .error(404);
}

// proves V20
#[tokio::test]
async fn a_description_is_shortened_to_its_first_2000_characters() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body = json!({
        "name": "x",
        "description": format!("<p>{}</p>", "é".repeat(2_500)),
        "showings": [{ "start_time": hours(1), "end_time": hours(2) }],
    });
    ada.post("/api/clubs/chess/events/", body).await.created();
    for path in ["/api/events.ics", "/api/clubs/chess/events.ics"] {
        let text = campus.anonymous().get(path).await.text();
        let entries = entries(&text);
        let length = entries[0]
            .get_description()
            .map(|text| text.chars().count());
        // The catalogue holds 2,000 characters of the HTML.
        assert!(
            length.is_some_and(|length| (1_990..=2_000).contains(&length)),
            "{length:?}"
        );
    }
    // The list of the club has the beginning, and the event itself the whole.
    let list = ada.get("/api/clubs/chess/events/").await.ok();
    assert!(
        list[0]["description"]
            .as_str()
            .is_some_and(|text| text.chars().count() < 2_050)
    );
    let path = format!("/api/clubs/chess/events/{}/", list[0]["id"]);
    let whole = ada.get(&path).await.ok();
    assert_eq!(
        whole["description"]
            .as_str()
            .map(|text| text.chars().count()),
        Some(2_507)
    );
    ada.patch(&path, json!({ "name": "y" })).await.ok();
    assert_eq!(
        ada.get(&path).await.ok()["description"],
        whole["description"]
    );
    ada.patch(&path, json!({ "description": "<p>Short.</p>" }))
        .await
        .ok();
    assert_eq!(ada.get(&path).await.ok()["description"], "<p>Short.</p>");
    assert!(
        !campus
            .stored()
            .iter()
            .any(|item| item["type"]["S"] == "EventText")
    );
    // Caches may keep what everybody sees.
    for path in ["/api/events.ics", "/api/clubs/chess/events.ics"] {
        let calendar = campus.anonymous().get(path).await;
        assert_eq!(calendar.header("cache-control"), "public, max-age=300");
        let calendar = ada.get(path).await;
        assert!(calendar.header("cache-control").starts_with("private"));
    }
}

// proves V18
#[tokio::test]
async fn an_event_and_a_showing_have_files_as_their_reader_may_see_them() {
    let (campus, event) = campus_with_events().await;
    let (event, first) = (id(&event), id(&event["showings"][1]));
    let ada = campus.as_("ada");
    let anybody = campus.anonymous();
    let whole = format!("/api/events/{event}.ics");
    let text = anybody.get(&whole).await.text();
    assert!(text.contains("LOCATION:Main\\; hall\\, 2"), "{text}");
    let body = json!({ "location": "Cellar", "location_visible_to_public": false });
    let showing = format!("/api/clubs/chess/events/{event}/showings/{first}/");
    ada.patch(&showing, body).await.ok();
    let one = format!("/api/events/{event}/showings/{first}.ics");
    let response = anybody.get(&whole).await;
    assert_eq!(
        response.header("content-type"),
        "text/calendar; charset=utf-8"
    );
    let uids = |text: &str| -> Vec<String> {
        let all = entries(text);
        all.iter()
            .filter_map(|entry| entry.get_uid().map(str::to_owned))
            .collect()
    };
    let text = response.text();
    let feed = anybody.get("/api/clubs/chess/events.ics").await.text();
    assert_eq!(uids(&text).len(), 2);
    assert!(uids(&text).iter().all(|uid| uids(&feed).contains(uid)));
    assert!(!text.contains("Cellar") && !text.contains("URL:https://x.example/"));
    let signed = campus.as_("sue").get(&one).await.text();
    assert_eq!(uids(&signed), [format!("showing-{first}@clubs")]);
    assert!(signed.contains("LOCATION:Cellar") && signed.contains("URL:https://x.example/"));
    let other = ada
        .post("/api/clubs/chess/events/", json!({ "name": "No time" }))
        .await;
    let other = id(&other.created());
    for path in [
        format!("/api/events/{other}.ics"),
        format!("/api/events/{event}/showings/{other}.ics"),
        format!("/api/events/{event}/showings/{first}"),
        "/api/events/x.ics".to_owned(),
        "/api/events/.ics".to_owned(),
        format!("/api/events/{event}.ics/"),
        format!("/api/events/{event}.ics/showings/"),
    ] {
        let status = anybody.get(&path).await.status;
        let is_showing = path.ends_with(&first.to_string());
        assert_eq!(status, if is_showing { 200 } else { 404 }, "{path}");
    }
}

// proves V20
#[tokio::test]
async fn the_calendar_of_a_club_costs_the_same_whatever_its_events_say() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body = json!({
        "name": "Long",
        "description": format!("<p>{}</p>", "x".repeat(29_000)),
        "showings": [{ "start_time": hours(1), "end_time": hours(2) }],
    });
    for _ in 0..20 {
        ada.post("/api/clubs/chess/events/", body.clone())
            .await
            .created();
    }
    let path = "/api/clubs/chess/events.ics";
    assert_eq!(
        entries(&campus.anonymous().get(path).await.text()).len(),
        20
    );
    campus.advance(TimeDelta::minutes(2));
    campus.anonymous().get(path).await;
    let usage = campus.anonymous().get(path).await.usage;
    assert!(usage.read_units <= 4.0, "{usage:?}");
    // What has ended more than a year ago is not in it any more.
    campus.advance(TimeDelta::days(368));
    let text = campus.anonymous().get(path).await.text();
    assert_eq!(entries(&text).len(), 0, "{text}");
}

// proves V20
#[tokio::test]
async fn large_calendar_has_soonest_showings_and_the_clubs_latest() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    // Each entry has about 3.5 KB, so 1,500 of them are more than 4.3 MB.
    let widest = "😀".repeat(255);
    let location = "😀".repeat(20);
    let description = "😀".repeat(500);
    for event in 0..15 {
        let showings: Vec<Value> = (0..100)
            .map(|n| {
                let start = 1 + event * 100 + n;
                json!({
                    "start_time": hours(start),
                    "end_time": hours(start + 1),
                    "location": location,
                    "location_visible_to_public": true,
                })
            })
            .collect();
        let body = json!({ "name": widest, "description": description, "showings": showings });
        ada.post("/api/clubs/chess/events/", body).await.created();
    }
    let starts = |hours: i64| {
        (start() + TimeDelta::hours(hours))
            .format("DTSTART:%Y%m%dT%H%M%SZ")
            .to_string()
    };
    for (path, there, missing) in [
        ("/api/events.ics", 1, 1_500),
        ("/api/clubs/chess/events.ics", 1_500, 1),
    ] {
        let response = campus.anonymous().get(path).await;
        assert_eq!(response.status, 200, "{path}");
        let text = response.text();
        assert!(text.contains(&starts(there)), "{path}");
        assert!(!text.contains(&starts(missing)), "{path}");
    }
}
