//! Bearer tokens: which are accepted and which are refused

use std::collections::VecDeque;
use std::sync::Mutex;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use futures::future::BoxFuture;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use local::issuer::{AUDIENCE, ISSUER, Issuer};
use serde_json::{Value, json};
use shared::auth::{KeySource, Keys, TokenError, Verifier};

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

// proves P1, P4
#[tokio::test]
async fn good_tokens_are_taken() {
    let campus = TestCampus::new();
    for claims in [
        claims(),
        with("aud", json!(["other", AUDIENCE])),
        with("nbf", json!(start().timestamp())),
    ] {
        let token = campus.campus.issuer.sign(&claims).expect("a token");
        let profile = campus.with_token(&token).get("/api/settings/").await.ok();
        assert_eq!(
            profile["username"], "sue",
            "without a user name, the subject is taken"
        );
    }
}

// proves P1, P2, P7
#[tokio::test]
async fn bad_tokens_are_401_on_every_route_public_ones_included() {
    let campus = TestCampus::new();
    let now = start().timestamp();
    let sign = |claims: Value| campus.campus.issuer.sign(&claims).expect("a token");
    let foreign = Issuer::new(&Issuer::new_key().expect("a key"), ISSUER)
        .expect("an issuer")
        .sign(&claims())
        .expect("a token");
    let hmac = |key: &[u8]| {
        let header = Header {
            alg: Algorithm::HS256,
            kid: Some("local".into()),
            ..Header::default()
        };
        encode(&header, &claims(), &EncodingKey::from_secret(key)).expect("a token")
    };
    let public = json!(campus.campus.issuer.keys()).to_string();
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let none = format!(
        "{}.{}.",
        part(json!({ "alg": "none", "typ": "JWT" })),
        part(claims())
    );
    let good = sign(claims());
    let cut = good
        .rsplit_once('.')
        .map(|(body, _)| format!("{body}."))
        .unwrap_or_default();
    for (why, token) in [
        ("expired", sign(with("exp", json!(now)))),
        ("not yet valid", sign(with("nbf", json!(now + 1)))),
        (
            "a start that is text",
            sign(with("nbf", json!(now.to_string()))),
        ),
        (
            "an end that is text",
            sign(with("exp", json!((now + 60).to_string()))),
        ),
        (
            "other issuer",
            sign(with("iss", json!("https://other.example"))),
        ),
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
            let response = campus.with_token(&token).get(path).await;
            assert!(
                response.header("www-authenticate").starts_with("Bearer"),
                "{why}"
            );
            assert_eq!(response.status, 401, "{why}: {}", response.text());
            response.error(401);
        }
    }
    for value in ["Basic abc", "Bearer", "bearer"] {
        campus
            .anonymous()
            .header("authorization", value)
            .get("/api/health/")
            .await
            .error(401);
    }
}

/// An issuer that gives these answers, one after the other, and then only the last.
struct OneAfterTheOther(Mutex<VecDeque<Result<JwkSet, String>>>);

impl OneAfterTheOther {
    fn new(answers: impl Into<VecDeque<Result<JwkSet, String>>>) -> Self {
        Self(Mutex::new(answers.into()))
    }
}

impl KeySource for OneAfterTheOther {
    fn fetch(&self) -> BoxFuture<'_, Result<JwkSet, String>> {
        let mut answers = self.0.lock().expect("a lock");
        let response = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        Box::pin(async { response.expect("an answer") })
    }
}

// proves P3
#[tokio::test]
async fn unreachable_issuer_is_no_401_and_unknown_keys_are_fetched_once_a_minute() {
    let issuer = Issuer::new(&Issuer::new_key().expect("a key"), ISSUER).expect("an issuer");
    let flaky = OneAfterTheOther::new([Err("unreachable".into()), Ok(issuer.keys())]);
    let verifier = Verifier::new(&local::settings(), Keys::new(flaky));
    let token = issuer.sign(&claims()).expect("a token");
    assert!(matches!(
        verifier.verify(&token, start()).await,
        Err(TokenError::Unavailable)
    ));
    assert!(
        matches!(
            verifier.verify(&token, start()).await,
            Err(TokenError::Unavailable)
        ),
        "the issuer was asked again at once"
    );
    let later = start() + chrono::TimeDelta::seconds(3);
    assert_eq!(
        verifier
            .verify(&token, later)
            .await
            .expect("an identity")
            .username,
        "sue"
    );
    let header = Header {
        alg: Algorithm::ES256,
        kid: Some("other".into()),
        ..Header::default()
    };
    let pkcs8 = Issuer::new_key().expect("a key");
    let other = encode(&header, &claims(), &EncodingKey::from_ec_der(&pkcs8)).expect("a token");
    assert!(matches!(
        verifier.verify(&other, later).await,
        Err(TokenError::Invalid(_))
    ));
    assert_eq!(
        verifier
            .verify(&token, later)
            .await
            .expect("an identity")
            .username,
        "sue",
        "the known keys stay"
    );
}

// proves P4, P5
#[tokio::test]
async fn people_are_the_same_by_subject_and_admins_by_group() {
    let campus = TestCampus::new();
    let mut claims = claims();
    claims["preferred_username"] = json!("susan");
    claims["groups"] = json!(["students", "clubs-admin"]);
    let token = campus.campus.issuer.sign(&claims).expect("a token");
    let admin = campus.with_token(&token).get("/api/settings/").await.ok();
    assert_eq!(
        (&admin["username"], &admin["is_admin"]),
        (&json!("susan"), &json!(true))
    );
    assert_eq!(
        campus.as_("sue").get("/api/settings/").await.ok()["id"],
        admin["id"]
    );
}

// An id has only 53 bits of a hash. If people can choose their subject, somebody could find a
// subject that has the id of another person.
// proves P4
#[tokio::test]
async fn person_with_somebodys_id_is_refused() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut profile = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Person")
        .expect("a profile");
    profile["subject"] = json!({ "S": "another subject" });
    let body = json!({ "TableName": local::table::TABLE, "Item": profile });
    campus
        .campus
        .engine
        .json("PutItem", &body)
        .expect("a write");
    campus.advance(chrono::TimeDelta::minutes(6));
    ada.get("/api/clubs/chess/invites/").await.error(401);
    ada.patch("/api/clubs/chess/", json!({ "subtitle": "x" }))
        .await
        .error(401);
    assert_eq!(
        campus.anonymous().get("/api/clubs/chess/").await.ok()["subtitle"],
        ""
    );
}

// proves P7
#[tokio::test]
async fn unverified_address_counts_as_none() {
    let campus = TestCampus::new();
    for (verified, email) in [
        (json!(false), ""),
        (json!("false"), ""),
        (json!(null), "sue@uni.example"),
        (json!(1), ""),
        (json!("true"), "sue@uni.example"),
        (json!(true), "sue@uni.example"),
    ] {
        let mut claims = with("email", json!("sue@uni.example"));
        claims["sub"] = json!(format!("sue-{}", verified.to_string().replace('"', "")));
        claims["email_verified"] = verified.clone();
        let token = campus.campus.issuer.sign(&claims).expect("a token");
        let profile = campus.with_token(&token).get("/api/settings/").await.ok();
        assert_eq!(profile["email"], email, "email_verified: {verified}");
    }
}

// proves P1, P3
#[tokio::test]
async fn accepted_token_is_refused_after_its_time_or_key_ended() {
    let issuer = || Issuer::new(&Issuer::new_key().expect("a key"), ISSUER).expect("an issuer");
    let (old, new) = (issuer(), issuer());
    let verifier = Verifier::new(
        &local::settings(),
        Keys::new(OneAfterTheOther::new([Ok(old.keys()), Ok(new.keys())])),
    );
    let claims = |expires: TimeDelta| with("exp", json!((start() + expires).timestamp()));
    let short = old.sign(&claims(TimeDelta::minutes(10))).expect("a token");
    let long = old.sign(&claims(TimeDelta::days(7))).expect("a token");
    let early = old
        .sign(&with(
            "nbf",
            json!((start() + TimeDelta::hours(1)).timestamp()),
        ))
        .expect("a token");
    for (token, at, is_good) in [
        (&short, TimeDelta::zero(), true),
        (&short, TimeDelta::minutes(9), true),
        (&short, TimeDelta::minutes(12), false),
        (&early, TimeDelta::zero(), false),
        (&early, TimeDelta::minutes(1), false),
        (&long, TimeDelta::zero(), true),
        (&long, TimeDelta::hours(11), true),
        // The keys are fetched again after twelve hours, and the new one has the same id.
        (&long, TimeDelta::hours(13), false),
    ] {
        let result = verifier.verify(token, start() + at).await;
        assert_eq!(result.is_ok(), is_good, "after {at}: {result:?}");
    }
}
