//! Bearer tokens: which are good, and which never are

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use local::issuer::{AUDIENCE, ISSUER, Issuer};
use serde_json::{Value, json};
use tests::{TestCampus, start};

fn claims() -> Value {
    let now = start().timestamp();
    json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "sue", "iat": now, "exp": now + 60 })
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    if let Some(claims) = claims.as_object_mut() {
        claims.remove(name);
    }
    claims
}

#[tokio::test]
async fn good_tokens_are_taken() {
    let campus = TestCampus::new();
    for claims in [claims(), with("aud", json!(["other", AUDIENCE])), with("nbf", json!(start().timestamp()))] {
        let token = campus.campus.issuer.sign(&claims).expect("a token");
        let profile = campus.with_token(&token).get("/api/settings/").await.ok();
        assert_eq!(profile["username"], "sue", "the subject, when there is no user name");
    }
}

#[tokio::test]
async fn bad_tokens_are_401_on_every_route_public_ones_included() {
    let campus = TestCampus::new();
    let now = start().timestamp();
    let sign = |claims: Value| campus.campus.issuer.sign(&claims).expect("a token");
    let foreign = Issuer::new(&Issuer::new_key().expect("a key")).expect("an issuer").sign(&claims()).expect("a token");
    let hmac = |key: &[u8]| {
        let header = Header { alg: Algorithm::HS256, kid: Some("local".into()), ..Header::default() };
        encode(&header, &claims(), &EncodingKey::from_secret(key)).expect("a token")
    };
    let public = json!(campus.campus.issuer.keys()).to_string();
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let none = format!("{}.{}.", part(json!({ "alg": "none", "typ": "JWT" })), part(claims()));
    let good = sign(claims());
    let cut = good.rsplit_once('.').map(|(body, _)| format!("{body}.")).unwrap_or_default();
    for (why, token) in [
        ("expired", sign(with("exp", json!(now)))),
        ("not yet valid", sign(with("nbf", json!(now + 1)))),
        ("other issuer", sign(with("iss", json!("https://other.example")))),
        ("other audience", sign(with("aud", json!("other")))),
        ("no audience", sign(without("aud"))),
        ("no issuer", sign(without("iss"))),
        ("no expiry", sign(without("exp"))),
        ("no subject", sign(without("sub"))),
        ("empty subject", sign(with("sub", json!("")))),
        ("other key", foreign),
        ("shared secret", hmac(b"secret")),
        ("public key as a shared secret", hmac(public.as_bytes())),
        ("no algorithm", none),
        ("no signature", cut),
        ("nonsense", "nonsense".to_owned()),
        ("nothing", String::new()),
    ] {
        for path in ["/api/health/", "/api/clubs/", "/api/settings/"] {
            let answer = campus.with_token(&token).get(path).await;
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{why}");
            assert_eq!(answer.status, 401, "{why}: {}", answer.text());
            answer.error(401);
        }
    }
    for value in ["Basic abc", "Bearer", "bearer"] {
        campus.anonymous().header("authorization", value).get("/api/health/").await.error(401);
    }
}

#[tokio::test]
async fn people_are_the_same_by_subject_and_admins_by_group() {
    let campus = TestCampus::new();
    let mut claims = claims();
    claims["preferred_username"] = json!("susan");
    claims["groups"] = json!(["students", "clubs-admin"]);
    let token = campus.campus.issuer.sign(&claims).expect("a token");
    let admin = campus.with_token(&token).get("/api/settings/").await.ok();
    assert_eq!((&admin["username"], &admin["is_admin"]), (&json!("susan"), &json!(true)));
    assert_eq!(campus.as_("sue").get("/api/settings/").await.ok()["id"], admin["id"]);
}
