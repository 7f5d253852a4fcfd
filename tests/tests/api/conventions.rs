//! Rules for the requests of every route: paths, methods, bodies, and the order of the checks

use http::Method;
use serde_json::json;
use shared::limits;
use tests::TestCampus;

// proves H1
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
    let docs = campus.anonymous().get("/api/docs").await;
    assert_eq!(docs.status.as_u16(), 200);
    // A user name may look like a file.
    for name in ["bob.ics", "people.json", "qr.svg"] {
        campus.member("go", &ada, name, 20).await;
        let member = format!("/api/clubs/go/members/{name}");
        assert_eq!(ada.get(&member).await.ok()["username"], name);
    }
    ada.delete("/api/clubs/go").await.no_content();
}

// proves H2, H3
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
    let response = anybody.delete("/api/clubs/").await;
    assert_eq!(response.header("allow"), "GET,HEAD,POST");
    response.error(405);
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

// proves H1
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

// proves H10
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

// proves H3, H11
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

// proves H3, H5
#[tokio::test]
async fn checks_come_in_their_order() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
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
        &format!("{}questions/", recruitment.path),
        text,
        "x",
    )
    .await
    .error(403);
    sue.raw(Method::PATCH, "/api/clubs/chess/applications/1/", text, "x")
        .await
        .error(403);
    recruitment
        .officer
        .raw(Method::PATCH, "/api/clubs/chess/applications/1/", text, "x")
        .await
        .error(404);
    recruitment
        .officer
        .raw(Method::PATCH, &recruitment.path, text, "x")
        .await
        .error(415);
    recruitment
        .officer
        .raw(
            Method::PATCH,
            &recruitment.path,
            Some("application/json"),
            "x",
        )
        .await
        .error(400);
    recruitment
        .officer
        .get("/api/clubs/chess/applications/abc/")
        .await
        .error(404);
    recruitment
        .officer
        .get("/api/clubs/chess/applications/9007199254740992/")
        .await
        .error(404);
}

#[tokio::test]
async fn impossible_code_is_not_looked_up() {
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

// proves H23, H26
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

// proves H32
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

// proves H32
#[tokio::test]
async fn http_1_1_needs_exactly_one_host() {
    let campus = TestCampus::new();
    // A client without a host of its own sends one.
    campus.anonymous().get("/api/tags/").await.ok();
    let response = campus
        .anonymous()
        .header("host", "clubs.example")
        .header("host", "other.example")
        .get("/api/tags/")
        .await;
    assert_eq!(response.error(400), "Host: Send this field once.");
}
