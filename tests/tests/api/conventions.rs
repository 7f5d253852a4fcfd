//! Rules for every route
//!
//! Proves H1, H2, H3, H5, H6, H7, H10, H11, H23, H25, H26, H28, H30, H31, P2, A7, M9, R1, H32, H33.

use http::Method;
use serde_json::json;
use shared::limits;
use tests::TestCampus;

#[tokio::test]
async fn a_path_is_the_same_without_its_slash() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    ada.post("/api/clubs", json!({ "name": "Go" }))
        .await
        .created();
    assert_eq!(
        ada.get("/api/clubs/go").await.ok(),
        ada.get("/api/clubs/go/").await.ok()
    );
    assert_eq!(ada.get("/api/clubs?search=go").await.ok()["count"], 1);
    ada.delete("/api/clubs/go").await.no_content();
}

#[tokio::test]
async fn unknown_paths_and_verbs() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    for path in [
        "/api/nothing/",
        "/nothing/",
        "/api/clubs/go/nothing/",
        "/api/openapi.json/",
        "/api/clubs//",
    ] {
        assert_eq!(anybody.get(path).await.error(404), "Not found.", "{path}");
    }
    let answer = anybody.delete("/api/clubs/").await;
    assert_eq!(answer.header("allow"), "GET,HEAD,POST");
    answer.error(405);
    campus
        .with_token("bad")
        .delete("/api/clubs/")
        .await
        .error(405);
    campus
        .with_token("bad")
        .get("/api/nothing/")
        .await
        .error(404);
}

#[tokio::test]
async fn head_answers_like_get() {
    let campus = TestCampus::new();
    let get = campus.anonymous().get("/api/health/").await;
    let head = campus
        .anonymous()
        .send(Method::HEAD, "/api/health/", None)
        .await;
    assert_eq!((head.status, head.bytes.len()), (get.status, 0));
    for name in ["content-length", "content-type", "etag"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    campus
        .anonymous()
        .send(Method::HEAD, "/api/settings/", None)
        .await
        .status
        .eq(&http::StatusCode::UNAUTHORIZED)
        .then_some(())
        .expect("401");
}

#[tokio::test]
async fn bodies_must_be_json_objects() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let post = async |content_type: Option<&str>, body: &str| {
        ada.raw(Method::POST, "/api/clubs/", content_type, body.to_owned())
            .await
    };
    post(None, "{}").await.error(415);
    post(Some("text/plain"), "{}").await.error(415);
    post(Some("application/x-www-form-urlencoded"), "name=x")
        .await
        .error(415);
    post(Some("application/json"), "{").await.error(400);
    post(Some("application/json"), "").await.error(400);
    post(Some("application/json"), "[]").await.error(400);
    post(Some("application/json"), "null").await.error(400);
    post(Some("application/json"), &"[".repeat(100_000))
        .await
        .error(400);
    post(Some("application/json; charset=utf-8"), "{\"name\":\"a\"}")
        .await
        .created();
    ada.raw(
        Method::POST,
        "/api/clubs/",
        Some("application/json"),
        vec![0xff, 0xfe],
    )
    .await
    .error(400);
}

#[tokio::test]
async fn large_bodies_are_413_before_anything_else() {
    let campus = TestCampus::new();
    let big = "x".repeat(limits::JSON_BODY + 1);
    for path in ["/api/clubs/", "/api/nothing/", "/api/health/"] {
        campus
            .anonymous()
            .raw(Method::POST, path, Some("application/json"), big.clone())
            .await
            .error(413);
    }
    campus
        .anonymous()
        .raw(
            Method::POST,
            "/api/nothing/",
            Some("multipart/form-data; boundary=x"),
            big.clone(),
        )
        .await
        .error(404);
    let image = "x".repeat(limits::IMAGE + limits::MULTIPART_OVERHEAD + 1);
    campus
        .anonymous()
        .raw(
            Method::POST,
            "/api/nothing/",
            Some("multipart/form-data; boundary=x"),
            image,
        )
        .await
        .error(413);
}

#[tokio::test]
async fn checks_come_in_their_order() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, anybody) = (campus.as_("sue"), campus.anonymous());
    let text = Some("text/plain");
    anybody
        .raw(Method::POST, "/api/clubs/none/applications/", text, "x")
        .await
        .error(401);
    sue.raw(Method::POST, "/api/clubs/none/applications/", text, "x")
        .await
        .error(404);
    sue.raw(Method::POST, "/api/clubs/chess/applications/", text, "x")
        .await
        .error(403);
    sue.raw(
        Method::POST,
        "/api/clubs/chess/applications/1/questions/",
        text,
        "x",
    )
    .await
    .error(404);
    sue.raw(
        Method::POST,
        &format!("{}questions/", drive.path),
        text,
        "x",
    )
    .await
    .error(403);
    sue.raw(Method::PATCH, "/api/clubs/chess/applications/1/", text, "x")
        .await
        .error(403);
    drive
        .officer
        .raw(Method::PATCH, "/api/clubs/chess/applications/1/", text, "x")
        .await
        .error(404);
    drive
        .officer
        .raw(Method::PATCH, &drive.path, text, "x")
        .await
        .error(415);
    drive
        .officer
        .raw(Method::PATCH, &drive.path, Some("application/json"), "x")
        .await
        .error(400);
    drive
        .officer
        .get("/api/clubs/chess/applications/abc/")
        .await
        .error(404);
    drive
        .officer
        .get("/api/clubs/chess/applications/9007199254740992/")
        .await
        .error(404);
}

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

#[tokio::test]
async fn answers_are_compressed_on_request() {
    let campus = TestCampus::new();
    for encoding in ["gzip", "br"] {
        let answer = campus
            .anonymous()
            .header("accept-encoding", encoding)
            .get("/api/openapi.json")
            .await;
        assert_eq!(answer.header("content-encoding"), encoding);
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

#[tokio::test]
async fn an_answer_that_cannot_pass_the_gateway_is_refused_with_a_hint() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    // 16 submissions of 290 KB do not fit into an answer; two do.
    let mut responses = Vec::new();
    for n in 0..15 {
        let question = drive
            .officer
            .post(
                &format!("{}questions/", drive.path),
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
                &format!("{}submissions/", drive.path),
                json!({ "responses": responses }),
            )
            .await
            .created();
    }
    let path = format!("{}submissions/", drive.path);
    let detail = drive.officer.get(&path).await.error(400);
    assert!(
        detail.contains("limit") && detail.contains("cursor"),
        "{detail}"
    );
    drive.officer.get(&format!("{path}?limit=2")).await.ok();
    assert_eq!(
        drive
            .officer
            .clone()
            .header("accept-encoding", "gzip")
            .get(&path)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn browsers_of_allowed_origins_may_call() {
    let campus = TestCampus::new();
    let answer = campus
        .anonymous()
        .header("origin", "https://site.example")
        .get("/api/health/")
        .await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let preflight = campus
        .anonymous()
        .header("origin", "https://site.example")
        .header("access-control-request-method", "PATCH");
    let answer = preflight
        .send(Method::OPTIONS, "/api/clubs/go/", None)
        .await;
    assert!(
        answer
            .header("access-control-allow-methods")
            .contains("PATCH")
    );
    let strict = tests::Setup::default()
        .settings(|settings| settings.cors_origins = vec!["https://site.example".into()])
        .build();
    let allowed = async |origin: &'static str| {
        let answer = strict
            .anonymous()
            .header("origin", origin)
            .get("/api/health/")
            .await;
        answer.header("access-control-allow-origin").to_owned()
    };
    assert_eq!(
        allowed("https://site.example").await,
        "https://site.example"
    );
    assert_eq!(allowed("https://evil.example").await, "");
}

#[tokio::test]
async fn what_cannot_be_a_code_is_not_looked_for() {
    let campus = TestCampus::new();
    let long = "a".repeat(3_000);
    for path in [
        format!("/api/clubs/{long}/"),
        format!("/api/clubs/{long}/members/"),
        "/api/clubs/UPPER/".into(),
        "/api/clubs/a%23b/".into(),
    ] {
        campus.as_("ada").get(&path).await.error(404);
    }
    campus
        .anonymous()
        .get(&format!("/api/clubs/{long}/applications/current/"))
        .await
        .error(401);
}

#[tokio::test]
async fn query_values_that_say_nothing_are_named() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    anybody
        .get("/api/clubs/?page_size=")
        .await
        .invalid(&["page_size"]);
    anybody
        .get("/api/clubs/?active=")
        .await
        .invalid(&["active"]);
    anybody
        .get("/api/clubs/?ordering=")
        .await
        .invalid(&["ordering"]);
    anybody.get("/api/clubs/?page=").await.error(404);
    anybody
        .get("/api/clubs/?page_size=99999999999999999999999")
        .await
        .ok();
    anybody.get("/api/clubs/?search=").await.ok();
}

#[tokio::test]
async fn answers_say_what_they_depend_on() {
    let campus = TestCampus::new();
    for client in [
        campus.anonymous(),
        campus.as_("ada"),
        campus.anonymous().header("origin", "https://x.example"),
    ] {
        let answer = client
            .header("accept-encoding", "gzip")
            .get("/api/clubs/")
            .await;
        let vary: Vec<String> = answer
            .headers
            .get_all("vary")
            .iter()
            .map(|value| value.to_str().unwrap_or_default().to_lowercase())
            .collect();
        for name in ["accept", "accept-encoding", "authorization", "origin"] {
            assert!(
                vary.join(",").split(',').any(|said| said.trim() == name),
                "{name}: {vary:?}"
            );
        }
    }
}

#[tokio::test]
async fn every_error_carries_a_code() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (ada, anybody) = (&drive.officer, campus.anonymous());
    let sue = campus.as_("sue");
    let code = |answer: tests::Response| {
        (
            answer.status.as_u16(),
            answer.json()["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    for (answer, expected) in [
        (
            anybody.get("/api/settings/").await,
            (401, "authentication_required"),
        ),
        (
            campus.with_token("x").get("/api/clubs/").await,
            (401, "invalid_token"),
        ),
        (
            sue.get("/api/clubs/chess/invites/").await,
            (403, "permission_denied"),
        ),
        (sue.get("/api/clubs/nothing/").await, (404, "not_found")),
        (sue.get("/api/nothing/").await, (404, "not_found")),
        (sue.get("/api/clubs/?page=99").await, (404, "not_found")),
        (
            anybody.delete("/api/clubs/").await,
            (405, "method_not_allowed"),
        ),
        (
            ada.clone()
                .header("if-match", "\"old\"")
                .patch("/api/clubs/chess/", json!({}))
                .await,
            (412, "precondition_failed"),
        ),
        (
            ada.raw(Method::POST, "/api/clubs/", Some("text/plain"), "x")
                .await,
            (415, "unsupported_media_type"),
        ),
        (
            ada.post("/api/clubs/", json!({ "name": "x".repeat(1_100_000) }))
                .await,
            (413, "payload_too_large"),
        ),
        (ada.post("/api/clubs/", json!({})).await, (400, "invalid")),
        (
            ada.delete("/api/clubs/chess/members/ada/").await,
            (400, "last_owner"),
        ),
        (
            ada.post("/api/requests/membership/", json!({ "club": "chess" }))
                .await,
            (400, "already_member"),
        ),
        (
            sue.post(
                "/api/clubs/chess/invites/e1/accept/",
                json!({ "token": "x" }),
            )
            .await,
            (400, "invite_unusable"),
        ),
    ] {
        assert_eq!(code(answer), (expected.0, expected.1.to_owned()));
    }
    drive.submit(&sue).await;
    assert_eq!(
        code(ada.delete(&drive.path).await),
        (400, "in_use".to_owned())
    );
    assert_eq!(
        code(ada.patch(&drive.path, json!({ "committees": [] })).await).0,
        200
    );
}

#[tokio::test]
async fn browsers_may_read_what_they_need_and_remember_preflights() {
    let campus = TestCampus::new();
    let preflight = campus
        .anonymous()
        .header("origin", "https://x.example")
        .header("access-control-request-method", "POST");
    let answer = preflight.send(Method::OPTIONS, "/api/clubs/", None).await;
    assert_eq!(answer.header("access-control-max-age"), "7200");
    let answer = campus
        .anonymous()
        .header("origin", "https://x.example")
        .get("/api/clubs/")
        .await;
    let exposed = answer
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

#[tokio::test]
async fn entity_tags_are_strong_but_for_compressed_answers_and_come_with_201() {
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

#[tokio::test]
async fn a_client_that_accepts_no_coding_gets_406() {
    let campus = TestCampus::new();
    let client = campus.anonymous().header("accept-encoding", "identity;q=0");
    let answer = client.get("/api/health/").await;
    assert_eq!(answer.json()["code"], "not_acceptable");
    answer.error(406);
    let compressed = campus
        .anonymous()
        .header("accept-encoding", "identity;q=0, br");
    let answer = compressed.get("/api/openapi.json").await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-encoding")),
        (200, "br")
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_is_400() {
    let campus = TestCampus::new();
    let parts = ["{\"na", ""].map(|part| match part {
        "" => Err(std::io::Error::other("malformed chunk")),
        text => Ok(text),
    });
    let body = axum::body::Body::from_stream(futures::stream::iter(parts));
    campus
        .as_("ada")
        .raw(Method::POST, "/api/clubs/", Some("application/json"), body)
        .await
        .error(400);
}

#[tokio::test]
async fn http_1_1_needs_exactly_one_host() {
    let campus = TestCampus::new();
    // A client without a host of its own sends one.
    campus.anonymous().get("/api/tags/").await.ok();
    let answer = campus
        .anonymous()
        .header("host", "clubs.example")
        .header("host", "other.example")
        .get("/api/tags/")
        .await;
    assert_eq!(answer.error(400), "Send the header Host exactly once.");
}

#[tokio::test]
async fn forwarded_hosts_count_only_from_a_trusted_proxy() {
    for (trusted, expected) in [
        (false, "http://clubs.example/api/clubs/?"),
        (true, "https://clubs.university.example/api/clubs/?"),
    ] {
        let campus = tests::Setup::default()
            .settings(move |settings| settings.trusts_forwarded = trusted)
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
