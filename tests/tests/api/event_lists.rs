//! Lists of events across clubs: `/events/`
//!
//! Proves H17, H22, H23, H26, H27, C15, V2, V3, V4, V5.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::domain::{Event, Showing};
use shared::time::Timestamp;
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

use crate::events::{CHESS, chess, event, names, showing};

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
    let club: Vec<Value> = ada
        .get(CHESS)
        .await
        .ok()
        .as_array()
        .into_iter()
        .flatten()
        .map(|event| event["name"].clone())
        .collect();
    assert_eq!(club, ["long", "soon", "over", "later", "never"]);
    campus.advance(TimeDelta::hours(2));
    assert_eq!(
        names(&anybody, "").await,
        ["long", "soon", "later"],
        "it ends now"
    );
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(names(&anybody, "").await, ["soon", "later"]);
    campus.advance(TimeDelta::days(40));
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

#[tokio::test]
async fn the_ten_parameters_filter() {
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

#[tokio::test]
async fn the_list_comes_in_pages() {
    let (campus, ada) = chess().await;
    for n in 0..5 {
        event(&ada, &format!("e{n}"), &[showing(10 - n, 20)]).await;
    }
    let anybody = campus.anonymous();
    let page = anybody
        .get("/api/events/?page_size=2&page=2&search=e")
        .await
        .ok();
    assert_eq!(
        (
            &page["count"],
            &page["results"][0]["name"],
            page["results"].as_array().map(Vec::len)
        ),
        (&json!(5), &json!("e2"), Some(2))
    );
    assert!(
        page["next"]
            .as_str()
            .is_some_and(|next| next.contains("page=3") && next.contains("search=e"))
    );
    assert_eq!(
        anybody
            .get("/api/events/?page_size=2&page=4")
            .await
            .error(404),
        "Invalid page."
    );
}

#[tokio::test]
async fn writes_show_at_once_in_lists_of_other_functions() {
    let (campus, ada) = chess().await;
    // A second service with caches of its own on the same table.
    let other = campus.another();
    let anybody = other.anonymous();
    assert_eq!(names(&anybody, "").await, [""; 0]);
    let made = event(&ada, "x", &[showing(1, 2)]).await;
    assert_eq!(names(&anybody, "").await, ["x"]);
    let path = format!("{CHESS}{}/", id(&made));
    ada.patch(&path, json!({ "name": "y" })).await.ok();
    assert_eq!(names(&anybody, "").await, ["y"]);
    // A later showing moves the event to another month of the catalogue. Without the showing it
    // moves back.
    let moved = ada
        .post(&format!("{path}showings/"), showing(24 * 45, 24 * 45 + 1))
        .await
        .created();
    assert_eq!(
        names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await,
        [""; 0]
    );
    ada.delete(&format!("{path}showings/{}/", id(&moved)))
        .await
        .no_content();
    assert_eq!(
        names(&anybody, "?latest_end_time=2026-12-31T00:00:00Z").await,
        ["y"]
    );
    ada.patch("/api/clubs/chess/", json!({ "name": "Renamed" }))
        .await
        .ok();
    assert_eq!(
        anybody.get("/api/events/").await.ok()["results"][0]["club_name"],
        "Renamed"
    );
    ada.delete(&path).await.no_content();
    assert_eq!(names(&anybody, "").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn lists_at_once_load_once() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    event(&ada, "x", &[showing(1, 2)]).await;
    let anybody = campus.anonymous();
    let answers = futures::future::join_all((0..16).map(|_| anybody.get("/api/events/"))).await;
    let calls: u64 = answers
        .iter()
        .map(|answer| u64::from(answer.usage.calls))
        .sum();
    // Each request reads the versions. One part of the clubs and one month of events are read once;
    // the others were never written.
    assert_eq!(calls, 16 + 2);
}

#[tokio::test]
async fn long_descriptions_keep_nobody_from_the_list() {
    let (campus, ada) = chess().await;
    let long = format!("<p>{}</p>", "\"".repeat(49_000));
    for n in 0..40 {
        let body = json!({
            "name": format!("long {n}"),
            "description": long,
            "showings": [showing(1, 2)],
        });
        ada.post(CHESS, body).await.created();
    }
    let anybody = campus.anonymous();
    for query in ["?page_size=5", "?page_size=40"] {
        let page = anybody.get(&format!("/api/events/{query}")).await.ok();
        let text = page["results"][0]["description"]
            .as_str()
            .unwrap_or_default();
        assert!(
            text.ends_with("…</p>") && text.chars().count() <= 2_010,
            "{} bytes",
            text.len()
        );
        let one = format!("/api/events/{}/", id(&page["results"][0]));
        assert!(
            anybody.get(&one).await.ok()["description"] == *long,
            "the event itself shows the whole text"
        );
    }
    ada.post(
        CHESS,
        json!({ "name": "x", "description": "<ul><li>".repeat(3_000) }),
    )
    .await
    .invalid(&["description"]);
    assert!(
        anybody
            .get("/api/events.ics")
            .await
            .text()
            .ends_with("END:VCALENDAR\r\n")
    );
}

#[tokio::test]
async fn lists_during_writes_have_each_event_once() {
    // The tokio clock runs, so reads and writes can interleave in any way.
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..6 {
        event(&ada, &format!("still {n}"), &[showing(1, 2)]).await;
    }
    let moving = event(&ada, "moving", &[showing(3, 4)]).await;
    let one = format!(
        "{CHESS}{}/showings/{}/",
        id(&moving),
        id(&moving["showings"][0])
    );
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
            assert_eq!(
                names,
                [
                    "moving", "still 0", "still 1", "still 2", "still 3", "still 4", "still 5"
                ]
            );
            tokio::task::yield_now().await;
        }
    };
    futures::join!(
        writes,
        reads(other.anonymous()),
        reads(other.anonymous()),
        reads(campus.anonymous())
    );
}

/// Times around now, and near the ends of months and of the catalogue's parts, in hours from now.
fn moments() -> impl Strategy<Value = i64> {
    // 2026-12-01T00:00:00Z, 2020-01-01T00:00:00Z, 2041-01-01T00:00:00Z, and near the years 1 and
    // 9999.
    let borders = prop::sample::select(vec![231, -60_393, 123_687, -17_750_000, 69_880_000]);
    let near_borders = (borders, -1i64..=1).prop_map(|(border, hours)| border + hours);
    prop_oneof![3 => -2_000i64..2_000, 2 => near_borders]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

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
            let time = |hours: i64| Timestamp::at(tests::start() + TimeDelta::hours(hours));
            let events: Vec<Event> = (0..)
                .zip(&spans)
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
            // V2, written as simply as possible.
            let [from_start, to_start, from_end, to_end, from, until] =
                limits.map(|limit| limit.map(time));
            let expected = events.iter().filter(|event| {
                let starts = || event.showings.iter().map(|showing| showing.start);
                let ends = || event.showings.iter().map(|showing| showing.end);
                let window = query.is_empty().then(|| time(0));
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
            });
            assert_eq!(
                found,
                expected.map(|event| event.id.get()).collect::<Vec<_>>(),
                "{query}"
            );
        });
    }
}
