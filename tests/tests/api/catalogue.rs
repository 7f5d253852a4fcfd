//! `/clubs/`: tags, badges, and what a search finds

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

/// The codes of the clubs that a query lists.
pub(crate) async fn codes(client: &Client, query: &str) -> Vec<String> {
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

/// Clubs with tags: chess has both, go has the first one, and film has none.
struct Scene {
    campus: TestCampus,
    ada: Client,
    admin: Client,
    anybody: Client,
    /// The tag Games.
    games: u64,
    /// The tag Fine Arts.
    arts: u64,
    /// The badge Gold, which no club has yet.
    gold: u64,
    /// The answer to the creation of chess.
    made: Value,
}

impl Scene {
    async fn new() -> Self {
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
        ada.post(
            "/api/clubs/",
            json!({ "name": "go", "tags": [{ "id": games }] }),
        )
        .await
        .created();
        ada.post("/api/clubs/", json!({ "name": "film" }))
            .await
            .created();
        Self {
            campus,
            ada,
            admin,
            anybody,
            games,
            arts,
            gold,
            made,
        }
    }

    /// The codes of the clubs that a query finds, by name.
    async fn by(&self, query: &str) -> Vec<String> {
        codes(&self.anybody, &format!("?ordering=alphabetical&{query}")).await
    }
}

// proves H13, C8, V7
#[tokio::test]
async fn tags_and_badges_are_given_and_shown() {
    let scene = Scene::new().await;
    let (ada, admin, anybody) = (&scene.ada, &scene.admin, &scene.anybody);
    let (games, arts, gold, made) = (scene.games, scene.arts, scene.gold, &scene.made);
    let both = json!([{ "id": arts, "name": "Fine Arts" }, { "id": games, "name": "Games" }]);
    assert_eq!(
        (&made["tags"], &made["badges"]),
        (&both, &json!([])),
        "ordered by name, without the badge"
    );
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
    // PUT accepts what GET returned.
    let got = admin.get("/api/clubs/go/").await.ok();
    assert_eq!(admin.put("/api/clubs/go/", got.clone()).await.ok(), got);
    assert_eq!(tests::recount::recount(&scene.campus), [""; 0]);
}

// proves H27, C11
#[tokio::test]
async fn clubs_are_filtered_by_tags_and_badges() {
    let scene = Scene::new().await;
    let (ada, admin) = (&scene.ada, &scene.admin);
    let (games, arts, gold) = (scene.games, scene.arts, scene.gold);
    admin
        .patch("/api/clubs/go/", json!({ "badges": [gold] }))
        .await
        .ok();
    assert_eq!(scene.by("tags=games").await, ["chess", "go"]);
    assert_eq!(scene.by(&format!("tags={games}")).await, ["chess", "go"]);
    assert_eq!(
        scene.by("tags=G%C3%84MES,fine+arts").await,
        ["chess"],
        "all must match"
    );
    assert_eq!(
        scene.by(&format!("tags={games},%20{arts},")).await,
        ["chess"]
    );
    assert_eq!(scene.by("tags=").await, ["chess", "film", "go"]);
    for nothing in [
        "tags=unknown",
        "tags=games,unknown",
        "tags=77",
        "tags=game",
        "badges=silver",
        "badges=77",
    ] {
        assert_eq!(scene.by(nothing).await, [""; 0], "{nothing}");
    }
    for query in [
        "badges=gold".into(),
        format!("badges={gold}"),
        "badges=GOLD&tags=games".into(),
    ] {
        assert_eq!(scene.by(&query).await, ["go"]);
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
    assert_eq!(scene.by("badges=silver,%202026").await, ["film"]);
    assert_eq!(scene.by(&format!("badges={silver},{gold}")).await, ["film"]);
    admin
        .patch("/api/clubs/film/", json!({ "badges": [] }))
        .await
        .ok();
    ada.get(&format!("/api/clubs/?search={}", "x".repeat(256)))
        .await
        .invalid(&["search"]);
    assert_eq!(tests::recount::recount(&scene.campus), [""; 0]);
}

// proves C10, C21, L7
#[tokio::test]
async fn words_may_have_mistakes_and_are_found_in_tags_too() {
    let scene = Scene::new().await;
    let (admin, anybody, arts) = (&scene.admin, &scene.anybody, scene.arts);
    // Words may have mistakes if that is asked for: in names, codes and tags.
    assert_eq!(scene.by("search=chesz").await, [""; 0]);
    for word in ["chesz", "hcess", "ches", "cheess", "fnie", "FÍLNM"] {
        let found = scene.by(&format!("search={word}&similar=true")).await;
        assert_eq!(found.len(), 1, "{word}: {found:?}");
    }
    for word in ["chxyz", "og", "gox", "nothing+chess"] {
        let found = scene.by(&format!("search={word}&similar=true")).await;
        assert_eq!(found, [""; 0], "{word}");
    }
    // A search also finds words of tags, and the new name after a tag was renamed.
    assert_eq!(scene.by("search=fine+chess").await, ["chess"]);
    admin
        .patch(&format!("/api/tags/{arts}/"), json!({ "name": "Crafts" }))
        .await
        .ok();
    assert_eq!(
        (
            scene.by("search=fine").await,
            scene.by("search=cr%C3%A1fts").await
        ),
        (vec![], vec!["chess".to_owned()])
    );
    assert_eq!(
        anybody.get("/api/clubs/chess/").await.ok()["tags"][0]["name"],
        "Crafts"
    );
    let name = json!({ "name": "Women’s Rugby" });
    let path = format!("/api/tags/{arts}/");
    admin.patch(&path, name).await.ok();
    for word in ["women%27s", "women%E2%80%99s"] {
        assert_eq!(scene.by(&format!("search={word}")).await, ["chess"]);
    }
    assert_eq!(tests::recount::recount(&scene.campus), [""; 0]);
}

// proves C8
#[tokio::test]
async fn wrong_tags_and_badges_are_named_and_limited_to_twenty() {
    let scene = Scene::new().await;
    let (ada, admin) = (&scene.ada, &scene.admin);
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
        many.push(tag(admin, &format!("tag {n}")).await);
    }
    ada.patch("/api/clubs/chess/", json!({ "tags": many }))
        .await
        .invalid(&["tags"]);
    ada.patch("/api/clubs/chess/", json!({ "tags": many[..20] }))
        .await
        .ok();
    assert_eq!(tests::recount::recount(&scene.campus), [""; 0]);
}

// proves H27, C10
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

// proves C2
#[tokio::test]
async fn the_list_names_the_next_event_of_a_club() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    let event = async |name: &str, from: i64| {
        let events = "/api/clubs/chess/events/";
        let body = json!({ "name": name, "event_type": 1 });
        let event = ada.post(events, body).await.created();
        let path = format!("{events}{}/showings/", event["id"]);
        let times = json!({ "start_time": hours(from), "end_time": hours(from + 2) });
        ada.post(&path, times).await.created();
    };
    event("Blitz", 30).await;
    event("Lesson", 3).await;
    let shown = async || {
        let visitor = campus.anonymous();
        let list = visitor.get("/api/clubs/?ordering=alphabetical").await;
        list.ok()["results"].clone()
    };
    let next = shown().await[0]["next_event"].clone();
    assert_eq!(
        (&next["name"], &next["start_time"]),
        (&json!("Lesson"), &json!(hours(3)))
    );
    assert_eq!(shown().await[1]["next_event"], json!(null));
    // What is on is next; what is over is not.
    campus.advance(TimeDelta::hours(4));
    assert_eq!(shown().await[0]["next_event"]["name"], "Lesson");
    campus.advance(TimeDelta::hours(2));
    assert_eq!(shown().await[0]["next_event"]["name"], "Blitz");
    let one = ada.get("/api/clubs/chess/").await.ok();
    assert_eq!(one.get("next_event"), None);
}
