//! `/events/`, `/events/{event}/`, `/clubs/{club}/events/…`

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

/// An event with two showings, with fields that are cleaned or ignored.
fn open_evening() -> Value {
    json!({
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
    })
}

// proves H12, H14, H15, H18, H20, H21, V7, V8, V9, V10
#[tokio::test]
async fn an_event_is_created_with_its_showings_and_read() {
    let (_campus, ada) = chess().await;
    let response = ada.post(CHESS, open_evening()).await;
    let location = response.header("location").to_owned();
    let event = response.created();
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
            "club_image_url": null,
            "type": 5,
            "url": "https://meet.example/1",
            "image_url": null,
            "large_image_url": null,
            "image_alt": "",
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
}

// proves H12, H13, H14, V7, V9
#[tokio::test]
async fn an_event_is_changed_and_deleted_with_its_showings() {
    let (campus, ada) = chess().await;
    let event = ada.post(CHESS, open_evening()).await.created();
    let location = format!("{CHESS}{}/", id(&event));
    let global = format!("/api/events/{}/", id(&event));
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
    // A field that is ignored must still have the right type.
    let wrong = json!({ "pinned": "no" });
    ada.patch(&location, wrong).await.invalid(&["pinned"]);
    let wrong = json!({ "badges": 1, "approved": 1, "archived": 1 });
    let response = ada.patch("/api/clubs/chess/", wrong).await;
    response.invalid(&["approved", "archived", "badges"]);
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

// proves H20, H21, V7, V10
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

// proves V17
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

// proves X7
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

// proves H16, H17, V10
#[tokio::test]
async fn an_event_at_all_its_limits_is_stored_and_listed() {
    let (campus, ada) = chess().await;
    let (widest, room) = ("😀".repeat(255), "😀".repeat(20));
    let showings: Vec<Value> = (0..100)
        .map(|n| {
            json!({
                "start_time": hours(n),
                "end_time": hours(n + 1),
                "location": room,
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
        // This moves the event to a later segment of the catalogue.
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
