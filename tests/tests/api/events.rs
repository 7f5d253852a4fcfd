//! `/events/`, `/events/{event}/`, `/clubs/{club}/events/…`

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::models::{Event, Showing};
use shared::time::Timestamp;
use tests::fixtures::{hours, id};
use tests::images::form;
use tests::{Client, Setup, TestCampus};

const CHESS: &str = "/api/clubs/chess/events/";

/// A showing from `start` to `end`, in hours from now.
fn showing(start: i64, end: i64) -> Value {
    json!({ "start_time": hours(start), "end_time": hours(end) })
}

async fn chess() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

async fn event(client: &Client, name: &str, showings: &[Value]) -> Value {
    client.post(CHESS, json!({ "name": name, "showings": showings })).await.created()
}

/// The names of what a list answers.
async fn names(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/events/{query}")).await.ok();
    let results = list["results"].as_array().cloned().unwrap_or_default();
    assert_eq!(list["count"], results.len());
    results.iter().filter_map(|event| event["name"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn an_event_is_created_with_its_showings_read_changed_and_deleted() {
    let (campus, ada) = chess().await;
    let body = json!({
        "name": " Open evening ", "description": "<p onclick='x()'>Come<script>x</script> and see.</p>", "type": 5, "url": "https://meet.example/1",
        "pinned": true, "id": 7,
        "showings": [{ "start_time": "2026-11-22T20:00:00+01:00", "end_time": hours(40), "location": "Hall", "ticket_drop_time": hours(1), "ticket_order_limit": 2 },
            showing(5, 6)],
    });
    let answer = ada.post(CHESS, body).await;
    let location = answer.header("location").to_owned();
    let event = answer.created();
    assert_eq!(location, format!("{CHESS}{}/", id(&event)));
    let first = json!({ "id": event["showings"][0]["id"], "start_time": hours(5), "end_time": hours(6), "location": null,
        "location_visible_to_public": false, "ticketed": false, "ticket_drop_time": null, "ticket_order_limit": 10 });
    let second = json!({ "id": event["showings"][1]["id"], "start_time": "2026-11-22T19:00:00Z", "end_time": hours(40), "location": "Hall",
        "location_visible_to_public": false, "ticketed": true, "ticket_drop_time": hours(1), "ticket_order_limit": 2 });
    assert_eq!(
        event,
        json!({ "id": event["id"], "name": "Open evening", "description": "<p>Come and see.</p>", "club": "chess", "club_name": "chess",
            "type": 5, "url": "https://meet.example/1", "image_url": null, "large_image_url": null, "ticketed": true, "pinned": false,
            "showings": [first, second], "earliest_start_time": hours(5), "latest_start_time": "2026-11-22T19:00:00Z",
            "earliest_end_time": hours(6), "latest_end_time": hours(40), "badges": [],
            "created_at": hours(0), "updated_at": hours(0) })
    );
    assert_eq!(ada.get(&location).await.ok(), event);
    assert_eq!(ada.get(CHESS).await.ok(), json!([event]));
    let global = format!("/api/events/{}/", id(&event));
    assert_eq!(ada.get(&global).await.ok(), event);
    campus.advance(TimeDelta::minutes(1));
    let changed = ada.patch(&location, json!({ "name": "Night", "showings": [], "pinned": true })).await.ok();
    assert_eq!((&changed["name"], &changed["showings"], &changed["pinned"]), (&json!("Night"), &event["showings"], &json!(false)));
    assert_ne!(changed["updated_at"], event["updated_at"]);
    assert_eq!(campus.admin().patch(&location, json!({ "pinned": true })).await.ok()["pinned"], true);
    ada.put(&location, json!({ "name": "x" })).await.invalid(&["description", "type", "url"]);
    let put = ada.put(&location, json!({ "name": "x", "description": "", "type": 0, "url": null })).await.ok();
    assert_eq!((&put["url"], &put["pinned"], &put["showings"]), (&Value::Null, &json!(true), &event["showings"]));
    ada.delete(&location).await.no_content();
    for path in [&location, &global, &format!("{global}showings/")] {
        ada.get(path).await.error(404);
    }
    assert_eq!(names(&ada, "").await, [""; 0]);
    assert!(!campus.stored().iter().any(|item| item["type"]["S"].as_str().is_some_and(|kind| kind.starts_with("Event"))));
}

#[tokio::test]
async fn wrong_events_are_named() {
    let (_campus, ada) = chess().await;
    for (body, fields) in [
        (json!({}), vec!["name"]),
        (json!({ "name": " ", "type": 7, "url": "javascript:x", "description": 1 }), vec!["description", "name", "type", "url"]),
        (json!({ "name": "x", "image": "https://x.example/i.png" }), vec!["image"]),
        (
            json!({ "name": "x", "showings": [showing(1, 2), showing(2, 1), {}] }),
            vec!["showings.1.end_time", "showings.2.end_time", "showings.2.start_time"],
        ),
        (json!({ "name": "x", "showings": vec![showing(1, 2); 101] }), vec!["showings"]),
        (json!({ "name": "x", "showings": 7 }), vec!["showings"]),
    ] {
        ada.post(CHESS, body).await.invalid(&fields);
    }
    assert_eq!(ada.get(CHESS).await.ok(), json!([]));
    assert_eq!(
        ada.post(CHESS, json!({ "name": "x", "showings": vec![showing(1, 2); 100] })).await.created()["showings"].as_array().map(Vec::len),
        Some(100)
    );
}

#[tokio::test]
async fn forms_say_what_json_says() {
    let (_campus, ada) = chess().await;
    let showings = json!([showing(1, 2)]).to_string();
    let (content_type, body) = form(&[("name", b"7"), ("type", b"3"), ("url", b""), ("showings", showings.as_bytes()), ("image", b"")]);
    let event = ada.raw(Method::POST, CHESS, Some(&content_type), body).await.created();
    assert_eq!((&event["name"], &event["type"], &event["url"]), (&json!("7"), &json!(3), &Value::Null));
    assert_eq!(event["earliest_start_time"], hours(1));
    let path = format!("{CHESS}{}/", id(&event));
    for name in ["1e5", "12345678901234567890123", "[ 1 ]", "{\"b\":1,\"a\":2}", "true", "null"] {
        let (content_type, body) = form(&[("name", name.as_bytes())]);
        assert_eq!(ada.raw(Method::PATCH, &path, Some(&content_type), body).await.ok()["name"], name);
    }
    let (content_type, body) = form(&[("description", "<b>ü</b>".as_bytes())]);
    assert_eq!(ada.raw(Method::PATCH, &path, Some(&content_type), body).await.ok()["description"], "<b>ü</b>");
    let (content_type, body) = form(&[("type", b"nine")]);
    ada.raw(Method::PATCH, &path, Some(&content_type), body).await.invalid(&["type"]);
    let (content_type, body) = form(&[("name", &[0xff, 0xfe])]);
    ada.raw(Method::PATCH, &path, Some(&content_type), body).await.invalid(&["name"]);
    ada.raw(Method::PATCH, &path, Some("multipart/form-data; boundary=x"), "nonsense").await.error(400);
    ada.raw(Method::PATCH, &path, Some("multipart/form-data"), "nonsense").await.error(400);
    ada.raw(Method::PATCH, &path, Some("text/plain"), "nonsense").await.error(415);
}

#[tokio::test]
async fn the_list_shows_what_has_not_ended_and_forgets_it_by_the_clock_alone() {
    let (campus, ada) = chess().await;
    event(&ada, "later", &[showing(30, 31)]).await;
    event(&ada, "long", &[showing(-100, 2)]).await;
    event(&ada, "soon", &[showing(-50, -49), showing(1, 3)]).await;
    event(&ada, "over", &[showing(-2, -1)]).await;
    event(&ada, "never", &[]).await;
    let anybody = campus.anonymous();
    assert_eq!(names(&anybody, "").await, ["long", "soon", "later"]);
    let club: Vec<Value> = ada.get(CHESS).await.ok().as_array().into_iter().flatten().map(|event| event["name"].clone()).collect();
    assert_eq!(club, ["long", "soon", "over", "later", "never"]);
    campus.advance(TimeDelta::hours(2));
    assert_eq!(names(&anybody, "").await, ["long", "soon", "later"], "it ends now");
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(names(&anybody, "").await, ["soon", "later"]);
    campus.advance(TimeDelta::days(40));
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

#[tokio::test]
async fn the_eight_parameters_filter() {
    let (campus, ada) = chess().await;
    campus.client(&json!({}), "bob").post("/api/clubs/", json!({ "name": "Élan Vital", "code": "elan" })).await.created();
    event(&ada, "past", &[showing(-2_000, -1_999)]).await;
    event(&ada, "wide", &[showing(-30, -29), showing(900, 901)]).await;
    event(&ada, "near", &[showing(1, 2)]).await;
    let body = json!({ "name": "Talk", "type": 3, "description": "<p>About <b>Gödel</b></p>", "showings": [showing(3, 4)] });
    campus.as_("bob").post("/api/clubs/elan/events/", body).await.created();
    let anybody = campus.anonymous();
    let q = |name: &str, at: i64| format!("?{name}={}", hours(at).replace(':', "%3A"));
    for (query, expected) in [
        (String::new(), vec!["wide", "near", "Talk"]),
        ("?search=TALK+godel".into(), vec!["Talk"]),
        ("?search=elan+talk".into(), vec!["Talk"]),
        ("?search=talk+near".into(), vec![]),
        ("?club__code=elan".into(), vec!["Talk"]),
        ("?club__code=nothing".into(), vec![]),
        ("?type=3".into(), vec!["Talk"]),
        ("?type=0".into(), vec!["wide", "near"]),
        ("?fair=1".into(), vec![]),
        (q("earliest_start_time", -40), vec!["wide", "near", "Talk"]),
        (q("earliest_start_time", 1), vec!["near", "Talk"]),
        (q("latest_start_time", 1), vec!["past", "near"]),
        (q("latest_start_time", 900), vec!["past", "wide", "near", "Talk"]),
        (q("earliest_end_time", 2), vec!["near", "Talk"]),
        (q("latest_end_time", 2), vec!["past", "near"]),
        (q("latest_end_time", -1_999), vec!["past"]),
        (format!("{}&{}", q("earliest_start_time", 2), &q("latest_end_time", 4)[1..]), vec!["Talk"]),
        ("?earliest_start_time=1990-01-01T00:00:00%2B02:00&type=0".into(), vec!["past", "wide", "near"]),
    ] {
        assert_eq!(names(&anybody, &query).await, expected, "{query}");
    }
    for name in ["type", "fair", "earliest_start_time", "latest_start_time", "earliest_end_time", "latest_end_time"] {
        anybody.get(&format!("/api/events/?{name}=soon")).await.invalid(&[name]);
    }
    anybody.get("/api/events/?type=7").await.invalid(&["type"]);
    anybody.get("/api/events/?earliest_start_time=2026-11-21T09:00:00").await.invalid(&["earliest_start_time"]);
}

#[tokio::test]
async fn the_list_comes_in_pages() {
    let (campus, ada) = chess().await;
    for n in 0..5 {
        event(&ada, &format!("e{n}"), &[showing(10 - n, 20)]).await;
    }
    let anybody = campus.anonymous();
    let page = anybody.get("/api/events/?page_size=2&page=2&search=e").await.ok();
    assert_eq!((&page["count"], &page["results"][0]["name"], page["results"].as_array().map(Vec::len)), (&json!(5), &json!("e2"), Some(2)));
    assert!(page["next"].as_str().is_some_and(|next| next.contains("page=3") && next.contains("search=e")));
    assert_eq!(anybody.get("/api/events/?page_size=2&page=4").await.error(404), "Invalid page.");
}

#[tokio::test]
async fn places_and_links_are_for_who_is_signed_in() {
    let (campus, ada) = chess().await;
    let body = json!({ "name": "x", "url": "https://planted.example/link", "showings": [
        { "start_time": hours(1), "end_time": hours(2), "location": "Planted room" },
        { "start_time": hours(3), "end_time": hours(4), "location": "Public square", "location_visible_to_public": true } ] });
    let event = ada.post(CHESS, body).await.created();
    let one = format!("/api/events/{}/", id(&event));
    let hidden = format!("{one}showings/{}/", id(&event["showings"][0]));
    let anybody = campus.anonymous();
    let (list, showings) = ("/api/events/".to_owned(), format!("{one}showings/"));
    for path in [&list, &one, &showings, &hidden, &"/api/events.ics".to_owned(), &"/api/clubs/chess/events.ics".to_owned()] {
        let text = anybody.get(path).await.text();
        assert!(!text.to_lowercase().contains("planted"), "{path}: {text}");
        assert!(text.contains("Public square") || *path == hidden, "{path}: {text}");
        if path.ends_with("ics") {
            for client in [&ada, &campus.admin()] {
                assert!(!client.get(path).await.text().contains("lanted"), "a calendar is the same for everybody");
            }
        } else {
            let told = campus.as_("bob").get(path).await.text();
            assert!(told.contains("Planted room"), "{path}: {told}");
            assert!(!told.contains("\"ticket_order_limit\":10"), "for officers: {told}");
        }
    }
    assert_eq!(ada.get(&hidden).await.ok()["ticket_order_limit"], 10);
    anybody.get(CHESS).await.error(401);
    anybody.get(&format!("{CHESS}{}/showings/", id(&event))).await.error(401);
}

#[tokio::test]
async fn events_of_clubs_that_are_not_there_are_not_there() {
    let (campus, ada) = chess().await;
    campus.club("go", &ada).await;
    let event = event(&ada, "x", &[showing(1, 2)]).await;
    let one = format!("/api/events/{}/", id(&event));
    campus.admin().patch("/api/clubs/chess/", json!({ "approved": null })).await.ok();
    let (anybody, bob) = (campus.anonymous(), campus.as_("bob"));
    for client in [&anybody, &bob] {
        assert_eq!(names(client, "").await, [""; 0]);
        for path in [&one, &format!("{one}showings/"), &"/api/clubs/chess/events.ics".to_owned()] {
            client.get(path).await.error(404);
        }
        assert!(!client.get("/api/events.ics").await.text().contains("VEVENT"));
    }
    for client in [&ada, &campus.admin()] {
        assert_eq!(names(client, "").await, ["x"]);
        client.get(&one).await.ok();
        client.get("/api/clubs/chess/events.ics").await.error(404);
    }
    campus.admin().patch("/api/clubs/chess/", json!({ "approved": true })).await.ok();
    assert_eq!(names(&anybody, "").await, ["x"]);
    ada.delete("/api/clubs/chess/").await.no_content();
    for client in [&anybody, &ada, &campus.admin()] {
        assert_eq!(names(client, "").await, [""; 0]);
        client.get(&one).await.error(404);
    }
    ada.get(&format!("/api/clubs/go/events/{}/", id(&event))).await.error(404);
    ada.get("/api/events/0/").await.error(404);
    ada.get("/api/events/abc/").await.error(404);
}

#[tokio::test]
async fn writes_show_at_once_in_lists_of_other_functions() {
    let (campus, ada) = chess().await;
    // Another function: a router with caches of its own on the same table.
    let other = campus.another();
    let anybody = other.anonymous();
    assert_eq!(names(&anybody, "").await, [""; 0]);
    let made = event(&ada, "x", &[showing(1, 2)]).await;
    assert_eq!(names(&anybody, "").await, ["x"]);
    let path = format!("{CHESS}{}/", id(&made));
    ada.patch(&path, json!({ "name": "y" })).await.ok();
    assert_eq!(names(&anybody, "").await, ["y"]);
    // Into another month and back: each month shows it as long as it ends there.
    let moved = ada.post(&format!("{path}showings/"), showing(24 * 45, 24 * 45 + 1)).await.created();
    assert_eq!(names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await, [""; 0]);
    ada.delete(&format!("{path}showings/{}/", id(&moved))).await.no_content();
    assert_eq!(names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await, ["y"]);
    ada.patch("/api/clubs/chess/", json!({ "name": "Renamed" })).await.ok();
    assert_eq!(anybody.get("/api/events/").await.ok()["results"][0]["club_name"], "Renamed");
    ada.delete(&path).await.no_content();
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn two_officers_at_once_lose_nothing() {
    let slow = Setup::default().table(Arc::new(|_: &str| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            None
        })
    }));
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
    assert_eq!((&now["name"], &now["type"], now["showings"].as_array().map(Vec::len)), (&json!("y"), &json!(2), Some(2)));
    assert_eq!(campus.anonymous().get("/api/events/").await.ok()["results"][0]["showings"].as_array().map(Vec::len), Some(2));
}

#[tokio::test(start_paused = true)]
async fn lists_at_once_load_once() {
    let campus = Setup::default()
        .table(Arc::new(|_: &str| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                None
            })
        }))
        .build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    event(&ada, "x", &[showing(1, 2)]).await;
    let anybody = campus.anonymous();
    let answers = futures::future::join_all((0..16).map(|_| anybody.get("/api/events/"))).await;
    let calls: u64 = answers.iter().map(|answer| u64::from(answer.usage.calls)).sum();
    // The versions each; the clubs in 8 parts and one month, once.
    assert_eq!(calls, 16 + 8 + 1);
}

#[tokio::test]
async fn long_descriptions_keep_nobody_from_the_list() {
    let (campus, ada) = chess().await;
    let long = format!("<p>{}</p>", "\"".repeat(49_000));
    for n in 0..40 {
        let body = json!({ "name": format!("long {n}"), "description": long, "showings": [showing(1, 2)] });
        ada.post(CHESS, body).await.created();
    }
    let anybody = campus.anonymous();
    let whole = anybody.get("/api/events/?page_size=5").await.ok();
    assert!(whole["results"][0]["description"] == *long, "a page that fits");
    for query in ["", "?page_size=40"] {
        let page = anybody.get(&format!("/api/events/{query}")).await.ok();
        let text = page["results"][0]["description"].as_str().unwrap_or_default();
        assert!(text.ends_with("…</p>") && text.len() < 20_000, "{} bytes", text.len());
    }
    ada.post(CHESS, json!({ "name": "x", "description": "<ul><li>".repeat(3_000) })).await.invalid(&["description"]);
    assert!(anybody.get("/api/events.ics").await.text().ends_with("END:VCALENDAR\r\n"));
}

#[tokio::test]
async fn lists_during_writes_have_each_event_once() {
    // Real time, so that reads and writes interleave as they like.
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..6 {
        event(&ada, &format!("still {n}"), &[showing(1, 2)]).await;
    }
    let moving = event(&ada, "moving", &[showing(3, 4)]).await;
    let one = format!("{CHESS}{}/showings/{}/", id(&moving), id(&moving["showings"][0]));
    let other = campus.another();
    let writes = async {
        for n in 0..60 {
            let hour = if n % 2 == 0 { 24 * 45 } else { 3 };
            ada.patch(&one, showing(hour, hour + 1)).await.ok();
            tokio::task::yield_now().await;
        }
    };
    let reads = async |client: Client| {
        for _ in 0..60 {
            let mut names = names(&client, "").await;
            names.sort();
            assert_eq!(names, ["moving", "still 0", "still 1", "still 2", "still 3", "still 4", "still 5"]);
            tokio::task::yield_now().await;
        }
    };
    futures::join!(writes, reads(other.anonymous()), reads(other.anonymous()), reads(campus.anonymous()));
}

/// Moments that lie where months and the parts of the catalogue end, in hours from now.
fn moments() -> impl Strategy<Value = i64> {
    // 2026-12-01T00:00:00Z, 2020-01-01T00:00:00Z, 2041-01-01T00:00:00Z, and the years 1 and 9999.
    let borders = prop::sample::select(vec![231, -60_393, 123_687, -17_750_000, 69_880_000]);
    prop_oneof![3 => -2_000i64..2_000, 2 => (borders, -1i64..=1).prop_map(|(border, hours)| border + hours)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_combination_of_times_finds_what_it_says(
        spans in prop::collection::vec(prop::collection::vec((moments(), moments()), 1..4), 1..12),
        limits in prop::array::uniform4(prop::option::weighted(0.5, moments())),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let campus = TestCampus::new();
            campus.club("chess", &campus.as_("ada")).await;
            let time = |hours: i64| Timestamp::at(tests::start() + TimeDelta::hours(hours));
            let events: Vec<Event> = (0..).zip(&spans).map(|(n, spans)| {
                let model = tests::fixtures::event(n);
                let showing = |&(a, b): &(i64, i64)| Showing { start: time(a.min(b)), end: time(a.max(b)), ..model.showings[0].clone() };
                Event { showings: spans.iter().map(showing).collect(), ..model.clone() }
            }).collect();
            campus.campus.app.table.load_listings(&events).await.expect("a table");
            let names = ["earliest_start_time", "latest_start_time", "earliest_end_time", "latest_end_time"];
            let sent = names.iter().zip(limits).filter_map(|(name, limit)| Some(format!("{name}={}", hours(limit?))));
            let query = sent.collect::<Vec<_>>().join("&");
            let found = campus.anonymous().get(&format!("/api/events/?page_size=100&{query}")).await.ok();
            let mut found: Vec<u64> = found["results"].as_array().into_iter().flatten().map(id).collect();
            found.sort_unstable();
            // The rule of the specification, word for word.
            let [from_start, to_start, from_end, to_end] = limits.map(|limit| limit.map(time));
            let expected = events.iter().filter(|event| {
                let starts = || event.showings.iter().map(|showing| showing.start);
                let ends = || event.showings.iter().map(|showing| showing.end);
                let window = query.is_empty().then(|| time(0));
                window.is_none_or(|now| ends().any(|end| end >= now))
                    && from_start.is_none_or(|limit| starts().min() >= Some(limit))
                    && to_start.is_none_or(|limit| starts().max() <= Some(limit))
                    && from_end.is_none_or(|limit| ends().min() >= Some(limit))
                    && to_end.is_none_or(|limit| ends().max() <= Some(limit))
            });
            assert_eq!(found, expected.map(|event| event.id).collect::<Vec<_>>(), "{query}");
        });
    }
}
