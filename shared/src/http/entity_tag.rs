//! Entity tags of what is made from catalogues: they say what an answer was made from and until
//! when it stands, so that whoever has it gets a 304 for the price of one read, from a function
//! that has nothing in memory too.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use serde::Serialize;

use super::error::ApiError;
use super::params::Params;
use crate::ids::sha256_hex;
use crate::state::Shared;
use crate::table::Versions;
use crate::time::Timestamp;

/// How long an answer stands at most: another release may make it look different.
const STANDS: TimeDelta = TimeDelta::hours(1);

/// What an answer was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Basis {
    key: String,
    /// It stands before this moment, in seconds since 1970.
    until: i64,
}

/// An answer that is not made, because the client has it: 304 with the entity tag that it sent.
#[derive(Debug, Clone)]
pub struct Unchanged(pub(super) HeaderValue);

impl IntoResponse for Unchanged {
    fn into_response(self) -> Response {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The entity tag of a body, with what it was made from. Strong: the same state has the same bytes.
pub(super) fn entity_tag(body: &[u8], basis: Option<&Basis>) -> String {
    let hash = &sha256_hex(body)[..32];
    match basis {
        Some(Basis { key, until }) => format!("\"{hash}-{key}-{until:x}\""),
        None => format!("\"{hash}\""),
    }
}

/// The entity tags that a client sends as known.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownTags(Vec<String>);

impl KnownTags {
    pub(super) fn of(headers: &HeaderMap, name: HeaderName) -> Self {
        let values = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        Self(
            values
                .flat_map(split_tags)
                .map(|tag| tag.trim().to_owned())
                .collect(),
        )
    }

    /// The known tag that stands for the same body as this one. Bodies that are equal are the same,
    /// whatever they were made from.
    pub(super) fn like(&self, tag: &str) -> Option<&str> {
        self.0
            .iter()
            .map(String::as_str)
            .find(|known| *known == "*" || body_of(known) == body_of(tag))
    }
}

/// The tags of a list; one may have a comma between its quotes.
fn split_tags(list: &str) -> Vec<&str> {
    let mut quoted = false;
    list.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .collect()
}

/// A tag as it is compared weakly (RFC 9110, 8.8.3.2), without what the body was made from.
fn body_of(tag: &str) -> &str {
    let opaque = tag.trim_start_matches("W/").trim_matches('"');
    opaque.split_once('-').map_or(opaque, |(body, _)| body)
}

/// What the client asks for, and has already.
#[derive(Debug)]
pub struct Known {
    target: String,
    tags: KnownTags,
    now: Timestamp,
}

impl FromRequestParts<Shared> for Known {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Self::Rejection> {
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let target = format!("{}?{}", parts.uri.path(), params.text_of_all());
        Ok(Self {
            target,
            tags: KnownTags::of(&parts.headers, header::IF_NONE_MATCH),
            now: app.now(),
        })
    }
}

/// The states of an object that the client is ready to change (header `If-Match`, H29).
#[derive(Debug, Clone, Default)]
pub struct IfMatch {
    tags: KnownTags,
    /// Whether there is such a header, readable or not.
    is_given: bool,
}

impl IfMatch {
    /// Those that the headers of a request say.
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            tags: KnownTags::of(headers, header::IF_MATCH),
            is_given: headers.contains_key(header::IF_MATCH),
        }
    }

    /// Whether the client says any.
    pub fn is_given(&self) -> bool {
        self.is_given
    }

    /// 412, unless the object is in one of these states: `body` is what GET would answer. Tags are
    /// compared weakly, since answers may be compressed on their way.
    pub fn check<B: Serialize>(&self, body: impl FnOnce() -> B) -> Result<(), ApiError> {
        if !self.is_given() {
            return Ok(());
        }
        let bytes =
            serde_json::to_vec(&body()).map_err(|error| ApiError::Internal(error.to_string()))?;
        self.tags
            .like(&entity_tag(&bytes, None))
            .map(drop)
            .ok_or(ApiError::PreconditionFailed)
    }
}

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.headers))
    }
}

/// An answer in the making.
#[derive(Debug)]
pub struct Draft(Basis);

impl Known {
    /// Begins an answer that is made from these parts of catalogues and for this viewer, and from
    /// nothing else that changes before the moment with which it ends. If the client has it, this
    /// is the answer already.
    pub fn draft<'a>(
        &self,
        versions: &Versions,
        parts: impl IntoIterator<Item = &'a String>,
        viewer: &impl Serialize,
    ) -> Result<Draft, Unchanged> {
        let parts: Vec<(&String, u64)> = parts
            .into_iter()
            .map(|part| (part, versions.of(part)))
            .collect();
        let made_from =
            serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), &self.target, parts, viewer))
                .unwrap_or_default();
        let key = sha256_hex(&made_from)[..16].to_owned();
        let stands = |tag: &&String| {
            let mut fields = tag.trim_end_matches('"').rsplit('-');
            let until = fields
                .next()
                .and_then(|until| i64::from_str_radix(until, 16).ok());
            until.is_some_and(|until| self.now.epoch_seconds() < until)
                && fields.next() == Some(key.as_str())
                && fields.next().is_some()
        };
        match self
            .tags
            .0
            .iter()
            .find(stands)
            .and_then(|tag| HeaderValue::from_str(tag).ok())
        {
            Some(tag) => Err(Unchanged(tag)),
            None => Ok(Draft(Basis {
                key,
                until: self.now.plus(STANDS).epoch_seconds(),
            })),
        }
    }
}

impl Draft {
    /// The answer, which stands until a moment, or for as long as what it was made from does; for
    /// an hour at most.
    pub fn done(mut self, body: impl IntoResponse, until: Option<Timestamp>) -> Response {
        self.0.until = until.map_or(self.0.until, |until| {
            until.epoch_seconds().min(self.0.until)
        });
        let mut response = body.into_response();
        response.extensions_mut().insert(self.0);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_one_body_are_alike() {
        let basis = Basis {
            key: "00ff".into(),
            until: 10,
        };
        let (with, without) = (entity_tag(b"x", Some(&basis)), entity_tag(b"x", None));
        let known = |tag: &str| KnownTags(vec!["W/\"other\"".into(), tag.to_owned()]);
        assert_eq!(known(&with).like(&without), Some(with.as_str()));
        assert_eq!(
            known(without.trim_start_matches("W/")).like(&with),
            Some(without.trim_start_matches("W/"))
        );
        assert_eq!(known(&with).like(&entity_tag(b"y", Some(&basis))), None);
        assert_eq!(known("*").like(&with), Some("*"));
        assert_eq!(
            split_tags("W/\"a,b\", \"c\" ,*"),
            ["W/\"a,b\"", " \"c\" ", "*"]
        );
    }
}
