//! `/clubs/`: its orders and pages

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, club, hours};
use tests::{Setup, TestCampus};

use crate::catalogue::codes;

// proves C12, C13, C14
#[tokio::test]
async fn the_featured_order_is_the_documented_one() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for code in [
        "a-plain",
        "b-profile",
        "c-event",
        "d-open",
        "e-inactive",
        "f-favorite",
    ] {
        ada.post(
            "/api/clubs/",
            json!({ "name": code, "active": code != "e-inactive" }),
        )
        .await
        .created();
    }
    let profile = json!({
        "subtitle": "x",
        "description": "x",
        "email": "x@uni.example",
        "website": "https://x.example",
    });
    ada.patch("/api/clubs/b-profile/", profile).await.ok();
    let showing = |from: i64, to: i64| {
        json!({
            "name": "x",
            "showings": [{ "start_time": hours(from), "end_time": hours(to) }],
        })
    };
    ada.post("/api/clubs/c-event/events/", showing(1, 2))
        .await
        .created();
    ada.post("/api/clubs/a-plain/events/", showing(-3, -2))
        .await
        .created();
    ada.post("/api/clubs/d-open/applications/", application("x"))
        .await
        .created();
    for n in 0..3 {
        campus
            .as_(&format!("person{n}"))
            .post("/api/favorites/", json!({ "club": "f-favorite" }))
            .await
            .created();
    }
    campus.advance(TimeDelta::minutes(6));
    // 5 + 10, 5 + 8, 5 + 6, 5 + 2, 5, 0
    assert_eq!(
        codes(&ada, "").await,
        [
            "d-open",
            "b-profile",
            "c-event",
            "f-favorite",
            "a-plain",
            "e-inactive"
        ]
    );
    assert_eq!(
        codes(&ada, "?ordering=-favorite_count").await[0],
        "f-favorite"
    );
    assert_eq!(
        codes(&ada, "?ordering=favorite_count").await[5],
        "f-favorite"
    );
    assert_eq!(
        codes(&ada, "?ordering=favorite_count").await[..5],
        ["a-plain", "b-profile", "c-event", "d-open", "e-inactive"]
    );
    campus.advance(TimeDelta::hours(2));
    assert_eq!(codes(&ada, "").await[2], "f-favorite", "the event is over");
}

// proves C13, C14
#[tokio::test]
async fn equal_clubs_change_order_daily() {
    let campus = Setup::default()
        .settings(|settings| settings.quotas.clubs_created = 100)
        .build();
    let ada = campus.as_("ada");
    for n in 0..12 {
        campus.club(&format!("club-{n}"), &ada).await;
    }
    let mut days = Vec::new();
    for _ in 0..3 {
        let today = codes(&ada, "").await;
        assert_eq!(codes(&ada, "").await, today);
        // All pages belong to the same order.
        let mut paged = Vec::new();
        for page in 1..=3 {
            let page = ada
                .get(&format!("/api/clubs/?page_size=5&page={page}"))
                .await
                .ok();
            paged.extend(
                page["results"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|club| club["code"].as_str().unwrap_or_default().to_owned()),
            );
        }
        assert_eq!(paged, today);
        days.push(today);
        campus.advance(TimeDelta::days(1));
    }
    assert!(days[0] != days[1] && days[1] != days[2] && days[0] != days[2]);
}

// proves H22, C13
#[tokio::test]
async fn every_page_of_every_order_is_a_part_of_one_list() {
    let campus = TestCampus::new();
    let table = &campus.campus.app.table;
    table
        .load_clubs(&(0..230).map(club).collect::<Vec<_>>())
        .await
        .expect("a table");
    let anybody = campus.anonymous();
    for ordering in [
        "alphabetical",
        "-alphabetical",
        "featured",
        "favorite_count",
        "-favorite_count",
    ] {
        let mut all: Vec<Value> = Vec::new();
        let mut next = format!("http://clubs.example/api/clubs/?page_size=25&ordering={ordering}");
        while let Some(path) = next.strip_prefix("http://clubs.example").map(str::to_owned) {
            let page = anybody.get(&path).await.ok();
            assert_eq!(page["count"], 230);
            all.extend(page["results"].as_array().cloned().unwrap_or_default());
            next = page["next"].as_str().unwrap_or_default().to_owned();
        }
        let mut seen: Vec<&str> = all
            .iter()
            .filter_map(|club| club["code"].as_str())
            .collect();
        let name = |club: &Value| {
            (
                shared::text::fold(club["name"].as_str().unwrap_or_default()),
                club["code"].to_string(),
            )
        };
        let favorites = |club: &Value| club["favorite_count"].as_i64().unwrap_or_default();
        match ordering {
            "alphabetical" => assert!(all.is_sorted_by_key(&name)),
            "-alphabetical" => assert!(all.iter().rev().is_sorted_by_key(&name)),
            "favorite_count" => assert!(all.is_sorted_by_key(|club| (favorites(club), name(club)))),
            "-favorite_count" => {
                assert!(all.is_sorted_by_key(|club| (-favorites(club), name(club))));
            }
            _ => {}
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 230, "{ordering}");
    }
}
