//! `/clubs/`: how soon the list shows a change, its entity tags, and what it costs

use chrono::TimeDelta;
use serde_json::json;
use tests::fixtures::{application, id};
use tests::{Setup, TestCampus};

// proves C9, L7
#[tokio::test]
async fn write_shows_at_once_elsewhere_and_counters_in_five_minutes() {
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

// proves H28, C2, L8
#[tokio::test]
async fn unchanged_list_is_304_and_one_read() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.club("go", &ada).await;
    ada.post("/api/clubs/go/applications/", application("x"))
        .await
        .created();
    let anybody = campus.anonymous();
    for path in [
        "/api/clubs/",
        "/api/clubs/?search=chess&ordering=alphabetical&page_size=1",
    ] {
        let tag = anybody.get(path).await.header("etag").to_owned();
        let existing =
            |campus: &TestCampus| campus.anonymous().header("if-none-match", tag.clone());
        let again = existing(&campus).get(path).await;
        assert_eq!((again.status.as_u16(), again.usage.calls), (304, 1));
        // A function that has nothing in memory makes the same tag.
        let elsewhere = existing(&campus.another()).get(path).await;
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
        assert_eq!(existing(&campus).get(&other_list).await.ok()["count"], 0);
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
        let later = existing(&campus).get(path).await;
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
        let changed = existing(&campus).get(path).await;
        assert_ne!(changed.header("etag"), tag);
        changed.ok();
    }
}

// proves H28, C9
#[tokio::test]
async fn change_by_time_alone_is_no_304() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut application = application("x");
    application["application_start_time"] = json!("2026-11-21T09:02:00Z");
    application["application_end_time"] = json!("2026-11-21T09:04:00Z");
    ada.post("/api/clubs/chess/applications/", application)
        .await
        .created();
    let path = "/api/clubs/?ordering=alphabetical";
    let mut tag = String::new();
    for (seconds, accepting) in [(0, false), (119, false), (1, true), (120, true), (1, false)] {
        campus.advance(TimeDelta::seconds(seconds));
        let response = campus
            .anonymous()
            .header("if-none-match", tag.clone())
            .get(path)
            .await;
        if seconds == 119 || seconds == 120 {
            assert_eq!(response.status, 304);
            continue;
        }
        tag = response.header("etag").to_owned();
        assert_eq!(response.ok()["results"][0]["accepting_members"], accepting);
    }
}

// proves L8
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
    let calls: u32 = answers.iter().map(|response| response.usage.calls).sum();
    assert!(
        answers
            .into_iter()
            .all(|response| response.ok()["count"] == 1)
    );
    // Each request reads the versions. The only part that was ever written is read once.
    assert_eq!(calls, 20 + 1);
}

// Reads are not isolated from a transaction that runs at the same moment. A reader may get the new
// version, and then an item in its old state.
// proves O5
#[tokio::test]
async fn item_read_too_early_is_read_again_after_a_minute() {
    let stale = std::sync::Arc::new(std::sync::Mutex::new((false, None)));
    let seen = stale.clone();
    let hook = move |call: local::engine::Call| {
        let is_tag =
            call.operation == "Query" && String::from_utf8_lossy(&call.body).contains("\"TAGS\"");
        let mut seen = seen.lock().expect("a lock");
        let reply = is_tag.then(|| call.apply(&call.body));
        let response = if seen.0 {
            seen.1.clone().filter(|_| is_tag)
        } else {
            None
        };
        if let Some(reply) = &reply {
            seen.1 = Some(reply.clone());
        }
        Box::pin(async move { response.or(reply) })
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
    campus.advance(TimeDelta::seconds(59));
    assert_eq!(name().await, "Old");
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(name().await, "New");
}
