//! The real binary behind the events of API Gateway: forms with images, and the bucket.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tests::images::{form, png};
use tests::lambda::{LambdaProcess, body, event, header, ready_event};

// proves V13
#[tokio::test(flavor = "multi_thread")]
async fn a_form_with_an_image_comes_through_the_gateway() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_events")).await;
    let campus = &function.campus;
    campus.club("chess", &campus.as_("ada")).await;
    let (content_type, form) = form(&[
        ("name", b"Open evening"),
        ("type", b"5"),
        ("image", &png(900, 30)),
    ]);
    let mut create = event(
        "POST",
        "/api/clubs/chess/events/",
        &campus.token("ada"),
        campus.now_ms(),
    );
    header(&mut create, "Content-Type", &content_type);
    // Binary media types make the gateway send bodies in base64.
    create["body"] = json!(BASE64_STANDARD.encode(form));
    create["isBase64Encoded"] = json!(true);
    let created = function.invoke(create).await;
    assert_eq!(created["statusCode"], 201, "{created}");
    let event_ = body(&created);
    assert_eq!(
        (&event_["name"], &event_["type"]),
        (&json!("Open evening"), &json!(5))
    );

    // All sizes are in the bucket, signed for, with what browsers need to know.
    let mut files = function.images().await;
    files.sort_by_key(|(_, _, size)| *size);
    let names: Vec<String> = files
        .iter()
        .map(|(name, ..)| format!("https://media.example/{name}"))
        .collect();
    let small = event_["image_url"].as_str().unwrap_or_default();
    assert_eq!(
        json!(names),
        json!([
            small.replace("-600.", "-112."),
            small,
            event_["large_image_url"]
        ])
    );
    for (_, headers, size) in &files {
        let text = |name: &str| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        assert_eq!(
            (text("content-type"), text("cache-control")),
            (
                "image/jpeg",
                "public, max-age=31536000, s-maxage=86400, immutable"
            )
        );
        assert_eq!(text("content-length"), size.to_string());
        assert!(
            text("authorization").starts_with("AWS4-HMAC-SHA256 Credential=test/"),
            "{headers:?}"
        );
        assert!(text("authorization").contains("/eu-central-1/s3/aws4_request"));
    }

    let path = format!("/api/clubs/chess/events/{}/", event_["id"]);
    let mut remove = event("PATCH", &path, &campus.token("ada"), campus.now_ms());
    header(&mut remove, "Content-Type", "application/json");
    remove["body"] = json!("{\"image\":null}");
    assert_eq!(
        body(&function.invoke(remove).await)["image_url"],
        Value::Null
    );
    assert_eq!(function.images().await.len(), 0, "old files are removed");
}

// proves O16
#[tokio::test(flavor = "multi_thread")]
async fn links_have_the_address_that_the_client_knows() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_events")).await;
    let campus = &function.campus;
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for name in ["One", "Two"] {
        let body = json!({
            "name": name,
            "showings": [{ "start_time": "2090-01-01T10:00:00Z", "end_time": "2090-01-01T11:00:00Z" }],
        });
        ada.post("/api/clubs/chess/events/", body).await.created();
    }
    let mut list = event("GET", "/api/events/", &campus.token("ada"), campus.now_ms());
    list["queryStringParameters"] = json!({ "page_size": "1" });
    list["multiValueQueryStringParameters"] = json!({ "page_size": ["1"] });
    let next = body(&function.invoke(list.clone()).await)["next"].clone();
    let next = next.as_str().unwrap_or_default();
    assert!(next.contains("/dev/api/events/?"), "{next}");
    header(&mut list, "X-Clubs-Delivery", "yes");
    let next = body(&function.invoke(list).await)["next"].clone();
    assert_eq!(next, "https://clubs.example/api/events/?page_size=1&page=2");
}

// proves O19, O20
#[tokio::test(flavor = "multi_thread")]
async fn new_version_is_ready_and_named_in_the_log() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_events")).await;
    let response = function.invoke(ready_event()).await;
    assert_eq!(response["statusCode"], 200, "{response}");
    let token = function.campus.token("ada");
    let now = function.campus.now_ms();
    let response = function
        .invoke(event("GET", "/api/events/", &token, now))
        .await;
    assert_eq!(response["statusCode"], 200, "{response}");
    let response = function
        .invoke(event("GET", "/api/events/", "no token", now))
        .await;
    assert_eq!(response["statusCode"], 401, "{response}");
    let log = function.log();
    let lines = log.lines().filter(|line| line.contains("\"request\""));
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{log}");
    // A refused token has its route in the log, too.
    for (line, status) in lines.iter().zip([200, 401]) {
        let logged = (&line["version"], &line["route"], &line["status"]);
        let expected = (json!("1"), json!("/api/events/"), json!(status));
        assert_eq!(logged, (&expected.0, &expected.1, &expected.2), "{line}");
    }
}
