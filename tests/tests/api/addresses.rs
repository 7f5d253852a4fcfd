//! Whose address officers see, how many people a club adds, and who may use a join link again

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, id};
use tests::{Client, TestCampus};

const IMPORT: &str = "/api/clubs/chess/members/import/";

async fn club() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

async fn member(client: &Client, name: &str) -> Value {
    client
        .get(&format!("/api/clubs/chess/members/{name}/"))
        .await
        .ok()
}

async fn link(ada: &Client, body: Value) -> (String, Value) {
    let link = ada
        .post("/api/clubs/chess/joinlinks/", body)
        .await
        .created();
    let url = link["url"].as_str().unwrap_or_default();
    let token = url
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let path = format!("/api/clubs/chess/joinlinks/{}/join/", id(&link));
    (path, json!({ "token": token }))
}

// proves M13
#[tokio::test]
async fn import_by_username_hides_address_until_confirmed() {
    let (campus, ada) = club().await;
    let names = ["patch", "apply", "link", "ask", "silent", "mail", "asked"];
    for name in names {
        campus.as_(name).get("/api/settings/").await.ok();
    }
    let ask = json!({ "club": "chess" });
    campus
        .as_("asked")
        .post("/api/requests/membership/", ask.clone())
        .await
        .created();
    let mut rows: Vec<Value> = names
        .iter()
        .map(|name| json!({ "username": name }))
        .collect();
    rows[5] = json!({ "username": "mail", "email": "mail@uni.example" });
    ada.raw(
        http::Method::POST,
        IMPORT,
        Some("application/json"),
        json!(rows).to_string(),
    )
    .await
    .ok();
    let shown = async |name: &str| {
        let shown = member(&ada, name).await;
        (shown["email"].is_string(), shown["confirmed"].clone())
    };
    for name in names {
        let existing = ["mail", "asked"].contains(&name);
        assert_eq!(shown(name).await, (existing, json!(existing)), "{name}");
        // Admins and the members themselves see it.
        assert!(member(&campus.admin(), name).await["email"].is_string());
    }
    let recruitment = ada
        .post("/api/clubs/chess/applications/", application("Fall"))
        .await
        .created();
    let path = format!(
        "/api/clubs/chess/applications/{}/submissions/",
        id(&recruitment)
    );
    campus
        .as_("apply")
        .post(&path, json!({ "responses": [] }))
        .await
        .created();
    let own = "/api/clubs/chess/members/patch/";
    campus
        .as_("patch")
        .patch(own, json!({ "public": true }))
        .await
        .ok();
    let (path, token) = link(&ada, json!({})).await;
    campus.as_("link").post(&path, token).await.error(400);
    campus
        .as_("ask")
        .post("/api/requests/membership/", ask)
        .await
        .error(400);
    for name in ["patch", "apply", "link", "ask"] {
        assert_eq!(shown(name).await, (true, json!(true)), "{name}");
    }
    assert_eq!(shown("silent").await, (false, json!(false)));
    // An officer who changes the member confirms nothing.
    ada.patch("/api/clubs/chess/members/silent/", json!({ "title": "x" }))
        .await
        .ok();
    assert_eq!(shown("silent").await, (false, json!(false)));
    let seen = member(&campus.as_("patch"), "silent").await;
    assert_eq!(
        (&seen["email"], &seen["confirmed"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(member(&ada, "ada").await["confirmed"], true);
}

// proves M13, M14
#[tokio::test]
async fn fifty_strangers_a_day_are_added_one_by_one() {
    let (campus, ada) = club().await;
    let path = "/api/clubs/chess/members/";
    let mut people = Vec::new();
    for n in 0..53 {
        people.push(id(&campus
            .as_(&format!("p{n}"))
            .get("/api/settings/")
            .await
            .ok()));
    }
    for person in &people[..50] {
        let added = ada.post(path, json!({ "person": person })).await.created();
        assert!(added["email"].is_string());
    }
    let refused = ada.post(path, json!({ "person": people[50] })).await;
    assert!(
        refused
            .header("retry-after")
            .parse::<u64>()
            .is_ok_and(|after| after > 80_000)
    );
    refused.error(429);
    // Who asked, or has applied, is no stranger.
    let ask = json!({ "club": "chess" });
    campus
        .as_("p51")
        .post("/api/requests/membership/", ask)
        .await
        .created();
    ada.post(path, json!({ "person": people[51] }))
        .await
        .created();
    let recruitment = ada
        .post("/api/clubs/chess/applications/", application("Fall"))
        .await
        .created();
    let submissions = format!(
        "/api/clubs/chess/applications/{}/submissions/",
        id(&recruitment)
    );
    campus
        .as_("p52")
        .post(&submissions, json!({ "responses": [] }))
        .await
        .created();
    let added = ada
        .post(path, json!({ "person": people[52] }))
        .await
        .created();
    assert_eq!(added["confirmed"], true);
    campus.advance(TimeDelta::hours(24));
    ada.post(path, json!({ "person": people[50] }))
        .await
        .created();
}

// proves M14
#[tokio::test]
async fn three_hundred_people_a_day_are_added_or_invited() {
    let (campus, ada) = club().await;
    let mut rows = Vec::new();
    for n in 0..301 {
        campus
            .as_(&format!("p{n}"))
            .get("/api/settings/")
            .await
            .ok();
        rows.push(json!({ "username": format!("p{n}") }));
    }
    let dry = format!("{IMPORT}?dry_run=true");
    for path in [dry.as_str(), IMPORT] {
        let body = json!(rows).to_string();
        let done = ada
            .raw(http::Method::POST, path, Some("application/json"), body)
            .await
            .ok();
        assert_eq!(done["created"], 300, "{path}");
        assert_eq!(done["errors"][0]["row"], 301, "{path}");
    }
    ada.post(
        "/api/clubs/chess/invites/",
        json!({ "email": "x@uni.example" }),
    )
    .await
    .error(429);
}

// proves J7
#[tokio::test]
async fn join_link_counts_people_and_ends_with_its_creators_rights() {
    let (campus, ada) = club().await;
    let bob = campus.member("chess", &ada, "bob", 10).await;
    let (path, token) = link(&bob, json!({ "max_uses": 1 })).await;
    let sue = campus.as_("sue");
    let join = async |client: &Client| client.post(&path, token.clone()).await;
    join(&sue).await.ok();
    assert_eq!(join(&sue).await.json()["code"], "already_member");
    assert_eq!(
        join(&campus.as_("tom")).await.json()["code"],
        "invite_unusable"
    );
    // Who comes back does not use it up again, and may come back although it is used up.
    for _ in 0..2 {
        sue.delete("/api/clubs/chess/members/sue/")
            .await
            .no_content();
        join(&sue).await.ok();
    }
    let links = bob.get("/api/clubs/chess/joinlinks/").await.ok();
    assert_eq!(links[0]["uses"], 1);
    bob.patch(
        &format!("/api/clubs/chess/joinlinks/{}/", id(&links[0])),
        json!({ "max_uses": 2 }),
    )
    .await
    .ok();
    ada.patch("/api/clubs/chess/members/bob/", json!({ "role": 20 }))
        .await
        .ok();
    assert_eq!(
        join(&campus.as_("tom")).await.json()["code"],
        "invite_unusable"
    );
    ada.patch("/api/clubs/chess/members/bob/", json!({ "role": 10 }))
        .await
        .ok();
    join(&campus.as_("tom")).await.ok();
    let (path, token) = link(&campus.admin(), json!({})).await;
    campus.as_("kim").post(&path, token).await.ok();
}
