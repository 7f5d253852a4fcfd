//! Tokens with which programs act for people: their life, and what they may do.

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::domain::TokenScope;
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

const TOKENS: &str = "/api/settings/tokens/";

/// A client with a new token of this person.
pub async fn program(campus: &TestCampus, person: &Client, body: Value) -> Client {
    let made = person.post(TOKENS, body).await.created();
    campus.with_token(made["token"].as_str().expect("a token"))
}

pub async fn with_scopes(campus: &TestCampus, person: &Client, scopes: &[TokenScope]) -> Client {
    program(campus, person, json!({ "name": "Test", "scopes": scopes })).await
}

// proves Z1
#[tokio::test]
async fn a_token_is_shown_once_and_ends() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let body = json!({ "name": "Nightly export", "scopes": ["members:read", "clubs:read"] });
    let idempotent = owner.clone().header("idempotency-key", "k");
    let made = idempotent.post(TOKENS, body.clone()).await.created();
    let text = made["token"].as_str().expect("a token").to_owned();
    assert_eq!(text.len(), 46);
    assert!(text.starts_with("clubs_"));
    assert!(text[6..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let one = format!("{TOKENS}{}/", id(&made));
    let shown = owner.get(&one).await.ok();
    assert_eq!(
        shown,
        json!({
            "id": made["id"], "name": "Nightly export", "club": null,
            "scopes": ["clubs:read", "members:read"],
            "created_at": "2026-11-21T09:00:00Z", "expires_at": "2027-02-19T09:00:00Z",
            "last_used_on": null,
        })
    );
    // A repeat shows the object without the token, and nothing stored has its text.
    assert_eq!(idempotent.post(TOKENS, body).await.created(), shown);
    assert_eq!(owner.get(TOKENS).await.ok(), json!([shown]));
    assert!(
        campus
            .stored()
            .iter()
            .all(|item| !item.to_string().contains(&text))
    );
    let token = campus.with_token(&text);
    token.get("/api/clubs/chess/members/").await.ok();
    let used = owner.get(&one).await.ok();
    assert_eq!(used["last_used_on"], "2026-11-21");
    owner.put(&one, json!({})).await.error(405);
    owner.patch(&one, json!({})).await.error(405);
    campus.as_("bob").delete(&one).await.error(404);
    campus.as_("bob").get(&one).await.error(404);
    owner.delete(&one).await.no_content();
    owner.delete(&one).await.error(404);
    let ended = token.get("/api/clubs/chess/members/").await;
    assert_eq!(ended.json()["code"], "invalid_token");
    ended.error(401);
    // Also where everybody may read.
    token.get("/api/clubs/").await.error(401);
}

// proves Z1
#[tokio::test]
async fn wrong_tokens_are_named() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let scopes = json!(["clubs:read"]);
    for (body, field) in [
        (json!({ "scopes": scopes }), "name"),
        (json!({ "name": " ", "scopes": scopes }), "name"),
        (json!({ "name": "n".repeat(101), "scopes": scopes }), "name"),
        (json!({ "name": "n" }), "scopes"),
        (json!({ "name": "n", "scopes": [] }), "scopes"),
        (json!({ "name": "n", "scopes": ["admin"] }), "scopes.0"),
        (
            json!({ "name": "n", "scopes": scopes, "club": "go" }),
            "club",
        ),
        (
            json!({ "name": "n", "scopes": scopes, "club": "%" }),
            "club",
        ),
        (
            json!({ "name": "n", "scopes": scopes, "expires_at": hours(-1) }),
            "expires_at",
        ),
        (
            json!({ "name": "n", "scopes": scopes, "expires_at": hours(24 * 366 + 1) }),
            "expires_at",
        ),
    ] {
        owner.post(TOKENS, body).await.invalid(&[field]);
    }
    let far = json!({ "name": "n", "scopes": scopes, "expires_at": hours(24 * 365) });
    owner.post(TOKENS, far).await.created();
}

// proves Z1
#[tokio::test]
async fn twenty_tokens_at_most_that_have_not_expired() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    let body = |hours_left: i64| json!({ "name": "n", "scopes": ["clubs:read"], "expires_at": hours(hours_left) });
    owner.post(TOKENS, body(1)).await.created();
    for _ in 1..20 {
        owner.post(TOKENS, body(24)).await.created();
    }
    let full = owner.post(TOKENS, body(24)).await;
    assert_eq!(full.json()["code"], "quota");
    full.error(400);
    campus.advance(TimeDelta::hours(2));
    owner.post(TOKENS, body(24)).await.created();
    assert_eq!(owner.post(TOKENS, body(24)).await.json()["code"], "quota");
}

// proves Z2
#[tokio::test]
async fn an_ended_token_is_refused_everywhere_within_a_minute() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let body = json!({ "name": "n", "scopes": ["members:read"] });
    let made = owner.post(TOKENS, body).await.created();
    let text = made["token"].as_str().expect("a token");
    let elsewhere = campus.another();
    let token = elsewhere.with_token(text);
    token.get("/api/clubs/chess/members/").await.ok();
    owner
        .delete(&format!("{TOKENS}{}/", id(&made)))
        .await
        .no_content();
    campus.with_token(text).get("/api/clubs/").await.error(401);
    elsewhere.advance(TimeDelta::seconds(61));
    token.get("/api/clubs/chess/members/").await.error(401);
}

// proves Z2
#[tokio::test]
async fn a_token_ends_when_its_person_does_not_come_any_more() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let body = json!({ "name": "n", "scopes": ["members:read"], "expires_at": hours(24 * 300) });
    let token = program(&campus, &owner, body).await;
    let members = "/api/clubs/chess/members/";
    campus.advance(TimeDelta::days(80));
    token.get(members).await.ok();
    campus.as_("ada").get("/api/memberships/").await.ok();
    campus.advance(TimeDelta::days(80));
    token.get(members).await.ok();
    campus.advance(TimeDelta::days(11));
    let response = token.get(members).await;
    assert!(response.text().contains("90 days"), "{}", response.text());
    response.error(401);
    // It does not wake when they come back, also if they make a new one first.
    let body = json!({ "name": "n", "scopes": ["members:read"], "expires_at": hours(24 * 300) });
    let newer = program(&campus, &campus.as_("ada"), body).await;
    campus.advance(TimeDelta::seconds(61));
    token.get(members).await.error(401);
    let left = campus.as_("ada").get("/api/settings/tokens/").await.ok();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    let token = newer;
    token.get(members).await.ok();
    campus.advance(TimeDelta::days(80));
    campus.as_("ada").get("/api/memberships/").await.ok();
    campus.advance(TimeDelta::days(60));
    let response = token.get(members).await;
    assert!(
        response.text().contains("it has expired"),
        "{}",
        response.text()
    );
    response.error(401);
}

// proves Z2
#[tokio::test]
async fn wrong_tokens_are_counted_by_address() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let token = with_scopes(&campus, &owner, &[TokenScope::ClubsRead]).await;
    token.get("/api/clubs/").await.ok();
    let unknown = shared::auth::TokenSecret::generate(shared::ids::Id::new(77), 3);
    let wrong = campus.with_token(&unknown);
    for _ in 0..20 {
        wrong.get("/api/clubs/").await.error(401);
    }
    let response = wrong.get("/api/clubs/").await;
    assert_eq!(response.header("retry-after"), "60");
    assert_eq!(response.json()["code"], "rate_limited");
    response.error(429);
    // Sessions and right tokens are not held up, also one that is used for the first time.
    token.get("/api/clubs/").await.ok();
    let new = with_scopes(&campus, &owner, &[TokenScope::ClubsRead]).await;
    new.get("/api/clubs/").await.ok();
    owner.get("/api/clubs/").await.ok();
    campus.advance(TimeDelta::seconds(61));
    wrong.get("/api/clubs/").await.error(401);
}

// proves Z1, P13, P14
#[tokio::test(start_paused = true)]
async fn an_erasure_ends_tokens_and_an_export_lists_them() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    let body = json!({ "name": "Portal", "scopes": ["clubs:read"] });
    let made = sue.post(TOKENS, body).await.created();
    let export = sue.get("/api/settings/export/").await.ok();
    assert_eq!(export["tokens"][0]["name"], "Portal");
    assert!(export["tokens"][0].get("token").is_none());
    let token = campus.with_token(made["token"].as_str().expect("a token"));
    token.get("/api/clubs/").await.ok();
    campus.erase(&sue).await;
    campus.advance(TimeDelta::seconds(61));
    token.get("/api/clubs/").await.error(401);
    // Whoever comes back has none.
    campus.advance(TimeDelta::hours(1));
    let back = campus.as_("sue");
    assert_eq!(back.get(TOKENS).await.ok(), json!([]));
    token.get("/api/clubs/").await.error(401);
}
