//! Verification of a token, and the claims read from it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::keys::{Keys, Unavailable};
use super::verified::VerifiedTokens;
use crate::ids;
use crate::ids::{Id, of};
use crate::settings::{ClaimNames, Settings};
use crate::text::Email;
use crate::text::kinds::is_hidden;

/// The claims of a verified token. If a claim is absent, the stored value stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// User id, derived from issuer and subject.
    pub id: Id<of::Person>,
    /// A hash of issuer and subject.
    pub subject: String,
    /// User name; the subject if the claim is missing.
    pub username: String,
    /// Full name.
    pub name: Option<String>,
    /// First name.
    pub first_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// E-mail address; none if the issuer says that it is not verified.
    pub email: Option<Email>,
    /// Whether they are in the admin group.
    pub is_admin: bool,
    /// The claim `iat`, or 0.
    pub issued_at: i64,
}

/// What a token says whose signature, issuer and audience are right.
#[derive(Debug, Clone)]
struct Verified {
    identity: Identity,
    /// The claims `exp` and `nbf`, in seconds since 1970.
    expires: f64,
    not_before: Option<f64>,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    /// It is not valid. The text completes "The access token is not valid: …".
    Invalid(&'static str),
    /// The issuer's keys were never fetched, so it is not known whether the token is valid.
    Unavailable,
}

/// Verifies the tokens of one issuer.
pub struct Verifier {
    keys: Keys,
    verified: VerifiedTokens<Verified>,
    issuer: String,
    /// Ids of people are derived from it.
    id_namespace: String,
    audience: String,
    leeway: i64,
    claims: ClaimNames,
    admin_group: String,
}

/// Only asymmetric algorithms are accepted: neither `none` nor HMAC.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Whether an address counts as verified. Some issuers send the claim as text, and some do not send
/// it.
fn is_verified(claim: Option<&Value>) -> bool {
    match claim {
        None | Some(Value::Null | Value::Bool(true)) => true,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        Some(_) => false,
    }
}

impl Verifier {
    /// Returns a verifier for the issuer in the settings, with its keys.
    pub fn new(settings: &Settings, keys: Keys) -> Self {
        Self {
            keys,
            verified: VerifiedTokens::default(),
            issuer: settings.tokens.issuer.clone(),
            id_namespace: settings.tokens.id_namespace.clone(),
            audience: settings.tokens.audience.clone(),
            leeway: i64::try_from(settings.tokens.leeway_seconds).unwrap_or(0),
            claims: settings.tokens.claims.clone(),
            admin_group: settings.tokens.admin_group.clone(),
        }
    }

    /// Fetches the keys, so that the first request does not have to wait for them. It is an error
    /// if they were never fetched successfully.
    pub async fn warm_up(&self, now: DateTime<Utc>) -> Result<(), Unavailable> {
        self.keys.find(None, now).await.map(drop)
    }

    /// Returns the claims of the token if its signature, issuer, audience and times are valid.
    pub async fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<Identity, TokenError> {
        let bad = TokenError::Invalid;
        let header = decode_header(token).map_err(|_| bad("it is not a signed JWT"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(bad("its algorithm is not allowed"));
        }
        let key = self
            .keys
            .find(header.kid.as_deref(), now)
            .await
            .map_err(|_| TokenError::Unavailable)?
            .ok_or_else(|| bad("its key is unknown"))?;
        let verified = if let Some(verified) = self.verified.find(token, &key) {
            verified
        } else {
            let verified = self.verify_once(token, header.alg, &key)?;
            self.verified.add(token, &key, verified.clone());
            verified
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 are far below 2^52"
        )]
        let (at, leeway) = (now.timestamp_millis() as f64 / 1000.0, self.leeway as f64);
        if at >= verified.expires + leeway {
            return Err(bad("it has expired"));
        }
        if verified.not_before.is_some_and(|nbf| at < nbf - leeway) {
            return Err(bad("it is not valid yet"));
        }
        Ok(verified.identity)
    }

    /// Checks everything but the times.
    fn verify_once(
        &self,
        token: &str,
        algorithm: Algorithm,
        key: &DecodingKey,
    ) -> Result<Verified, TokenError> {
        let bad = TokenError::Invalid;
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.required_spec_claims =
            HashSet::from(["exp", "iss", "aud", "sub"].map(str::to_owned));
        // Times are compared with the service's clock at each request, not with the clock of the
        // machine.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let claims = decode::<Map<String, Value>>(token, key, &validation)
            .map_err(|_| bad("its signature, issuer or audience is wrong"))?
            .claims;
        let seconds = |name: &str| claims.get(name).and_then(Value::as_f64);
        Ok(Verified {
            expires: seconds("exp").ok_or_else(|| bad("it has expired"))?,
            not_before: match claims.get("nbf") {
                None | Some(Value::Null) => None,
                Some(_) => Some(seconds("nbf").ok_or_else(|| bad("its nbf claim is no number"))?),
            },
            identity: self
                .identity(&claims)
                .ok_or_else(|| bad("it has no usable sub claim"))?,
        })
    }

    fn identity(&self, claims: &Map<String, Value>) -> Option<Identity> {
        let text = |name: &str| {
            let value = claims.get(name)?.as_str()?;
            let clean: String = value
                .chars()
                .filter(|c| !c.is_control() && !is_hidden(*c))
                .take(crate::limits::NAME)
                .collect();
            Some(clean.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let subject = claims
            .get("sub")?
            .as_str()
            .filter(|subject| !subject.is_empty())?;
        let groups = claims.get(&self.claims.groups);
        let in_group = |value: &Value| value.as_str() == Some(self.admin_group.as_str());
        Some(Identity {
            id: Id::derived("user", &[&self.id_namespace, subject]),
            subject: ids::sha256_hex(format!("{}\n{subject}", self.id_namespace).as_bytes()),
            username: text(&self.claims.username).or_else(|| text("sub"))?,
            name: text(&self.claims.name),
            first_name: text(&self.claims.given_name),
            last_name: text(&self.claims.family_name),
            // An unverified address could give access to objects that belong to somebody else.
            email: text(&self.claims.email)
                .filter(|_| is_verified(claims.get("email_verified")))
                .and_then(|email| Email::parse(&email)),
            is_admin: groups.is_some_and(|groups| {
                groups
                    .as_array()
                    .map_or_else(|| in_group(groups), |all| all.iter().any(in_group))
            }),
            issued_at: claims.get("iat").and_then(Value::as_i64).unwrap_or(0),
        })
    }
}
