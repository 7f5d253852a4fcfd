//! The parameters of the list of events across clubs: times, clubs, types and searches

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::json;
use shared::domain::{Event, Showing};
use shared::time::Timestamp;
use tests::TestCampus;
use tests::fixtures::{hours, id};

use crate::events::{chess, event, names, showing};

/// A campus with four events of two clubs.
async fn scene() -> TestCampus {
    let (campus, ada) = chess().await;
    campus
        .client(&json!({}), "bob")
        .post(
            "/api/clubs/",
            json!({ "name": "Élan Vital", "code": "elan" }),
        )
        .await
        .created();
    event(&ada, "past", &[showing(-2_000, -1_999)]).await;
    event(&ada, "wide", &[showing(-30, -29), showing(900, 901)]).await;
    event(&ada, "near", &[showing(1, 2)]).await;
    let body = json!({
        "name": "Talk",
        "type": 3,
        "description": "<p>About <b>Gödel</b></p>",
        "showings": [showing(3, 4)],
    });
    campus
        .as_("bob")
        .post("/api/clubs/elan/events/", body)
        .await
        .created();
    campus
}

// proves V2, V4, H27
#[tokio::test]
async fn the_ten_parameters_filter() {
    let campus = scene().await;
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
        (
            q("latest_start_time", 900),
            vec!["past", "wide", "near", "Talk"],
        ),
        (q("earliest_end_time", 2), vec!["near", "Talk"]),
        (q("latest_end_time", 2), vec!["past", "near"]),
        (q("latest_end_time", -1_999), vec!["past"]),
        (
            format!(
                "{}&{}",
                q("earliest_start_time", 2),
                &q("latest_end_time", 4)[1..]
            ),
            vec!["Talk"],
        ),
        // What is on in a span: one showing is enough, and no showing before and after it.
        (q("from", 2), vec!["wide", "near", "Talk"]),
        (q("until", -29), vec!["past", "wide"]),
        (
            format!("{}&{}", q("from", 0), &q("until", 2)[1..]),
            vec!["near"],
        ),
        (
            format!("{}&{}", q("from", 901), &q("until", 950)[1..]),
            vec!["wide"],
        ),
        (
            "?earliest_start_time=1990-01-01T00:00:00%2B02:00&type=0".into(),
            vec!["past", "wide", "near"],
        ),
    ] {
        assert_eq!(names(&anybody, &query).await, expected, "{query}");
    }
}

// proves H15, H26
#[tokio::test]
async fn parameters_that_cannot_be_used_are_named() {
    let campus = scene().await;
    let anybody = campus.anonymous();
    for name in [
        "type",
        "fair",
        "earliest_start_time",
        "latest_start_time",
        "earliest_end_time",
        "latest_end_time",
        "from",
        "until",
    ] {
        anybody
            .get(&format!("/api/events/?{name}=soon"))
            .await
            .invalid(&[name]);
    }
    anybody.get("/api/events/?type=7").await.invalid(&["type"]);
    anybody
        .get("/api/events/?earliest_start_time=2026-11-21T09:00:00")
        .await
        .invalid(&["earliest_start_time"]);
}

/// Times around now, and near the ends of months and of the catalogue's parts, in hours from now.
fn moments() -> impl Strategy<Value = i64> {
    // 2026-12-01T00:00:00Z, 2020-01-01T00:00:00Z, 2041-01-01T00:00:00Z, and near the years 1 and
    // 9999.
    let borders = prop::sample::select(vec![231, -60_393, 123_687, -17_750_000, 69_880_000]);
    let near_borders = (borders, -1i64..=1).prop_map(|(border, hours)| border + hours);
    prop_oneof![3 => -2_000i64..2_000, 2 => near_borders]
}

fn time(hours: i64) -> Timestamp {
    Timestamp::at(tests::start() + TimeDelta::hours(hours))
}

/// Stores an event for each list of showings, whose two times are in hours from now.
async fn load(campus: &TestCampus, spans: &[Vec<(i64, i64)>]) -> Vec<Event> {
    let events: Vec<Event> = (0..)
        .zip(spans)
        .map(|(n, spans)| {
            let model = tests::fixtures::event(n);
            let showing = |&(a, b): &(i64, i64)| Showing {
                start: time(a.min(b)),
                end: time(a.max(b)),
                ..model.showings[0].clone()
            };
            Event {
                showings: spans.iter().map(showing).collect(),
                ..model.clone()
            }
        })
        .collect();
    campus
        .campus
        .app
        .table
        .load_listings(&events)
        .await
        .expect("a table");
    events
}

/// The ids of the events in the list across clubs, in order.
async fn listed(campus: &TestCampus, query: &str) -> Vec<u64> {
    let found = campus
        .anonymous()
        .get(&format!("/api/events/?page_size=100&{query}"))
        .await
        .ok();
    let mut found: Vec<u64> = found["results"]
        .as_array()
        .into_iter()
        .flatten()
        .map(id)
        .collect();
    found.sort_unstable();
    found
}

/// V2, written as simply as possible.
fn is_expected(event: &Event, limits: [Option<i64>; 6]) -> bool {
    let [from_start, to_start, from_end, to_end, from, until] = limits.map(|limit| limit.map(time));
    let starts = || event.showings.iter().map(|showing| showing.start);
    let ends = || event.showings.iter().map(|showing| showing.end);
    let window = limits.iter().all(Option::is_none).then(|| time(0));
    let is_on = |showing: &Showing| {
        from.is_none_or(|limit| showing.end >= limit)
            && until.is_none_or(|limit| showing.start <= limit)
    };
    window.is_none_or(|now| ends().any(|end| end >= now))
        && event.showings.iter().any(is_on)
        && from_start.is_none_or(|limit| starts().min() >= Some(limit))
        && to_start.is_none_or(|limit| starts().max() <= Some(limit))
        && from_end.is_none_or(|limit| ends().min() >= Some(limit))
        && to_end.is_none_or(|limit| ends().max() <= Some(limit))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // proves V2
    #[test]
    fn any_combination_of_times_finds_what_it_says(
        spans in prop::collection::vec(prop::collection::vec((moments(), moments()), 1..4), 1..12),
        limits in prop::array::uniform6(prop::option::weighted(0.4, moments())),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let campus = TestCampus::new();
            campus.club("chess", &campus.as_("ada")).await;
            let events = load(&campus, &spans).await;
            let names = [
                "earliest_start_time",
                "latest_start_time",
                "earliest_end_time",
                "latest_end_time",
                "from",
                "until",
            ];
            let sent = names
                .iter()
                .zip(limits)
                .filter_map(|(name, limit)| Some(format!("{name}={}", hours(limit?))));
            let query = sent.collect::<Vec<_>>().join("&");
            let expected = events.iter().filter(|event| is_expected(event, limits));
            assert_eq!(
                listed(&campus, &query).await,
                expected.map(|event| event.id.get()).collect::<Vec<_>>(),
                "{query}"
            );
        });
    }
}
