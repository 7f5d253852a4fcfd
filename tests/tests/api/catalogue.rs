//! `/clubs/`: filters, orders, entity tags, and how soon the list shows a change
//!
//! Proves H8, H13, H22, H27, H28, C2, C8, C9, C10, C11, C12, C13, C14, C21, V7, L7, L8, O5.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

async fn codes(client: &Client, query: &str) -> Vec<String> {
    let page = client.get(&format!("/api/clubs/{query}")).await.ok();
    let all = page["results"].as_array().cloned().unwrap_or_default();
    assert_eq!(page["count"], all.len());
    all.iter()
        .map(|club| club["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

async fn tag(admin: &Client, name: &str) -> u64 {
    id(&admin
        .post("/api/tags/", json!({ "name": name }))
        .await
        .created())
}

#[tokio::test]
async fn tags_and_badges_are_given_shown_and_filtered_by() {
    let campus = TestCampus::new();
    let (ada, admin, anybody) = (campus.as_("ada"), campus.admin(), campus.anonymous());
    let (games, arts) = (tag(&admin, "Games").await, tag(&admin, "Fine Arts").await);
    let gold = id(&admin
        .post(
            "/api/badges/",
            json!({ "label": "Gold", "color": "#ffd700" }),
        )
        .await
        .created());
    let made = ada
        .post(
            "/api/clubs/",
            json!({ "name": "chess", "tags": [games, arts, games], "badges": [gold] }),
        )
        .await
        .created();
    let both = json!([{ "id": arts, "name": "Fine Arts" }, { "id": games, "name": "Games" }]);
    assert_eq!(
        (&made["tags"], &made["badges"]),
        (&both, &json!([])),
        "ordered by name, without the badge"
    );
    ada.post(
        "/api/clubs/",
        json!({ "name": "go", "tags": [{ "id": games }] }),
    )
    .await
    .created();
    ada.post("/api/clubs/", json!({ "name": "film" }))
        .await
        .created();
    ada.patch("/api/clubs/go/", json!({ "badges": [gold] }))
        .await
        .ok();
    let badge = json!([{
        "id": gold,
        "label": "Gold",
        "purpose": "",
        "description": "",
        "color": "#ffd700",
    }]);
    assert_eq!(
        admin
            .patch("/api/clubs/go/", json!({ "badges": [gold] }))
            .await
            .ok()["badges"],
        badge
    );
    assert_eq!(ada.get("/api/clubs/go/").await.ok()["badges"], badge);
    let event =
        json!({ "name": "x", "showings": [{ "start_time": hours(1), "end_time": hours(2) }] });
    let event = ada.post("/api/clubs/go/events/", event).await.created();
    let one = format!("events/{}/", id(&event));
    for found in [
        event,
        anybody.get(&format!("/api/{one}")).await.ok(),
        ada.get(&format!("/api/clubs/go/{one}")).await.ok(),
        ada.get("/api/clubs/go/events/").await.ok()[0].clone(),
        anybody.get("/api/events/").await.ok()["results"][0].clone(),
        ada.patch(&format!("/api/clubs/go/{one}"), json!({ "name": "y" }))
            .await
            .ok(),
    ] {
        assert_eq!(found["badges"], badge);
    }
    let by = async |query: &str| codes(&anybody, &format!("?ordering=alphabetical&{query}")).await;
    assert_eq!(by("tags=games").await, ["chess", "go"]);
    assert_eq!(by(&format!("tags={games}")).await, ["chess", "go"]);
    assert_eq!(
        by("tags=G%C3%84MES,fine+arts").await,
        ["chess"],
        "all must match"
    );
    assert_eq!(by(&format!("tags={games},%20{arts},")).await, ["chess"]);
    assert_eq!(by("tags=").await, ["chess", "film", "go"]);
    for nothing in [
        "tags=unknown",
        "tags=games,unknown",
        "tags=77",
        "tags=game",
        "badges=silver",
        "badges=77",
    ] {
        assert_eq!(by(nothing).await, [""; 0], "{nothing}");
    }
    for query in [
        "badges=gold".into(),
        format!("badges={gold}"),
        "badges=GOLD&tags=games".into(),
    ] {
        assert_eq!(by(&query).await, ["go"]);
    }
    // A badge whose name has a comma is found.
    let silver = id(&admin
        .post("/api/badges/", json!({ "label": "Silver, 2026" }))
        .await
        .created());
    admin
        .patch("/api/clubs/film/", json!({ "badges": [silver, gold] }))
        .await
        .ok();
    assert_eq!(by("badges=silver,%202026").await, ["film"]);
    assert_eq!(by(&format!("badges={silver},{gold}")).await, ["film"]);
    admin
        .patch("/api/clubs/film/", json!({ "badges": [] }))
        .await
        .ok();
    ada.get(&format!("/api/clubs/?search={}", "x".repeat(256)))
        .await
        .invalid(&["search"]);
    // PUT accepts what GET returned.
    let got = admin.get("/api/clubs/go/").await.ok();
    assert_eq!(admin.put("/api/clubs/go/", got.clone()).await.ok(), got);
    // Words may have mistakes if that is asked for: in names, codes and tags.
    assert_eq!(by("search=chesz").await, [""; 0]);
    for word in ["chesz", "hcess", "ches", "cheess", "fnie", "FÍLNM"] {
        let found = by(&format!("search={word}&similar=true")).await;
        assert_eq!(found.len(), 1, "{word}: {found:?}");
    }
    for word in ["chxyz", "og", "gox", "nothing+chess"] {
        let found = by(&format!("search={word}&similar=true")).await;
        assert_eq!(found, [""; 0], "{word}");
    }
    // A search also finds words of tags, and the new name after a tag was renamed.
    assert_eq!(by("search=fine+chess").await, ["chess"]);
    admin
        .patch(&format!("/api/tags/{arts}/"), json!({ "name": "Crafts" }))
        .await
        .ok();
    assert_eq!(
        (by("search=fine").await, by("search=cr%C3%A1fts").await),
        (vec![], vec!["chess".to_owned()])
    );
    assert_eq!(
        anybody.get("/api/clubs/chess/").await.ok()["tags"][0]["name"],
        "Crafts"
    );
    for wrong in [
        json!([77]),
        json!(["Games"]),
        json!("games"),
        json!(null),
        json!([-1]),
    ] {
        let named = ada
            .patch("/api/clubs/chess/", json!({ "tags": wrong }))
            .await;
        assert!(
            named.json()["errors"]
                .as_object()
                .is_some_and(|errors| errors.keys().all(|key| key.starts_with("tags"))),
            "{wrong}"
        );
        named.error(400);
    }
    admin
        .patch("/api/clubs/chess/", json!({ "badges": [77] }))
        .await
        .invalid(&["badges"]);
    let mut many = Vec::new();
    for n in 0..21 {
        many.push(tag(&admin, &format!("tag {n}")).await);
    }
    ada.patch("/api/clubs/chess/", json!({ "tags": many }))
        .await
        .invalid(&["tags"]);
    ada.patch("/api/clubs/chess/", json!({ "tags": many[..20] }))
        .await
        .ok();
    assert_eq!(tests::recount::recount(&campus), [""; 0]);
}

#[tokio::test]
async fn every_word_is_found_whatever_its_case_and_diacritics() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for (name, description) in [
        ("Größe", "<p>Straßen &amp; <b>Wege</b></p>"),
        ("Ναυτικός όμιλος", "<p>Ιστιοπλοΐα</p>"),
        ("Chœur İstanbul", "<p>ﬁlm, Ⅷ, ｗｉｄｅ</p>"),
        ("映画部", "<p>週末に映画を見る</p>"),
    ] {
        ada.post(
            "/api/clubs/",
            json!({ "name": name, "description": description }),
        )
        .await
        .created();
    }
    for (search, found) in [
        ("GROSSE", 1),
        ("große+strassen", 1),
        ("grosse+wege", 1),
        ("ΝΑΥΤΙΚΟΣ+ιστιοπλοια", 1),
        ("istanbul", 1),
        ("film+viii+WIDE", 1),
        ("映画", 1),
        ("週末に映", 1),
        ("grosse+film", 0),
        ("%26", 1),
        ("amp", 0),
        ("++", 4),
    ] {
        let query = search
            .split('+')
            .map(|word| {
                if word == "%26" {
                    word.to_owned()
                } else {
                    encode(word)
                }
            })
            .collect::<Vec<_>>()
            .join("+");
        assert_eq!(
            codes(&ada, &format!("?search={query}")).await.len(),
            found,
            "{search}"
        );
    }
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

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
    ada.post(
        "/api/clubs/d-open/applications/",
        tests::fixtures::application("x"),
    )
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

#[tokio::test]
async fn equals_change_their_places_daily() {
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

#[tokio::test]
async fn every_page_of_every_order_is_a_part_of_one_list() {
    let campus = TestCampus::new();
    let table = &campus.campus.app.table;
    table
        .load_clubs(&(0..230).map(tests::fixtures::club).collect::<Vec<_>>())
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

#[tokio::test]
async fn a_write_shows_at_once_in_other_functions_and_counters_within_five_minutes() {
    let campus = TestCampus::new();
    let other = campus.another();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let anybody = other.anonymous();
    let listed = async || anybody.get("/api/clubs/").await.ok()["results"][0].clone();
    assert_eq!(listed().await["favorite_count"], 0);
    ada.patch("/api/clubs/chess/", json!({ "name": "Chess!" }))
        .await
        .ok();
    assert_eq!(listed().await["name"], "Chess!");
    campus
        .as_("sue")
        .post("/api/favorites/", json!({ "club": "chess" }))
        .await
        .created();
    campus.member("chess", &ada, "mia", 20).await;
    let exact = anybody.get("/api/clubs/chess/").await.ok();
    assert_eq!(
        (&exact["favorite_count"], &exact["membership_count"]),
        (&json!(1), &json!(2)),
        "exact on the club itself"
    );
    let lagging = anybody.get("/api/clubs/").await;
    assert_eq!(lagging.usage.calls, 1, "a counter loads nothing");
    campus.advance(TimeDelta::minutes(5));
    let now = listed().await;
    assert_eq!(
        (&now["favorite_count"], &now["membership_count"]),
        (&json!(1), &json!(2))
    );
    let tag = id(&campus
        .admin()
        .post("/api/tags/", json!({ "name": "Games" }))
        .await
        .created());
    ada.patch("/api/clubs/chess/", json!({ "tags": [tag] }))
        .await
        .ok();
    assert_eq!(listed().await["tags"][0]["name"], "Games");
    campus
        .admin()
        .patch(&format!("/api/tags/{tag}/"), json!({ "name": "Play" }))
        .await
        .ok();
    assert_eq!(listed().await["tags"][0]["name"], "Play");
}

#[tokio::test]
async fn an_unchanged_list_is_a_304_and_costs_a_warm_function_one_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    ada.post(
        "/api/clubs/go/applications/",
        tests::fixtures::application("x"),
    )
    .await
    .created();
    let anybody = campus.anonymous();
    for path in [
        "/api/clubs/",
        "/api/clubs/?search=chess&ordering=alphabetical&page_size=1",
    ] {
        let tag = anybody.get(path).await.header("etag").to_owned();
        let known = |campus: &TestCampus| campus.anonymous().header("if-none-match", tag.clone());
        let again = known(&campus).get(path).await;
        assert_eq!((again.status.as_u16(), again.usage.calls), (304, 1));
        // A function that has nothing in memory makes the same tag.
        let elsewhere = known(&campus.another()).get(path).await;
        assert_eq!(
            (elsewhere.status.as_u16(), elsewhere.header("etag")),
            (304, tag.as_str())
        );
        // The entity tag of this list does not match another list, or the same list of a caller who
        // sees something else.
        let other_list = format!(
            "{path}{}active=false",
            if path.contains('?') { "&" } else { "?" }
        );
        assert_eq!(known(&campus).get(&other_list).await.ok()["count"], 0);
        let sue = campus.as_("sue");
        sue.post("/api/favorites/", json!({ "club": "chess" }))
            .await
            .created();
        let page = sue
            .clone()
            .header("if-none-match", tag.clone())
            .get(path)
            .await
            .ok();
        assert!(
            page["results"]
                .as_array()
                .is_some_and(|clubs| clubs.iter().any(|club| club["is_favorite"] == true))
        );
        sue.delete("/api/favorites/chess/").await.no_content();
        // After five minutes the counters are read again. They are the same, so this is 304.
        campus.advance(TimeDelta::minutes(5));
        let later = known(&campus).get(path).await;
        assert_eq!(
            (later.status.as_u16(), later.header("etag")),
            (304, tag.as_str())
        );
        assert!(later.usage.calls > 1);
        ada.patch(
            "/api/clubs/chess/",
            json!({ "subtitle": format!("for {path}") }),
        )
        .await
        .ok();
        let changed = known(&campus).get(path).await;
        assert_ne!(changed.header("etag"), tag);
        changed.ok();
    }
}

#[tokio::test]
async fn what_time_alone_changes_is_no_304() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut application = tests::fixtures::application("x");
    application["application_start_time"] = json!("2026-11-21T09:02:00Z");
    application["application_end_time"] = json!("2026-11-21T09:04:00Z");
    ada.post("/api/clubs/chess/applications/", application)
        .await
        .created();
    let path = "/api/clubs/?ordering=alphabetical";
    let mut tag = String::new();
    for (seconds, accepting) in [(0, false), (119, false), (1, true), (120, true), (1, false)] {
        campus.advance(TimeDelta::seconds(seconds));
        let answer = campus
            .anonymous()
            .header("if-none-match", tag.clone())
            .get(path)
            .await;
        if seconds == 119 || seconds == 120 {
            assert_eq!(answer.status, 304);
            continue;
        }
        tag = answer.header("etag").to_owned();
        assert_eq!(answer.ok()["results"][0]["accepting_members"], accepting);
    }
}

#[tokio::test]
async fn the_catalogue_is_loaded_once_for_many_who_ask_at_once() {
    let campus = TestCampus::new();
    campus.club("chess", &campus.as_("ada")).await;
    let other = campus.another();
    let answers = futures::future::join_all((0..20).map(|_| {
        let client = other.anonymous();
        async move { client.get("/api/clubs/?ordering=alphabetical").await }
    }))
    .await;
    let calls: u32 = answers.iter().map(|answer| answer.usage.calls).sum();
    assert!(answers.into_iter().all(|answer| answer.ok()["count"] == 1));
    // Each request reads the versions. The only part that was ever written is read once.
    assert_eq!(calls, 20 + 1);
}

// Reads are not isolated from a transaction that runs at the same moment. A reader may get the new
// version, and then an item in its old state.
#[tokio::test]
async fn a_part_that_was_read_too_early_is_read_again_after_a_while() {
    let stale = std::sync::Arc::new(std::sync::Mutex::new((false, None)));
    let seen = stale.clone();
    let hook = move |call: local::engine::Call| {
        let is_part =
            call.operation == "Query" && String::from_utf8_lossy(&call.body).contains("\"TAGS\"");
        let mut seen = seen.lock().expect("a lock");
        let reply = is_part.then(|| call.apply(&call.body));
        let answer = if seen.0 {
            seen.1.clone().filter(|_| is_part)
        } else {
            None
        };
        if let Some(reply) = &reply {
            seen.1 = Some(reply.clone());
        }
        Box::pin(async move { answer.or(reply) })
            as futures::future::BoxFuture<'static, Option<local::engine::Reply>>
    };
    let campus = Setup::default().hook(std::sync::Arc::new(hook)).build();
    let (admin, anybody) = (campus.admin(), campus.anonymous());
    let tag = id(&admin
        .post("/api/tags/", json!({ "name": "Old" }))
        .await
        .created());
    let name = async || anybody.get("/api/tags/").await.ok()[0]["name"].clone();
    assert_eq!(name().await, "Old");
    stale.lock().expect("a lock").0 = true;
    admin
        .patch(&format!("/api/tags/{tag}/"), json!({ "name": "New" }))
        .await
        .ok();
    assert_eq!(
        name().await,
        "Old",
        "the old item is kept with the new version"
    );
    stale.lock().expect("a lock").0 = false;
    campus.advance(TimeDelta::minutes(14));
    assert_eq!(name().await, "Old");
    campus.advance(TimeDelta::minutes(1));
    assert_eq!(name().await, "New");
}
