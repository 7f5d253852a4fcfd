//! Callers with a token: whom they act for, and what they may do (Z2, Z3).

use axum::http::request::Parts;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::error::ApiError;
use super::request::ClientAddress;
use super::scopes::Permit;
use crate::auth::{Grant, Identity, TokenSecret};
use crate::domain::{Person, Token, TokenScope};
use crate::reason::Reason;
use crate::state::Context;
use crate::text::ClubCode;

const UNKNOWN: &str = "it is no token, or has ended";

/// Marks the read of an object for a repeat with an idempotency key: whoever may write it sees what
/// a write answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Replaying;

/// Returns the token with this text, and its person: 1 batch read of 2 items for 1 unit, or nothing
/// within a minute after it.
pub(super) async fn grant_of(
    app: &Context,
    address: &ClientAddress,
    text: &str,
) -> Result<Grant, ApiError> {
    let now = app.clock.now();
    let secret = TokenSecret::parse(text);
    let cached = secret
        .as_ref()
        .and_then(|secret| app.grants.find(&secret.sha256, now));
    let found = match cached {
        Some(grant) => Some(grant),
        None => looked_up(app, secret, now).await?,
    };
    let Some(grant) = found else {
        // Only wrong tokens are counted, so that nobody is held up who shares the address.
        if let Some(seconds) = app.grants.wrong_one(&address.0, now) {
            return Err(ApiError::RateLimited(Reason::WrongTokens, seconds));
        }
        return Err(ApiError::BadToken(UNKNOWN.into()));
    };
    if grant.token.expires_at.moment() <= now {
        return Err(ApiError::BadToken("it has expired".into()));
    }
    let first = (now - Token::SIGNED_IN_WITHIN).date_naive();
    if grant.signed_in_on.is_none_or(|on| on < first) {
        let why = "its person has not signed in for 90 days";
        return Err(ApiError::BadToken(why.into()));
    }
    Ok(grant)
}

/// What was stored a moment ago may be missing in the cheaper read. So a token is wrong only if the
/// other one says so too.
async fn looked_up(
    app: &Context,
    secret: Option<TokenSecret>,
    now: DateTime<Utc>,
) -> Result<Option<Grant>, ApiError> {
    let Some(secret) = secret else {
        return Ok(None);
    };
    let mut found = looked_up_once(app, &secret, true).await?;
    if found.is_none() {
        found = looked_up_once(app, &secret, false).await?;
    }
    if let Some(grant) = &found {
        app.grants.saw(grant.clone(), now);
    }
    Ok(found)
}

async fn looked_up_once(
    app: &Context,
    secret: &TokenSecret,
    eventual: bool,
) -> Result<Option<Grant>, ApiError> {
    let token_key = (secret.person, secret.number);
    let read = app.table.token_and_person(token_key, eventual);
    let (Some(token), Some(person)) = read.await? else {
        return Ok(None);
    };
    // Whoever was erased and came back has the tokens of their new profile only.
    let is_of_profile = token.created_at >= person.created_at && !person.erasing;
    // Hashes of a random text: how long the comparison takes tells nothing.
    if token.sha256 != secret.sha256 || !is_of_profile {
        return Ok(None);
    }
    Ok(Some(Grant {
        token,
        signed_in_on: person.signed_in_on,
        identity: identity_of(person),
    }))
}

/// A person as their token knows them: never an admin.
fn identity_of(person: Person) -> Identity {
    Identity {
        id: person.id,
        subject: person.subject,
        username: person.personal.username,
        name: None,
        first_name: None,
        last_name: None,
        email: None,
        is_admin: false,
        issued_at: person.token_issued_at,
    }
}

/// Returns whether a token needs its day of use to be noted.
pub(super) fn is_first_today(app: &Context, token: &Token) -> bool {
    token.last_used_on != Some(app.clock.now().date_naive())
}

/// Returns the scope with which a token may call a route (Z3); 403 if it has none, or is for
/// another club.
pub(super) fn permit<P: Permit>(
    token: &Token,
    club: Option<&ClubCode>,
    parts: &Parts,
) -> Result<TokenScope, ApiError> {
    if P::SCOPES.is_empty() {
        return Err(ApiError::OutOfScope(Reason::NotForTokens));
    }
    let replays = parts.extensions.get::<Replaying>().is_some();
    let writes = |scope: TokenScope| scope.to_write().iter().any(|scope| token.has(*scope));
    let may = |scope: &&TokenScope| token.has(**scope) || replays && writes(**scope);
    let Some(scope) = P::SCOPES.iter().find(may).copied() else {
        let allowed = P::SCOPES.iter().map(|scope| scope.word()).collect();
        return Err(ApiError::OutOfScope(Reason::MissingScope { allowed }));
    };
    if token.club.is_some() && token.club.as_ref() != club {
        return Err(ApiError::OutOfScope(Reason::TokenOfOtherClub));
    }
    Ok(scope)
}

/// Marks a response from which something was removed. It has no entity tag: that of the whole
/// response would tell whether a guess is right, and the other one would match nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduced;

/// Returns whether a token may not read what it writes. What a club shows is public.
pub(super) fn only_writes(token: &Token, used: Option<TokenScope>) -> bool {
    let is_read =
        |used: &TokenScope| matches!(used, TokenScope::MembersRead | TokenScope::RecruitmentRead);
    let read = used.and_then(|used| match used {
        used if is_read(&used) => Some(used),
        used => used.to_read(),
    });
    read.is_some_and(|read| !token.has(read) && read != TokenScope::ClubsRead)
}

/// Returns what a write answers to a token that may not read, without addresses of people and
/// answers; none if there are none.
pub(super) fn without_what_is_read(body: &[u8]) -> Option<Vec<u8>> {
    let mut body: Value = serde_json::from_slice(body).ok()?;
    if !blank(&mut body) {
        return None;
    }
    serde_json::to_vec(&body).ok()
}

/// Empties answers and addresses. Returns whether there were any.
fn blank(value: &mut Value) -> bool {
    let mut found = false;
    match value {
        Value::Array(all) => {
            for one in all {
                found |= blank(one);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let empty = match (name.as_str(), &value) {
                    ("responses", Value::Array(_)) => json!([]),
                    ("email", Value::String(_)) => json!(""),
                    _ => {
                        found |= blank(value);
                        continue;
                    }
                };
                found |= *value != empty;
                *value = empty;
            }
        }
        _ => {}
    }
    found
}
