//! Rules for the answers of every route: entity tags, caches, compression, origins and addresses

use http::Method;
use serde_json::json;
use tests::{Setup, TestCampus};

// proves H28, H30
#[tokio::test]
async fn entity_tags_and_caching() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let anybody = campus.anonymous();
    let first = anybody.get("/api/clubs/chess/").await;
    let tag = first.header("etag").to_owned();
    assert!(first.header("cache-control").starts_with("public"));
    let unchanged = anybody
        .clone()
        .header("if-none-match", format!("\"x\", {tag}"))
        .get("/api/clubs/chess/")
        .await;
    assert_eq!(
        (
            unchanged.status.as_u16(),
            unchanged.bytes.len(),
            unchanged.header("etag")
        ),
        (304, 0, tag.as_str())
    );
    let own = ada.get("/api/clubs/chess/").await;
    assert!(own.header("cache-control").starts_with("private") && own.header("etag") != tag);
    ada.patch("/api/clubs/chess/", json!({ "name": "Other" }))
        .await
        .ok();
    assert_eq!(
        anybody
            .header("if-none-match", tag)
            .get("/api/clubs/chess/")
            .await
            .status,
        200
    );
}

// proves H28
#[tokio::test]
async fn entity_tags_are_strong_unless_compressed() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let created = ada.post("/api/clubs/", json!({ "name": "Go" })).await;
    let tag = created.header("etag").to_owned();
    assert!(tag.starts_with('"'), "{tag}");
    assert_eq!(ada.get("/api/clubs/go/").await.header("etag"), tag);
    let compressed = ada
        .clone()
        .header("accept-encoding", "gzip")
        .get("/api/openapi.json")
        .await;
    assert!(compressed.header("etag").starts_with("W/"));
    for tag in [tag.clone(), format!("W/{tag}")] {
        let now = ada.get("/api/clubs/go/").await.header("etag").to_owned();
        let given = if tag.starts_with("W/") {
            format!("W/{now}")
        } else {
            now
        };
        ada.clone()
            .header("if-match", given)
            .patch("/api/clubs/go/", json!({ "subtitle": tag }))
            .await
            .ok();
    }
    ada.clone()
        .header("if-match", tag)
        .patch("/api/clubs/go/", json!({ "subtitle": "late" }))
        .await
        .error(412);
    // A gateway may pass the query parameters in any order.
    let (a, b) = (
        ada.get("/api/clubs/?page_size=1&ordering=alphabetical")
            .await,
        ada.get("/api/clubs/?ordering=alphabetical&page_size=1")
            .await,
    );
    assert_eq!(
        (a.header("etag"), a.bytes.clone()),
        (b.header("etag"), b.bytes.clone())
    );
}

// proves H36
#[tokio::test]
async fn distribution_keeps_lists_for_a_minute_and_nothing_personal() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for path in ["/api/clubs/?search=chess", "/api/events/"] {
        let list = campus.anonymous().get(path).await;
        assert_eq!(
            list.header("cache-control"),
            "public, max-age=0, s-maxage=60"
        );
        assert_eq!(
            ada.get(path).await.header("cache-control"),
            "private, no-cache"
        );
    }
    // An error is nobody's answer but the caller's.
    let refused = campus.anonymous().get("/api/clubs/?page=99").await;
    assert_eq!(refused.header("cache-control"), "no-store");
}

// proves H30
#[tokio::test]
async fn answers_say_what_they_depend_on() {
    let campus = TestCampus::new();
    for client in [
        campus.anonymous(),
        campus.as_("ada"),
        campus.anonymous().header("origin", "https://x.example"),
    ] {
        let response = client
            .header("accept-encoding", "gzip")
            .get("/api/clubs/")
            .await;
        let vary: Vec<String> = response
            .headers
            .get_all("vary")
            .iter()
            .map(|value| value.to_str().unwrap_or_default().to_lowercase())
            .collect();
        for name in ["accept", "accept-encoding", "authorization", "origin"] {
            assert!(
                vary.join(",").split(',').any(|part| part.trim() == name),
                "{name}: {vary:?}"
            );
        }
    }
}

// proves H25
#[tokio::test]
async fn answers_are_compressed_on_request() {
    let campus = TestCampus::new();
    for encoding in ["gzip", "br"] {
        let response = campus
            .anonymous()
            .header("accept-encoding", encoding)
            .get("/api/openapi.json")
            .await;
        assert_eq!(response.header("content-encoding"), encoding);
    }
    assert_eq!(
        campus
            .anonymous()
            .get("/api/openapi.json")
            .await
            .header("content-encoding"),
        ""
    );
}

// proves H25
#[tokio::test]
async fn response_too_large_for_gateway_is_refused_with_a_hint() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    // 16 submissions of 290 KB do not fit into an answer; two do.
    let mut responses = Vec::new();
    for n in 0..15 {
        let question = recruitment
            .officer
            .post(
                &format!("{}questions/", recruitment.path),
                json!({ "question_type": 1, "prompt": n.to_string() }),
            )
            .await
            .created();
        responses.push(json!({ "question": question["id"], "text": "long ".repeat(3_900) }));
    }
    for n in 0..16 {
        let student = campus.as_(&format!("student{n}"));
        student
            .post(
                &format!("{}submissions/", recruitment.path),
                json!({ "responses": responses }),
            )
            .await
            .created();
    }
    let path = format!("{}submissions/", recruitment.path);
    let detail = recruitment.officer.get(&path).await.error(400);
    assert!(
        detail.contains("limit") && detail.contains("cursor"),
        "{detail}"
    );
    recruitment
        .officer
        .get(&format!("{path}?limit=2"))
        .await
        .ok();
    assert_eq!(
        recruitment
            .officer
            .clone()
            .header("accept-encoding", "gzip")
            .get(&path)
            .await
            .status,
        200
    );
}

// proves H32
#[tokio::test]
async fn a_client_that_accepts_no_coding_gets_406() {
    let campus = TestCampus::new();
    let client = campus.anonymous().header("accept-encoding", "identity;q=0");
    let response = client.get("/api/health/").await;
    assert_eq!(response.json()["code"], "not_acceptable");
    response.error(406);
    let compressed = campus
        .anonymous()
        .header("accept-encoding", "identity;q=0, br");
    let response = compressed.get("/api/openapi.json").await;
    assert_eq!(
        (
            response.status.as_u16(),
            response.header("content-encoding")
        ),
        (200, "br")
    );
}

// proves H31
#[tokio::test]
async fn browsers_of_allowed_origins_may_call() {
    let campus = TestCampus::new();
    let response = campus
        .anonymous()
        .header("origin", "https://site.example")
        .get("/api/health/")
        .await;
    assert_eq!(response.header("access-control-allow-origin"), "*");
    let preflight = campus
        .anonymous()
        .header("origin", "https://site.example")
        .header("access-control-request-method", "PATCH");
    let response = preflight
        .send(Method::OPTIONS, "/api/clubs/go/", None)
        .await;
    assert!(
        response
            .header("access-control-allow-methods")
            .contains("PATCH")
    );
    let strict = Setup::default()
        .settings(|settings| settings.addresses.cors_origins = vec!["https://site.example".into()])
        .build();
    let allowed = async |origin: &'static str| {
        let response = strict
            .anonymous()
            .header("origin", origin)
            .get("/api/health/")
            .await;
        response.header("access-control-allow-origin").to_owned()
    };
    assert_eq!(
        allowed("https://site.example").await,
        "https://site.example"
    );
    assert_eq!(allowed("https://evil.example").await, "");
    // What is cached for all is the same for every origin.
    for path in ["/api/events.ics", "/api/clubs/", "/api/events/"] {
        let origin = strict.anonymous().header("origin", "https://evil.example");
        let response = origin.get(path).await;
        assert_eq!(response.header("access-control-allow-origin"), "*");
        let signed_in = strict.as_("ada").header("origin", "https://evil.example");
        let response = signed_in.get(path).await;
        assert_eq!(response.header("access-control-allow-origin"), "");
    }
}

// proves H31
#[tokio::test]
async fn browsers_may_read_needed_headers_and_remember_preflights() {
    let campus = TestCampus::new();
    let preflight = campus
        .anonymous()
        .header("origin", "https://x.example")
        .header("access-control-request-method", "POST");
    let response = preflight.send(Method::OPTIONS, "/api/clubs/", None).await;
    assert_eq!(response.header("access-control-max-age"), "7200");
    let response = campus
        .anonymous()
        .header("origin", "https://x.example")
        .get("/api/clubs/")
        .await;
    let exposed = response
        .header("access-control-expose-headers")
        .to_lowercase();
    for name in [
        "etag",
        "link",
        "location",
        "retry-after",
        "content-disposition",
        "www-authenticate",
        "idempotency-replayed",
        "x-request-id",
    ] {
        assert!(exposed.contains(name), "{name}: {exposed}");
    }
}

// proves H33
#[tokio::test]
async fn forwarded_hosts_count_only_from_a_trusted_proxy() {
    for (trusted, expected) in [
        (false, "http://clubs.example/api/clubs/?"),
        (true, "https://clubs.university.example/api/clubs/?"),
    ] {
        let campus = Setup::default()
            .settings(move |settings| settings.addresses.trusts_forwarded = trusted)
            .build();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        campus.club("go", &ada).await;
        let page = campus
            .anonymous()
            .header(
                "x-forwarded-host",
                "clubs.university.example, inner.example",
            )
            .header("x-forwarded-proto", "https")
            .get("/api/clubs/?page_size=1")
            .await
            .ok();
        let next = page["next"].as_str().unwrap_or_default().to_owned();
        assert!(next.starts_with(expected), "{next}");
    }
}
