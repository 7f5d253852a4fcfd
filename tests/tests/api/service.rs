//! `/health/`, `/openapi.json`, `/docs/`, `/local/…`

use std::sync::Arc;

use local::engine::Reply;
use serde_json::json;
use tests::{Setup, TestCampus};

// proves O1
#[tokio::test]
async fn health_document_and_page() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    assert_eq!(
        anybody.get("/api/health/").await.ok(),
        json!({ "status": "ok" })
    );
    let older = anybody.get("/api/openapi-3.0.json").await.ok();
    assert_eq!(older["openapi"], "3.0.3");
    // A generated client has the address of the service that gave it the document.
    let asked = anybody.clone().header("host", "clubs.example:8443");
    let document = asked.get("/api/openapi.json").await.ok();
    assert_eq!(document["servers"][0]["url"], "http://clubs.example:8443");
    assert_eq!(older["servers"][0]["url"], "http://clubs.example");
    let document = anybody.get("/api/openapi.json").await.ok();
    assert!(
        document["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1"))
    );
    let page = anybody.get("/api/docs/").await;
    assert_eq!(page.header("content-type"), "text/html");
    assert!(page.text().contains("<base href=\"/api/docs/\">"));
    assert_eq!(anybody.get("/api/docs").await.text(), page.text());
    assert!(
        !page.text().contains("https://") && !page.text().contains("http://"),
        "the page names another host"
    );
    for file in [
        "swagger-ui-bundle.js",
        "swagger-ui.css",
        "swagger-initializer.js",
    ] {
        assert_eq!(
            anybody.get(&format!("/api/docs/{file}")).await.status,
            200,
            "{file}"
        );
    }
    let initializer = anybody.get("/api/docs/swagger-initializer.js").await.text();
    assert!(initializer.contains("../openapi.json"), "{initializer}");
    anybody.get("/api/docs/nothing.js").await.error(404);
}

// proves O10, O13
#[tokio::test]
async fn tokens_mails_and_the_clock_of_the_local_service() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    let response = anybody
        .post(
            "/local/token",
            json!({ "username": "sue", "expires_in": 60 }),
        )
        .await
        .ok();
    assert_eq!(
        (&response["token_type"], &response["expires_in"]),
        (&json!("Bearer"), &json!(60))
    );
    let sue = campus.with_token(response["access_token"].as_str().unwrap_or_default());
    assert_eq!(
        sue.get("/api/settings/").await.ok()["email"],
        "",
        "without an address the token has no e-mail claim"
    );
    anybody
        .post("/local/clock", json!({ "advance_s": 60 }))
        .await
        .ok();
    sue.get("/api/settings/").await.error(401);
    anybody
        .post("/local/token", json!({ "username": " " }))
        .await
        .error(400);
    anybody.post("/local/token", json!({})).await.error(400);
    let keys = anybody.get("/local/.well-known/jwks.json").await.ok();
    assert_eq!(
        (&keys["keys"][0]["kty"], keys["keys"][0].get("d")),
        (&json!("EC"), None)
    );
    let discovery = anybody
        .get("/local/.well-known/openid-configuration")
        .await
        .ok();
    assert_eq!(discovery["issuer"], local::issuer::ISSUER);
    let keys_at = format!("{}/.well-known/jwks.json", local::issuer::ISSUER);
    assert_eq!(discovery["jwks_uri"], keys_at);
    assert_eq!(anybody.get("/local/mail.json").await.ok(), json!([]));
    anybody.delete("/local/mail.json").await.no_content();
    assert!(anybody.get("/local/mail/").await.text().contains("Mailbox"));
    assert!(anybody.get("/local/").await.text().contains("Clock"));
}

// proves O13
#[tokio::test]
async fn people_keep_their_ids_when_the_issuer_has_another_port() {
    let (usual, other) = (TestCampus::new(), "http://127.0.0.1:9/local");
    let moved = tests::Setup::default()
        .settings(|settings| settings.tokens.issuer = other.to_owned())
        .build();
    let anybody = moved.anonymous();
    let discovery = anybody.get("/local/.well-known/openid-configuration").await;
    assert_eq!(discovery.ok()["issuer"], other);
    let mut ids = Vec::new();
    for campus in [&usual, &moved] {
        ids.push(campus.as_("ada").get("/api/settings/").await.ok()["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    moved
        .with_token(&usual.token("ada"))
        .get("/api/settings/")
        .await
        .error(401);
}

// proves O13
#[tokio::test]
async fn the_local_service_has_pages() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    for (path, words) in [("/local/", "Try the API as"), ("/local/mail/", "Mailbox")] {
        let page = anybody.get(path).await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (200, "text/html; charset=utf-8")
        );
        assert!(page.text().contains(words), "{path}");
        // Each page finds its files.
        for file in page.text().split("=\"/local/pages/").skip(1) {
            let file = file.split('"').next().unwrap_or_default();
            assert_eq!(
                anybody.get(&format!("/local/pages/{file}")).await.status,
                200,
                "{file}"
            );
        }
    }
    anybody.get("/local/pages/nothing.js").await.error(404);
    let api = anybody.get("/api").await;
    assert_eq!(
        (api.status.as_u16(), api.header("location")),
        (303, "/api/docs/")
    );
    let people = anybody.get("/local/people.json").await.ok();
    assert_eq!(people[0]["subject"]["groups"], json!(["clubs-admin"]));
}

// proves O18
#[tokio::test]
async fn pages_of_other_origins_get_no_tokens_and_no_mails() {
    let campus = TestCampus::new();
    let body = json!({ "username": "ada" });
    for (name, value) in [
        ("host", "rebound.example:8000"),
        ("origin", "https://evil.example"),
        ("origin", "http://127.0.0.1:9999"),
        ("origin", "null"),
    ] {
        let page = campus.anonymous().header(name, value);
        page.post("/local/token", body.clone()).await.error(403);
        page.get("/local/mail.json").await.error(403);
        page.delete("/local/mail.json").await.error(403);
        page.post("/local/clock", json!({ "advance_s": 60 }))
            .await
            .error(403);
        // The API itself is as public as in the cloud.
        page.get("/api/health/").await.ok();
    }
    let own = campus.anonymous().header("origin", "http://localhost:8000");
    own.post("/local/token", body).await.ok();
}

// proves O18
#[tokio::test]
async fn the_clock_stays_within_the_years_that_dates_have() {
    let anybody = TestCampus::new().anonymous();
    for seconds in [i64::MAX, 300_000_000_000, -300_000_000_000] {
        anybody
            .post("/local/clock", json!({ "advance_s": seconds }))
            .await
            .error(400);
    }
    anybody
        .post("/local/clock", json!({ "advance_s": 60 }))
        .await
        .ok();
    anybody.get("/api/clubs/").await.ok();
}

// proves O19
#[tokio::test]
async fn a_version_that_cannot_read_the_table_is_not_ready() {
    for (is_broken, expected) in [(false, 200), (true, 503)] {
        let campus = Setup::default()
            .hook(Arc::new(move |_| {
                let refused = json!({ "__type": "AccessDeniedException", "message": "no right" });
                let reply = is_broken.then(|| Reply::Response(400, refused.to_string()));
                Box::pin(async { reply })
            }))
            .build();
        let table = campus.campus.app.table.clone();
        let ready = shared::lambda::ready(axum::Router::new(), table);
        let response = tests::Client::new(ready, None).get("/ready").await;
        assert_eq!(response.status, expected, "{}", response.text());
    }
}
