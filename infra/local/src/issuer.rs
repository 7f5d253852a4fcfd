//! A token issuer. The service verifies its tokens in the same way as those of a university.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The URL of the issuer on the usual port. The ids of people are derived from it on every port, so
/// they keep their ids.
pub const ISSUER: &str = "http://127.0.0.1:8000/local";
/// The audience in tokens.
pub const AUDIENCE: &str = "clubs";
/// Tokens expire after this time, if the request does not say otherwise.
const HOURS: i64 = 12;

pub struct Issuer {
    /// The `iss` claim of its tokens.
    url: String,
    key: EncodingKey,
    jwk: Jwk,
}

/// The person for whom a token is issued.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Subject {
    /// The user name, which is also the subject.
    pub username: String,
    /// The address. Without it the token has no e-mail claim.
    pub email: Option<String>,
    /// The whole name.
    pub name: Option<String>,
    /// The first name.
    #[serde(default)]
    pub given_name: Option<String>,
    /// The last name.
    #[serde(default)]
    pub family_name: Option<String>,
    #[serde(default)]
    pub groups: Vec<String>,
    /// Seconds until the token expires. May be negative.
    pub expires_in: Option<i64>,
}

impl Issuer {
    /// A new key, in PKCS #8.
    pub fn new_key() -> Result<Vec<u8>, String> {
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .map_err(|e| e.to_string())?;
        Ok(document.as_ref().to_vec())
    }

    /// An issuer with this URL that signs with this key.
    pub fn new(pkcs8: &[u8], url: &str) -> Result<Self, String> {
        let key = EncodingKey::from_ec_der(pkcs8);
        let mut jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).map_err(|e| e.to_string())?;
        jwk.common.key_id = Some("local".into());
        Ok(Self {
            url: url.to_owned(),
            key,
            jwk,
        })
    }

    /// The URL of the issuer.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The public keys.
    pub fn keys(&self) -> JwkSet {
        JwkSet {
            keys: vec![self.jwk.clone()],
        }
    }

    /// A token for `subject`, and the number of seconds until it expires.
    pub fn token(&self, subject: &Subject, now: DateTime<Utc>) -> Result<(String, i64), String> {
        let expires_in = subject
            .expires_in
            .unwrap_or(TimeDelta::hours(HOURS).num_seconds());
        let mut claims = json!({
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject.username,
            "preferred_username": subject.username,
            "groups": subject.groups,
            "iat": now.timestamp(),
            "exp": now.timestamp().saturating_add(expires_in),
        });
        for (claim, value) in [
            ("email", &subject.email),
            ("name", &subject.name),
            ("given_name", &subject.given_name),
            ("family_name", &subject.family_name),
        ] {
            if let Some(value) = value {
                claims[claim] = json!(value);
            }
        }
        Ok((self.sign(&claims)?, expires_in))
    }

    /// An id token for the site. It lasts as long as the access token.
    pub fn id_token(
        &self,
        subject: &Subject,
        nonce: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<String, String> {
        let mut claims = json!({
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject.username,
            "iat": now.timestamp(),
            "exp": now.timestamp() + subject.expires_in.unwrap_or(0),
        });
        if let Some(nonce) = nonce {
            claims["nonce"] = json!(nonce);
        }
        self.sign(&claims)
    }

    /// A token with exactly these claims.
    pub fn sign(&self, claims: &serde_json::Value) -> Result<String, String> {
        let header = Header {
            alg: Algorithm::ES256,
            kid: Some("local".into()),
            ..Header::default()
        };
        encode(&header, claims, &self.key).map_err(|e| e.to_string())
    }
}
