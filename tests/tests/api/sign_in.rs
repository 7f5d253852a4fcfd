//! The sign-in page of the local issuer. `infra/scripts/site` uses it in a browser.

use aws_lc_rs::digest;
use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use http::Request;
use serde_json::{Value, json};
use tests::TestCampus;

use crate::site::{header, open, send};

const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-x";
const BACK: &str = "http://127.0.0.1:8000/callback/";

/// The address of the sign-in page, with some parameters changed.
fn authorize(changes: &[(&str, &str)]) -> String {
    let hash = digest::digest(&digest::SHA256, VERIFIER.as_bytes());
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(hash);
    let mut values = vec![
        ("response_type", "code"),
        ("client_id", "clubs"),
        ("redirect_uri", BACK),
        ("state", "s"),
        ("nonce", "n"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    values.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    values.extend(changes);
    let query: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(values)
        .finish();
    format!("/local/authorize?{query}")
}

/// Chooses a person, and returns the code in the address to which the page leads.
async fn code_of(campus: &TestCampus, username: &str) -> String {
    let (status, headers, _) = open(campus, &authorize(&[("username", username)]), "").await;
    assert_eq!(status, 303);
    let to = header(&headers, "location").to_owned();
    assert!(to.starts_with(BACK) && to.ends_with("&state=s"), "{to}");
    let code = to.split("code=").nth(1).unwrap_or_default();
    code.split('&').next().unwrap_or_default().to_owned()
}

async fn exchange(campus: &TestCampus, form: &[(&str, &str)]) -> (u16, Value) {
    let body: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish();
    let request = Request::post("/local/oauth/token")
        .header("host", "127.0.0.1:8000")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .expect("a request");
    let (status, _, text) = send(campus, request).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

async fn tokens(campus: &TestCampus, code: &str, verifier: &str) -> (u16, Value) {
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", BACK),
        ("code_verifier", verifier),
        ("client_id", "clubs"),
    ];
    exchange(campus, &form).await
}

// proves O15
#[tokio::test]
async fn people_sign_in_with_a_code_that_counts_once() {
    let campus = TestCampus::new();
    let (status, headers, page) = open(&campus, &authorize(&[]), "").await;
    assert_eq!(status, 200);
    assert!(page.contains("Sam Okafor") && page.contains("Avery Admin"));
    assert!(header(&headers, "content-security-policy").contains("default-src 'none'"));
    let code = code_of(&campus, "sam").await;
    let (status, first) = tokens(&campus, &code, VERIFIER).await;
    assert_eq!((status, &first["token_type"]), (200, &json!("Bearer")));
    let sam = campus.with_token(first["access_token"].as_str().unwrap_or_default());
    assert_eq!(sam.get("/api/settings/").await.ok()["name"], "Sam Okafor");
    let id = first["id_token"].as_str().unwrap_or_default();
    let claims = id.split('.').nth(1).unwrap_or_default();
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).expect("base64url");
    let claims: Value = serde_json::from_slice(&claims).expect("claims");
    assert_eq!(
        (&claims["nonce"], &claims["aud"]),
        (&json!("n"), &json!("clubs"))
    );
    let refused = (400, json!({ "error": "invalid_grant" }));
    assert_eq!(tokens(&campus, &code, VERIFIER).await, refused);
    // The session is renewed with a refresh token, which counts once too, nearly.
    let renew = async |token: &Value| {
        let token = token["refresh_token"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token.as_str()),
        ];
        exchange(&campus, &form).await
    };
    campus.advance(TimeDelta::minutes(16));
    sam.get("/api/settings/").await.error(401);
    let (status, second) = renew(&first).await;
    assert_eq!(status, 200);
    let sam = campus.with_token(second["access_token"].as_str().unwrap_or_default());
    sam.get("/api/settings/").await.ok();
    // The answer may be lost, so it counts once more for a minute.
    assert_eq!(renew(&first).await.0, 200);
    campus.advance(TimeDelta::minutes(2));
    assert_eq!(renew(&first).await, refused);
    // Somebody who is not in the list is a new person.
    let code = code_of(&campus, "Zoë Q").await;
    let (_, new) = tokens(&campus, &code, VERIFIER).await;
    let zoe = campus.with_token(new["access_token"].as_str().unwrap_or_default());
    assert_eq!(
        zoe.get("/api/settings/").await.ok()["email"],
        "zoq@uni.example"
    );
}

// proves O15
#[tokio::test]
async fn codes_are_given_to_this_site_alone() {
    let campus = TestCampus::new();
    for change in [
        ("redirect_uri", "https://evil.example/"),
        ("redirect_uri", "http://127.0.0.1:8000.evil.example/"),
        ("redirect_uri", "http://127.0.0.1:8000/callback/\r\nx: y"),
        ("redirect_uri", "http://127.0.0.1:8000/ü"),
        ("response_type", "token"),
        ("client_id", "other"),
        ("code_challenge", ""),
        ("code_challenge_method", "plain"),
    ] {
        let (status, ..) = open(&campus, &authorize(&[change, ("username", "sam")]), "").await;
        assert_eq!(status, 400, "{change:?}");
    }
    let code = code_of(&campus, "sam").await;
    let (status, _) = tokens(&campus, &code, "another verifier").await;
    assert_eq!(status, 400);
    let code = code_of(&campus, "sam").await;
    campus.advance(TimeDelta::minutes(6));
    assert_eq!(tokens(&campus, &code, VERIFIER).await.0, 400);
    let hostile = authorize(&[("state", "\"><script>alert(1)</script>")]);
    let (_, _, page) = open(&campus, &hostile, "").await;
    assert!(!page.contains("<script>"), "{page}");
}
