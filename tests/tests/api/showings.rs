//! `/clubs/{club}/events/{event}/showings/…`, `/events/{event}/showings/…`

use chrono::DateTime;
use proptest::prelude::*;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

/// Ada's event without showings. Returns Ada, its path under the club, and its path by id alone.
async fn event(campus: &TestCampus) -> (Client, String, String) {
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let event = id(&ada
        .post("/api/clubs/chess/events/", json!({ "name": "x" }))
        .await
        .created());
    (
        ada,
        format!("/api/clubs/chess/events/{event}/"),
        format!("/api/events/{event}/"),
    )
}

// proves V3, V10, V11
#[tokio::test]
async fn showings_are_created_and_listed_by_their_start() {
    let campus = TestCampus::new();
    let (ada, path, global) = event(&campus).await;
    let showings = format!("{path}showings/");
    assert_eq!(
        ada.get(&global).await.ok()["earliest_start_time"],
        Value::Null,
        "an event without showings can be read by its id"
    );
    let response = ada
        .post(
            &showings,
            json!({ "start_time": hours(3), "end_time": hours(3), "location": " Hall " }),
        )
        .await;
    let location = response.header("location").to_owned();
    let showing = response.created();
    assert_eq!(
        showing,
        json!({
            "id": showing["id"],
            "start_time": hours(3),
            "end_time": hours(3),
            "location": "Hall",
            "location_visible_to_public": false,
            "ticketed": false,
            "ticket_drop_time": null,
            "ticket_order_limit": 10,
            "ticket_end_time": null,
            "waiting_list": true,
            "ticket_sale": "first_come",
            "ticket_draw_time": null,
            "ticket_types": [],
        })
    );
    assert_eq!(location, format!("{showings}{}/", id(&showing)));
    assert_eq!(ada.get(&location).await.ok(), showing);
    assert_eq!(
        ada.get(&format!("{global}showings/{}/", id(&showing)))
            .await
            .ok(),
        showing
    );
    let second = ada
        .post(
            &showings,
            json!({ "start_time": hours(1), "end_time": hours(9), "ticketed": true }),
        )
        .await
        .created();
    assert_eq!(
        ada.get(&showings).await.ok(),
        json!([second, showing]),
        "ordered by start"
    );
    assert_eq!(
        ada.get(&format!("{global}showings/")).await.ok(),
        json!([second, showing])
    );
}

// proves H13, H14, V8, V11
#[tokio::test]
async fn showings_are_changed_replaced_and_deleted() {
    let campus = TestCampus::new();
    let (ada, path, global) = event(&campus).await;
    let showings = format!("{path}showings/");
    let body = json!({ "start_time": hours(3), "end_time": hours(3), "location": " Hall " });
    let response = ada.post(&showings, body).await;
    let location = response.header("location").to_owned();
    response.created();
    let body = json!({ "start_time": hours(1), "end_time": hours(9), "ticketed": true });
    let second = ada.post(&showings, body).await.created();
    let changed = ada
        .patch(
            &location,
            json!({ "start_time": hours(0), "ticket_drop_time": hours(-5), "location": null }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &changed["ticketed"],
            &changed["ticket_drop_time"],
            &changed["location"]
        ),
        (&json!(true), &json!(hours(-5)), &Value::Null)
    );
    let of_event = ada.get(&global).await.ok()["showings"].clone();
    assert_eq!(of_event[0]["ticket_drop_time"], changed["ticket_drop_time"]);
    assert_eq!(
        (&of_event[0]["id"], &of_event[1]["id"]),
        (&changed["id"], &second["id"])
    );
    assert_eq!(
        ada.put(&location, changed.clone()).await.ok(),
        changed,
        "PUT accepts what GET returned"
    );
    assert_eq!(
        ada.patch(
            &location,
            json!({ "ticket_drop_time": null, "ticketed": true })
        )
        .await
        .ok()["ticketed"],
        false
    );
    ada.put(&location, json!({})).await.invalid(&[
        "end_time",
        "location",
        "location_visible_to_public",
        "start_time",
        "ticket_drop_time",
        "ticket_order_limit",
    ]);
    ada.delete(&location).await.no_content();
    ada.get(&location).await.error(404);
    ada.delete(&location).await.error(404);
    campus.as_("bob").delete(&location).await.error(403);
    assert_eq!(ada.get(&showings).await.ok(), json!([second]));
}

#[tokio::test(start_paused = true)]
async fn a_showing_is_removed_once() {
    let slow = Setup::default().latency(5);
    let campus = slow.build();
    let (ada, path, _) = event(&campus).await;
    let showing = ada
        .post(
            &format!("{path}showings/"),
            json!({ "start_time": hours(1), "end_time": hours(2) }),
        )
        .await
        .created();
    let one = format!("{path}showings/{}/", id(&showing));
    let answers = futures::future::join_all((0..4).map(|_| ada.delete(&one))).await;
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 204)
            .count(),
        1
    );
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 404)
            .count(),
        3
    );
}

// proves H8, H14, H15, H16, V10
#[tokio::test]
async fn wrong_showings_are_named() {
    let campus = TestCampus::new();
    let (ada, path, _) = event(&campus).await;
    let showings = format!("{path}showings/");
    for (body, fields) in [
        (json!({}), vec!["end_time", "start_time"]),
        (
            json!({ "start_time": hours(2), "end_time": hours(1) }),
            vec!["end_time"],
        ),
        (
            json!({ "start_time": "2026-11-21T09:00:00", "end_time": 7 }),
            vec!["end_time", "start_time"],
        ),
        (
            json!({ "start_time": hours(1), "end_time": hours(2), "ticket_drop_time": hours(3) }),
            vec!["ticket_drop_time"],
        ),
        (
            json!({ "start_time": hours(1), "end_time": hours(2), "ticket_order_limit": 0 }),
            vec!["ticket_order_limit"],
        ),
        (
            json!({ "start_time": hours(1), "end_time": hours(2), "location": "x".repeat(256) }),
            vec!["location"],
        ),
        (
            json!({
                "start_time": hours(1),
                "end_time": hours(2),
                "location_visible_to_public": null,
            }),
            vec!["location_visible_to_public"],
        ),
    ] {
        ada.post(&showings, body).await.invalid(&fields);
    }
    let showing = ada
        .post(
            &showings,
            json!({ "start_time": hours(1), "end_time": hours(2) }),
        )
        .await
        .created();
    let one = format!("{showings}{}/", id(&showing));
    // The rules are checked on the result of the change.
    ada.patch(&one, json!({ "start_time": hours(3) }))
        .await
        .invalid(&["end_time"]);
    ada.patch(&one, json!({ "end_time": hours(0) }))
        .await
        .invalid(&["end_time"]);
    assert_eq!(ada.get(&one).await.ok(), showing);
    for n in 1..100 {
        ada.post(
            &showings,
            json!({ "start_time": hours(n), "end_time": hours(n) }),
        )
        .await
        .created();
    }
    ada.post(
        &showings,
        json!({ "start_time": hours(1), "end_time": hours(2) }),
    )
    .await
    .invalid(&["showings"]);
}

// proves H15
#[tokio::test]
async fn daylight_saving_changes_no_showing() {
    let campus = TestCampus::new();
    let (ada, path, global) = event(&campus).await;
    // In Berlin the clocks go back at 03:00 on 2026-10-25, so 02:30 comes twice.
    for (start, end) in [
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"),
        ("2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"),
    ] {
        ada.post(
            &format!("{path}showings/"),
            json!({ "start_time": start, "end_time": end }),
        )
        .await
        .created();
    }
    let event = ada.get(&global).await.ok();
    let times: Vec<&Value> = event["showings"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|s| [&s["start_time"], &s["end_time"]])
        .collect();
    assert_eq!(
        times,
        [
            "2026-10-25T00:30:00Z",
            "2026-10-25T01:30:00Z",
            "2027-03-28T00:30:00Z",
            "2027-03-28T01:30:00Z"
        ]
    );
    assert_eq!(
        (&event["earliest_start_time"], &event["latest_end_time"]),
        (
            &json!("2026-10-25T00:30:00Z"),
            &json!("2027-03-28T01:30:00Z")
        )
    );
}

/// Steps that change showings: what to do, with which showing, its start and its length in hours.
fn steps() -> impl Strategy<Value = Vec<(u8, usize, i64, i64)>> {
    proptest::collection::vec((0u8..4, 0usize..8, -3_000i64..3_000, 0i64..1_500), 1..14)
}

fn seconds(time: &Value) -> Option<i64> {
    DateTime::parse_from_rfc3339(time.as_str()?)
        .ok()
        .map(|time| time.timestamp())
}

/// Whether the earliest and latest times of an event are those of its showings, and the showings
/// are in order.
fn agrees(event: &Value) -> bool {
    let showings = event["showings"].as_array().cloned().unwrap_or_default();
    let all = |name: &str| {
        showings
            .iter()
            .filter_map(|showing| seconds(&showing[name]))
            .collect::<Vec<_>>()
    };
    let (starts, ends) = (all("start_time"), all("end_time"));
    starts.is_sorted()
        && seconds(&event["earliest_start_time"]) == starts.iter().min().copied()
        && seconds(&event["latest_start_time"]) == starts.iter().max().copied()
        && seconds(&event["earliest_end_time"]) == ends.iter().min().copied()
        && seconds(&event["latest_end_time"]) == ends.iter().max().copied()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // proves V11
    #[test]
    fn an_event_always_agrees_with_its_showings(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let campus = TestCampus::new();
            let (ada, path, global) = event(&campus).await;
            let showings = format!("{path}showings/");
            for (what, which, start, length) in steps {
                let there = ada.get(&showings).await.ok();
                let one = there
                    .as_array()
                    .filter(|all| !all.is_empty())
                    .map(|all| format!("{showings}{}/", id(&all[which % all.len()])));
                let times = json!({
                    "start_time": hours(start),
                    "end_time": hours(start + length),
                });
                match (what, one) {
                    (1, Some(one)) => {
                        ada.patch(&one, times).await.ok();
                    }
                    (2, Some(one)) => {
                        ada.delete(&one).await.no_content();
                    }
                    // This changes only the end, and may be refused.
                    (3, Some(one)) => {
                        ada.patch(
                            &one,
                            json!({
                                "end_time": hours(start),
                            }),
                        )
                        .await;
                    }
                    _ => {
                        ada.post(&showings, times).await.created();
                    }
                }
                let now = ada.get(&global).await.ok();
                assert!(agrees(&now), "{now}");
                let list = ada
                    .get("/api/events/?earliest_start_time=2000-01-01T00:00:00Z")
                    .await
                    .ok();
                let listed = &list["results"][0];
                assert_eq!(
                    listed["showings"].as_array().map_or(0, Vec::len),
                    now["showings"].as_array().map_or(0, Vec::len)
                );
                assert!(listed.is_null() || agrees(listed), "{listed}");
            }
        });
    }
}
