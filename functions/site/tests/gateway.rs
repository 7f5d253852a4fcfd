//! The real binary behind the events of API Gateway, directly and through the distribution.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tests::lambda::{LambdaProcess, event, header, ready_event};

/// The response to a GET: status, content type, policy and body.
async fn get(
    function: &LambdaProcess,
    path: &str,
    headers: &[(&str, &str)],
) -> (u64, String, String, String) {
    let mut get = event("GET", path, "none", 0);
    header(&mut get, "Accept", "*/*");
    for (name, value) in headers {
        header(&mut get, name, value);
    }
    let response = function.invoke(get).await;
    let header = |name: &str| {
        let value = &response["multiValueHeaders"][name][0];
        value.as_str().unwrap_or_default().to_owned()
    };
    let text = response["body"].as_str().unwrap_or_default();
    let body = if response["isBase64Encoded"] == true {
        let bytes = BASE64_STANDARD.decode(text).expect("base64");
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        text.to_owned()
    };
    (
        response["statusCode"].as_u64().unwrap_or_default(),
        header("content-type"),
        header("content-security-policy"),
        body,
    )
}

// proves O14, O16
#[tokio::test(flavor = "multi_thread")]
async fn the_site_knows_its_address_and_its_issuer() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_site")).await;
    let html = ("Accept", "text/html");
    let through = ("X-Clubs-Delivery", "yes");

    let (status, _, policy, page) = get(&function, "/clubs/chess/", &[html]).await;
    assert_eq!(status, 200);
    assert!(page.contains(r#"<base href="/dev/">"#), "{page}");
    assert!(
        policy.contains(
            "connect-src 'self' http://127.0.0.1:8000 https://sign-in.example \
             https://files.example;"
        ) && policy.contains("img-src 'self' data: https://media.example;"),
        "{policy}"
    );
    let (status, _, _, page) = get(&function, "/clubs/chess/", &[html, through]).await;
    assert_eq!(status, 200);
    assert!(page.contains(r#"<base href="/">"#), "{page}");
    let script = page
        .split("src=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let script = script.expect("a script");
    let (status, kind, _, text) = get(&function, script, &[through]).await;
    assert_eq!(
        (status, kind.as_str()),
        (200, "text/javascript; charset=utf-8")
    );
    assert!(text.contains("PAGES"));

    let (_, _, _, config) = get(&function, "/config.json", &[through]).await;
    let config: Value = serde_json::from_str(&config).expect("JSON");
    assert_eq!(
        config,
        json!({
            "issuer": function.campus.campus.app.settings.tokens.issuer,
            "client_id": "site",
            "scopes": "openid email", "second_factor": true,
            "token": "id_token",
            "university": "Test University",
            "time_zone": "Europe/Berlin",
            "is_local": false,
        })
    );

    // What is not there is 404 for programs, and below /api/ for browsers as well.
    for (path, headers) in [("/nowhere/", &[][..]), ("/api/nowhere/", &[html][..])] {
        let (status, kind, _, _) = get(&function, path, headers).await;
        assert_eq!((status, kind.as_str()), (404, "application/json"), "{path}");
    }
}

// The pool itself is asked in `second_factor.test.mjs`.
// proves O21
#[tokio::test(flavor = "multi_thread")]
async fn page_knows_second_factor_and_may_call_the_pool() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_site")).await;
    let html = ("Accept", "text/html");
    let (status, _, policy, page) = get(&function, "/settings/second-factor/", &[html]).await;
    assert_eq!(status, 200);
    assert!(page.contains(r#""second_factor":true"#), "{page}");
    let (_, _, _, config) = get(&function, "/config.json", &[]).await;
    let config: Value = serde_json::from_str(&config).expect("JSON");
    let issuer = config["issuer"].as_str().unwrap_or_default();
    let origin = issuer.split('/').take(3).collect::<Vec<_>>().join("/");
    assert!(
        policy.contains(&format!("connect-src 'self' {origin}")),
        "{policy}"
    );
}

// proves O19
#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_answers_before_it_gets_requests() {
    let function = LambdaProcess::start(env!("CARGO_BIN_EXE_site")).await;
    let response = function.invoke(ready_event()).await;
    assert_eq!(response["statusCode"], 200, "{response}");
}
