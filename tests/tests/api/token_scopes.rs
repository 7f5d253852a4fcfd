//! What tokens may do: every operation with and without its scope.

use std::collections::HashMap;

use http::Method;
use serde_json::{Value, json};
use shared::domain::TokenScope;
use tests::fixtures::id;
use tests::operations;
use tests::scene::{NOBODY, OWNER, Scene};
use tests::{Client, Response, Setup, TestCampus};

use crate::tokens::{program, with_scopes};

fn is_out_of_scope(response: &Response) -> bool {
    response.status == 403 && response.json()["code"] == "scope"
}

/// The scope that the OpenAPI document names for an operation.
fn documented_scopes() -> std::collections::BTreeMap<String, Vec<TokenScope>> {
    let document = local::document();
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.values().filter_map(Value::as_object).flatten();
    let scope = |operation: &Value| {
        let ways = operation["security"].as_array().into_iter().flatten();
        let names: Vec<&str> = ways.filter_map(|way| way["token"][0].as_str()).collect();
        let is_named = |scope: &TokenScope| names.contains(&scope.word());
        TokenScope::ALL.into_iter().filter(is_named).collect()
    };
    operations
        .map(|(_, operation)| {
            let id = operation["operationId"].as_str().unwrap_or_default();
            (id.to_owned(), scope(operation))
        })
        .collect()
}

/// Tries a part of the operations with a token that has all scopes but one, and with one that has
/// only this one.
async fn try_every_scope(part: usize, parts: usize) {
    let documented = documented_scopes();
    let mut wrong = Vec::new();
    let first = Scene::new().await;
    let mut scene = first.again(Setup::default()).await;
    let mut tokens = HashMap::new();
    let mut is_fresh = true;
    for operation in operations::all().iter().skip(part).step_by(parts) {
        let id = operation.id;
        let scope: &Vec<TokenScope> = &documented[id];
        let is_public = operation.statuses[NOBODY] < 400;
        for is_right in [false, true] {
            if !is_fresh {
                scene = first.again(Setup::default()).await;
                tokens.clear();
            }
            let has = |one: &TokenScope| scope.contains(one) == is_right || scope.is_empty();
            let scopes: Vec<TokenScope> = TokenScope::ALL.into_iter().filter(has).collect();
            let owner = scene.callers[OWNER].clone();
            let key = json!(scopes).to_string();
            if !tokens.contains_key(&key) {
                let token = with_scopes(&scene.campus, &owner, &scopes).await;
                tokens.insert(key.clone(), token);
            }
            let token = &tokens[&key];
            let response = scene.send(operation, token).await;
            is_fresh = operation.method == Method::GET || !response.status.is_success();
            let expected = match !scope.is_empty() {
                true if is_right => operation.statuses[OWNER],
                _ if is_public => operation.statuses[NOBODY],
                _ => 403,
            };
            let needs_scope = expected == 403 && (!is_right || scope.is_empty());
            if response.status != expected || is_out_of_scope(&response) != needs_scope {
                let (status, text) = (response.status, response.text());
                wrong.push(format!("{id}, {is_right}: {status} not {expected}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// proves Z3
#[tokio::test(start_paused = true)]
async fn every_operation_needs_its_scope() {
    try_every_scope(0, 3).await;
}

// proves Z3
#[tokio::test(start_paused = true)]
async fn every_operation_needs_its_scope_continued() {
    try_every_scope(1, 3).await;
}

// proves Z3
#[tokio::test(start_paused = true)]
async fn every_operation_needs_its_scope_to_the_end() {
    try_every_scope(2, 3).await;
}

// proves Z2, Z3
#[tokio::test]
async fn token_has_its_persons_current_rights_without_admin() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = campus
        .member("chess", &recruitment.officer, "olga", 10)
        .await;
    let all = TokenScope::ALL;
    let token = with_scopes(&campus, &officer, &all).await;
    token.get("/api/clubs/chess/applications/").await.ok();
    let member = json!({ "role": 20 });
    let path = "/api/clubs/chess/members/olga/";
    recruitment.officer.patch(path, member).await.ok();
    // Members may read an application, but a token of a member may not.
    for path in ["/api/clubs/chess/applications/", recruitment.path.as_str()] {
        let response = token.get(path).await;
        assert_eq!(response.json()["code"], "permission_denied");
        response.error(403);
    }
    let root = campus.admin();
    let token = with_scopes(&campus, &root, &all).await;
    let change = json!({ "approved": false });
    let response = token.patch("/api/clubs/chess/", change).await;
    assert_eq!(response.json()["code"], "permission_denied");
    let tag = json!({ "name": "x" });
    assert!(is_out_of_scope(&token.post("/api/tags/", tag).await));
    assert!(is_out_of_scope(&token.get("/api/settings/").await));
}

// proves Z3
#[tokio::test]
async fn a_token_for_one_club_is_for_no_other_one() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    campus.club("go", &owner).await;
    let body = json!({ "name": "n", "scopes": TokenScope::ALL, "club": "chess" });
    let token = program(&campus, &owner, body).await;
    token.get("/api/clubs/chess/members/").await.ok();
    assert!(is_out_of_scope(&token.get("/api/clubs/go/members/").await));
    // It is told before the club is read.
    assert!(is_out_of_scope(
        &token.get("/api/clubs/nowhere/members/").await
    ));
    let new = json!({ "name": "New", "email": "new@clubs.example" });
    assert!(is_out_of_scope(&token.post("/api/clubs/", new).await));
    // What everybody may read, it may read too: as everybody.
    assert_eq!(token.get("/api/clubs/go/").await.ok()["code"], "go");
    token.get("/api/clubs/").await.ok();
}

// proves Z3
#[tokio::test]
async fn write_only_token_sees_no_addresses_and_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus
        .member("chess", &recruitment.officer, "sue", 20)
        .await;
    let submission = recruitment.submit(&sue).await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let writes = [TokenScope::MembersWrite, TokenScope::RecruitmentWrite];
    let token = with_scopes(&campus, &recruitment.officer, &writes).await;
    for (path, body) in [
        (one.as_str(), json!({ "status": 4 })),
        (
            "/api/clubs/chess/members/sue/",
            json!({ "title": "Treasurer" }),
        ),
    ] {
        let response = token.patch(path, body).await;
        let text = response.text();
        assert_eq!(response.header("etag"), "");
        response.ok();
        assert!(!text.contains('@') && !text.contains("Because"), "{text}");
        // A tag tells whether a guess is right.
        let tag = recruitment
            .officer
            .get(path)
            .await
            .header("etag")
            .to_owned();
        let guess = token.clone().header("if-match", tag);
        guess.patch(path, json!({})).await.error(412);
        let any = token.clone().header("if-match", "*");
        any.patch(path, json!({})).await.ok();
    }
    let both = [TokenScope::RecruitmentRead, TokenScope::RecruitmentWrite];
    let token = with_scopes(&campus, &recruitment.officer, &both).await;
    let whole = token.patch(&one, json!({ "status": 3 })).await.ok();
    assert_eq!(whole["responses"][0]["text"], "Because.");
    assert!(whole.to_string().contains("sue@uni.example"));
    // What is left out has no tag. The address of a club is public.
    let response = token.patch(&one, json!({ "status": 4 })).await;
    assert!(!response.header("etag").is_empty());
    let clubs = with_scopes(&campus, &recruitment.officer, &[TokenScope::ClubsWrite]).await;
    let public = json!({ "email": "chess@uni.example" });
    recruitment
        .officer
        .patch("/api/clubs/chess/", public)
        .await
        .ok();
    let response = clubs
        .patch("/api/clubs/chess/", json!({ "subtitle": "x" }))
        .await;
    let email = response.json()["email"].clone();
    assert!(
        email.as_str().is_some_and(|email| email.contains('@')),
        "{email}"
    );
    // A repeat with a key shows no more than the first answer.
    let link = json!({ "email": "ina@uni.example" });
    let token = with_scopes(&campus, &recruitment.officer, &writes).await;
    let idempotent = token.header("idempotency-key", "k");
    let invites = "/api/clubs/chess/invites/";
    let first = idempotent.post(invites, link.clone()).await.created();
    let again = idempotent.post(invites, link).await.created();
    assert_eq!(first, again);
    assert!(!first.to_string().contains('@'), "{first}");
}

// proves Z2, X3
#[tokio::test]
async fn a_token_never_gets_the_answer_to_a_key_of_somebody_else() {
    let campus = TestCampus::new();
    let owner = campus.as_("ada");
    campus.club("chess", &owner).await;
    let body = json!({ "note": "Fair" });
    let links = "/api/clubs/chess/joinlinks/";
    let idempotent = |client: &Client| client.clone().header("idempotency-key", "k");
    let made = idempotent(&owner).post(links, body.clone()).await.created();
    let reader = with_scopes(&campus, &owner, &[TokenScope::MembersRead]).await;
    assert!(is_out_of_scope(
        &idempotent(&reader).post(links, body.clone()).await
    ));
    let writer = with_scopes(&campus, &owner, &[TokenScope::MembersWrite]).await;
    let other = idempotent(&writer)
        .post(links, body.clone())
        .await
        .created();
    assert_ne!(other["id"], made["id"]);
    let again = idempotent(&writer).post(links, body).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.created(), other);
}

// proves Z3, M8, M13
#[tokio::test]
async fn a_token_does_not_do_what_only_the_member_does() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let olga = campus
        .member("chess", &recruitment.officer, "olga", 10)
        .await;
    let path = "/api/clubs/chess/members/olga/";
    olga.patch(path, json!({ "public": false })).await.ok();
    let token = with_scopes(&campus, &olga, &[TokenScope::MembersWrite]).await;
    token
        .patch(path, json!({ "public": true }))
        .await
        .error(403);
    token
        .patch(path, json!({ "title": "Treasurer" }))
        .await
        .ok();
    olga.patch(path, json!({ "public": true })).await.ok();
}

// proves Z3, X1
#[tokio::test]
async fn repeated_token_posts_are_done_once() {
    let documented = documented_scopes();
    let unchanged = Scene::new().await;
    for operation in operations::all() {
        let Some(scope) = documented[operation.id].first().copied() else {
            continue;
        };
        if operation.method != Method::POST {
            continue;
        }
        let scene = unchanged.again(Setup::default()).await;
        let owner = scene.callers[OWNER].clone();
        let token = with_scopes(&scene.campus, &owner, &[scope]).await;
        let token = token.header("idempotency-key", "k");
        let first = scene.send(&operation, &token).await;
        let again = scene.send(&operation, &token).await;
        let id = operation.id;
        assert_eq!(first.status, again.status, "{id}: {}", again.text());
        assert_eq!(first.bytes, again.bytes, "{id}");
    }
}

// proves H30, H36
#[tokio::test]
async fn program_responses_are_not_stored() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let token = with_scopes(&campus, &ada, &[TokenScope::ClubsRead]).await;
    for path in ["/api/clubs/", "/api/events/", "/api/events.ics"] {
        let response = token.get(path).await;
        let policy = response.header("cache-control").to_owned();
        assert_eq!(
            (response.status.as_u16(), &*policy),
            (200, "private, no-cache")
        );
    }
}

// proves Z3
#[tokio::test]
async fn programs_do_not_see_what_their_person_keeps() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for path in ["/api/favorites/", "/api/subscriptions/"] {
        ada.post(path, json!({ "club": "chess" })).await.created();
    }
    let token = with_scopes(&campus, &ada, &[TokenScope::ClubsRead]).await;
    let club = token.get("/api/clubs/chess/").await.ok();
    assert_eq!(
        (&club["is_favorite"], &club["is_subscribe"]),
        (&json!(false), &json!(false))
    );
    let club = ada.get("/api/clubs/chess/").await.ok();
    assert_eq!(
        (&club["is_favorite"], &club["is_subscribe"]),
        (&json!(true), &json!(true))
    );
}
