//! `/events/`, `/events/{event}/`, `/clubs/{club}/events/…`
//!
//! Proves H5, H12, H13, H14, H15, H16, H17, H18, H20, H21, P2, C6, V1, V6, V7, V8, V9, V10, V17,
//! V18, V19, X7.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::images::form;
use tests::{Client, Setup, TestCampus};

pub const CHESS: &str = "/api/clubs/chess/events/";

/// A showing from `start` to `end`, in hours after the start of the test.
pub fn showing(start: i64, end: i64) -> Value {
    json!({ "start_time": hours(start), "end_time": hours(end) })
}

/// A campus with the chess club, and Ada, its owner.
pub async fn chess() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

/// Creates an event of the chess club.
pub async fn event(client: &Client, name: &str, showings: &[Value]) -> Value {
    client
        .post(CHESS, json!({ "name": name, "showings": showings }))
        .await
        .created()
}

/// The names of the events in the list across clubs.
pub async fn names(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/events/{query}")).await.ok();
    let results = list["results"].as_array().cloned().unwrap_or_default();
    assert_eq!(list["count"], results.len());
    results
        .iter()
        .filter_map(|event| event["name"].as_str().map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn an_event_is_created_with_its_showings_read_changed_and_deleted() {
    let (campus, ada) = chess().await;
    let body = json!({
        "name": " Open evening ",
        "description": "<p onclick='x()'>Come<script>x</script> and see.</p>",
        "type": 5,
        "url": "https://meet.example/1",
        "pinned": true,
        "id": 7,
        "showings": [
            {
                "start_time": "2026-11-22T20:00:00+01:00",
                "end_time": hours(40),
                "location": "Hall",
                "ticket_drop_time": hours(1),
                "ticket_order_limit": 2,
            },
            showing(5, 6),
        ],
    });
    let answer = ada.post(CHESS, body).await;
    let location = answer.header("location").to_owned();
    let event = answer.created();
    assert_eq!(location, format!("{CHESS}{}/", id(&event)));
    let first = json!({
        "id": event["showings"][0]["id"],
        "start_time": hours(5),
        "end_time": hours(6),
        "location": null,
        "location_visible_to_public": false,
        "ticketed": false,
        "ticket_drop_time": null,
        "ticket_order_limit": 10,
    });
    let second = json!({
        "id": event["showings"][1]["id"],
        "start_time": "2026-11-22T19:00:00Z",
        "end_time": hours(40),
        "location": "Hall",
        "location_visible_to_public": false,
        "ticketed": true,
        "ticket_drop_time": hours(1),
        "ticket_order_limit": 2,
    });
    assert_eq!(
        event,
        json!({
            "id": event["id"],
            "name": "Open evening",
            "description": "<p>Come and see.</p>",
            "club": "chess",
            "club_name": "chess",
            "type": 5,
            "url": "https://meet.example/1",
            "image_url": null,
            "large_image_url": null,
            "ticketed": true,
            "pinned": false,
            "showings": [first, second],
            "earliest_start_time": hours(5),
            "latest_start_time": "2026-11-22T19:00:00Z",
            "earliest_end_time": hours(6),
            "latest_end_time": hours(40),
            "badges": [],
            "created_at": hours(0),
            "updated_at": hours(0),
        })
    );
    assert_eq!(ada.get(&location).await.ok(), event);
    assert_eq!(ada.get(CHESS).await.ok(), json!([event]));
    let global = format!("/api/events/{}/", id(&event));
    assert_eq!(ada.get(&global).await.ok(), event);
    campus.advance(TimeDelta::minutes(1));
    let changed = ada
        .patch(
            &location,
            json!({ "name": "Night", "showings": [], "pinned": true }),
        )
        .await
        .ok();
    assert_eq!(
        (&changed["name"], &changed["showings"], &changed["pinned"]),
        (&json!("Night"), &event["showings"], &json!(false))
    );
    assert_ne!(changed["updated_at"], event["updated_at"]);
    assert_eq!(
        campus
            .admin()
            .patch(&location, json!({ "pinned": true }))
            .await
            .ok()["pinned"],
        true
    );
    ada.put(&location, json!({ "name": "x" }))
        .await
        .invalid(&["description", "type", "url"]);
    let put = ada
        .put(
            &location,
            json!({ "name": "x", "description": "", "type": 0, "url": null }),
        )
        .await
        .ok();
    assert_eq!(
        (&put["url"], &put["pinned"], &put["showings"]),
        (&Value::Null, &json!(true), &event["showings"])
    );
    ada.delete(&location).await.no_content();
    for path in [&location, &global, &format!("{global}showings/")] {
        ada.get(path).await.error(404);
    }
    assert_eq!(names(&ada, "").await, [""; 0]);
    assert!(!campus.stored().iter().any(|item| {
        item["type"]["S"]
            .as_str()
            .is_some_and(|kind| kind.starts_with("Event"))
    }));
}

#[tokio::test]
async fn wrong_events_are_named() {
    let (_campus, ada) = chess().await;
    for (body, fields) in [
        (json!({}), vec!["name"]),
        (
            json!({ "name": " ", "type": 7, "url": "javascript:x", "description": 1 }),
            vec!["description", "name", "type", "url"],
        ),
        (
            json!({ "name": "x", "image": "https://x.example/i.png" }),
            vec!["image"],
        ),
        (
            json!({ "name": "x", "showings": [showing(1, 2), showing(2, 1), {}] }),
            vec![
                "showings.1.end_time",
                "showings.2.end_time",
                "showings.2.start_time",
            ],
        ),
        (
            json!({ "name": "x", "showings": vec![showing(1, 2); 101] }),
            vec!["showings"],
        ),
        (json!({ "name": "x", "showings": 7 }), vec!["showings"]),
    ] {
        ada.post(CHESS, body).await.invalid(&fields);
    }
    assert_eq!(ada.get(CHESS).await.ok(), json!([]));
    assert_eq!(
        ada.post(
            CHESS,
            json!({ "name": "x", "showings": vec![showing(1, 2); 100] })
        )
        .await
        .created()["showings"]
            .as_array()
            .map(Vec::len),
        Some(100)
    );
}

#[tokio::test]
async fn forms_say_what_json_says() {
    let (_campus, ada) = chess().await;
    let showings = json!([showing(1, 2)]).to_string();
    let (content_type, body) = form(&[
        ("name", b"7"),
        ("type", b"3"),
        ("url", b""),
        ("showings", showings.as_bytes()),
        ("image", b""),
    ]);
    let event = ada
        .raw(Method::POST, CHESS, Some(&content_type), body)
        .await
        .created();
    assert_eq!(
        (&event["name"], &event["type"], &event["url"]),
        (&json!("7"), &json!(3), &Value::Null)
    );
    assert_eq!(event["earliest_start_time"], hours(1));
    let path = format!("{CHESS}{}/", id(&event));
    for name in [
        "1e5",
        "12345678901234567890123",
        "[ 1 ]",
        "{\"b\":1,\"a\":2}",
        "true",
        "null",
    ] {
        let (content_type, body) = form(&[("name", name.as_bytes())]);
        assert_eq!(
            ada.raw(Method::PATCH, &path, Some(&content_type), body)
                .await
                .ok()["name"],
            name
        );
    }
    let (content_type, body) = form(&[("description", "<b>ü</b>".as_bytes())]);
    assert_eq!(
        ada.raw(Method::PATCH, &path, Some(&content_type), body)
            .await
            .ok()["description"],
        "<b>ü</b>"
    );
    let (content_type, body) = form(&[("type", b"nine")]);
    ada.raw(Method::PATCH, &path, Some(&content_type), body)
        .await
        .invalid(&["type"]);
    let (content_type, body) = form(&[("name", &[0xff, 0xfe])]);
    ada.raw(Method::PATCH, &path, Some(&content_type), body)
        .await
        .invalid(&["name"]);
    ada.raw(
        Method::PATCH,
        &path,
        Some("multipart/form-data; boundary=x"),
        "nonsense",
    )
    .await
    .error(400);
    ada.raw(
        Method::PATCH,
        &path,
        Some("multipart/form-data"),
        "nonsense",
    )
    .await
    .error(400);
    ada.raw(Method::PATCH, &path, Some("text/plain"), "nonsense")
        .await
        .error(415);
}

#[tokio::test]
async fn places_and_links_are_for_who_is_signed_in() {
    let (campus, ada) = chess().await;
    let body = json!({
        "name": "x",
        "url": "https://planted.example/link",
        "showings": [
            { "start_time": hours(1), "end_time": hours(2), "location": "Planted room" },
            {
                "start_time": hours(3),
                "end_time": hours(4),
                "location": "Public square",
                "location_visible_to_public": true,
            },
        ],
    });
    let event = ada.post(CHESS, body).await.created();
    let one = format!("/api/events/{}/", id(&event));
    let hidden = format!("{one}showings/{}/", id(&event["showings"][0]));
    let anybody = campus.anonymous();
    let (list, showings) = ("/api/events/".to_owned(), format!("{one}showings/"));
    for path in [
        &list,
        &one,
        &showings,
        &hidden,
        &"/api/events.ics".to_owned(),
        &"/api/clubs/chess/events.ics".to_owned(),
    ] {
        let text = anybody.get(path).await.text();
        assert!(!text.to_lowercase().contains("planted"), "{path}: {text}");
        assert!(
            text.contains("Public square") || *path == hidden,
            "{path}: {text}"
        );
        if path.ends_with("ics") {
            for client in [&ada, &campus.admin()] {
                assert!(
                    !client.get(path).await.text().contains("lanted"),
                    "a calendar is the same for everybody"
                );
            }
        } else {
            let told = campus.as_("bob").get(path).await.text();
            assert!(told.contains("Planted room"), "{path}: {told}");
            assert!(
                !told.contains("\"ticket_order_limit\":10"),
                "for officers: {told}"
            );
        }
    }
    assert_eq!(ada.get(&hidden).await.ok()["ticket_order_limit"], 10);
    anybody.get(CHESS).await.error(401);
    anybody
        .get(&format!("{CHESS}{}/showings/", id(&event)))
        .await
        .error(401);
}

#[tokio::test]
async fn events_of_clubs_that_are_not_there_are_not_there() {
    let (campus, ada) = chess().await;
    campus.club("go", &ada).await;
    let event = event(&ada, "x", &[showing(1, 2)]).await;
    let one = format!("/api/events/{}/", id(&event));
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": null }))
        .await
        .ok();
    let (anybody, bob) = (campus.anonymous(), campus.as_("bob"));
    for client in [&anybody, &bob] {
        assert_eq!(names(client, "").await, [""; 0]);
        for path in [
            &one,
            &format!("{one}showings/"),
            &"/api/clubs/chess/events.ics".to_owned(),
        ] {
            client.get(path).await.error(404);
        }
        assert!(
            !client
                .get("/api/events.ics")
                .await
                .text()
                .contains("VEVENT")
        );
    }
    for client in [&ada, &campus.admin()] {
        assert_eq!(names(client, "").await, ["x"]);
        client.get(&one).await.ok();
        client.get("/api/clubs/chess/events.ics").await.error(404);
    }
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    assert_eq!(names(&anybody, "").await, ["x"]);
    ada.delete("/api/clubs/chess/").await.no_content();
    for client in [&anybody, &ada, &campus.admin()] {
        assert_eq!(names(client, "").await, [""; 0]);
        client.get(&one).await.error(404);
    }
    ada.get(&format!("/api/clubs/go/events/{}/", id(&event)))
        .await
        .error(404);
    ada.get("/api/events/0/").await.error(404);
    ada.get("/api/events/abc/").await.error(404);
}

#[tokio::test(start_paused = true)]
async fn two_officers_at_once_lose_nothing() {
    let slow = Setup::default().latency(5);
    let campus = slow.build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let made = event(&ada, "x", &[]).await;
    let path = format!("{CHESS}{}/", id(&made));
    let showings = format!("{path}showings/");
    let (a, b, c, d) = futures::join!(
        ada.patch(&path, json!({ "name": "y" })),
        ada.patch(&path, json!({ "type": 2 })),
        ada.post(&showings, showing(1, 2)),
        ada.post(&showings, showing(3, 4)),
    );
    a.ok();
    b.ok();
    c.created();
    d.created();
    let now = ada.get(&path).await.ok();
    assert_eq!(
        (
            &now["name"],
            &now["type"],
            now["showings"].as_array().map(Vec::len)
        ),
        (&json!("y"), &json!(2), Some(2))
    );
    assert_eq!(
        campus.anonymous().get("/api/events/").await.ok()["results"][0]["showings"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[tokio::test]
async fn an_event_at_all_its_limits_is_stored_and_listed() {
    let (campus, ada) = chess().await;
    let widest = "😀".repeat(255);
    let showings: Vec<Value> = (0..100)
        .map(|n| {
            json!({
                "start_time": hours(n),
                "end_time": hours(n + 1),
                "location": widest,
                "location_visible_to_public": true,
            })
        })
        .collect();
    for description in ["😀".repeat(50_000), "&".repeat(50_000)] {
        let body = json!({
            "name": widest,
            "description": description,
            "url": format!("https://x.example/{}", "x".repeat(2_000)),
            "showings": showings,
        });
        let event = ada.post(CHESS, body).await.created();
        let path = format!("{CHESS}{}/", id(&event));
        // This moves the event to a later part of the catalogue, so two copies of it are stored.
        let last = format!("{path}showings/{}/", id(&event["showings"][99]));
        ada.patch(&last, showing(2_000, 2_001)).await.ok();
        assert_eq!(
            ada.get(&path).await.ok()["description"],
            event["description"]
        );
        assert_eq!(
            campus.anonymous().get("/api/events/").await.ok()["count"],
            1
        );
        ada.delete(&path).await.no_content();
    }
    ada.post(
        CHESS,
        json!({ "name": "x", "description": "\u{1f600}".repeat(50_001) }),
    )
    .await
    .invalid(&["description"]);
}
