//! The real binary behind the events of API Gateway.

use std::io::Read as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use tests::fixtures::id;
use tests::lambda::{LambdaProcess, body, event, header};

// proves H1, H25, S1
#[tokio::test(flavor = "multi_thread")]
async fn the_function_answers_the_gateway() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_submissions")).await;
    let campus = &function.campus;
    let now = campus.now_ms();
    let recruitment = campus.recruitment_now("chess").await;
    let officer = campus.token("ada");
    let path = format!("{}submissions/", recruitment.path);

    // With and without its slash, whatever the stage.
    let empty = function.invoke(event("GET", &path, &officer, now)).await;
    assert_eq!(
        (&empty["statusCode"], body(&empty)),
        (&json!(200), json!([])),
        "{empty}"
    );
    let without = function
        .invoke(event("GET", path.trim_end_matches('/'), &officer, now))
        .await;
    assert_eq!(body(&without), json!([]));

    // A base64 body, as the gateway sends it for binary media types.
    let mut submit = event("POST", &path, &campus.token("sue"), now);
    header(&mut submit, "Content-Type", "application/json");
    submit["body"] = json!(BASE64_STANDARD.encode(recruitment.answer("Because é.").to_string()));
    submit["isBase64Encoded"] = json!(true);
    let created = function.invoke(submit.clone()).await;
    assert_eq!(created["statusCode"], 201, "{created}");
    let location = created["multiValueHeaders"]["location"][0]
        .as_str()
        .or(created["headers"]["location"].as_str())
        .unwrap_or_default();
    assert_eq!(
        location,
        format!("/dev{path}{}/", id(&body(&created))),
        "links have the stage"
    );

    // The window is judged by the gateway's time of receipt, not by the function's clock.
    let end = now - 10_000;
    recruitment.close_at_ms(end).await;
    submit["requestContext"]["requestTimeEpoch"] = json!(end);
    assert_eq!(
        function.invoke(submit.clone()).await["statusCode"],
        200,
        "received in time, worked off later"
    );
    submit["requestContext"]["requestTimeEpoch"] = json!(end + 1_000);
    assert_eq!(function.invoke(submit).await["statusCode"], 400);

    // Compressed answers are base64 for the gateway.
    let mut zipped = event("GET", &path, &officer, now);
    header(&mut zipped, "Accept-Encoding", "gzip");
    let response = function.invoke(zipped).await;
    assert_eq!(response["isBase64Encoded"], true, "{response}");
    let bytes = BASE64_STANDARD
        .decode(response["body"].as_str().unwrap_or_default())
        .expect("base64");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .expect("gzip");
    assert!(text.contains("Because é."), "{text}");

    // Slices lead on through the gateway, with the query.
    let mut slice = event("GET", &path, &officer, now);
    slice["queryStringParameters"] = json!({ "limit": "1", "search": "sue test" });
    slice["multiValueQueryStringParameters"] = json!({ "limit": ["1"], "search": ["sue test"] });
    assert_eq!(
        body(&function.invoke(slice).await).as_array().map(Vec::len),
        Some(1)
    );

    let refused = function.invoke(event("GET", &path, "bad", now)).await;
    assert_eq!(refused["statusCode"], 401);
    let missing = function
        .invoke(event(
            "GET",
            "/api/clubs/none/applications/1/submissions/",
            &officer,
            now,
        ))
        .await;
    assert_eq!(
        (&missing["statusCode"], body(&missing)["detail"].as_str()),
        (&json!(404), Some("Not found."))
    );
}

// proves O9
#[tokio::test(flavor = "multi_thread")]
async fn logs_hold_no_names_addresses_answers_or_tokens() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_submissions")).await;
    let campus = &function.campus;
    let now = campus.now_ms();
    let recruitment = campus.recruitment_now("chess").await;
    let path = format!("{}submissions/", recruitment.path);
    // The name, the user name, the address and the answer all contain this word.
    let word = "planted";
    let token = campus.token(word);
    let mut request = event("POST", &path, &token, now);
    header(&mut request, "Content-Type", "application/json");
    for (text, status) in [
        (recruitment.answer("A planted answer.").to_string(), 201),
        (json!({ "responses": "A planted answer." }).to_string(), 400),
        ("A planted answer.".to_owned(), 400),
    ] {
        request["body"] = json!(text);
        let response = function.invoke(request.clone()).await;
        assert_eq!(response["statusCode"], status, "{response}");
    }
    let refused = function
        .invoke(event("GET", &path, "planted-token", now))
        .await;
    assert_eq!(refused["statusCode"], 401, "{refused}");
    let log = function.log();
    for secret in [word, token.as_str()] {
        assert!(!log.contains(secret), "{secret} is in the log: {log}");
    }
    for expected in [
        "\"route\":\"/api/clubs/{club}/applications/{application}/submissions/\"",
        "\"request_id\":",
        "\"user\":",
        "\"status\":201",
        "\"write_units\":",
    ] {
        assert!(
            log.contains(expected),
            "{expected} is not in the log: {log}"
        );
    }
}
