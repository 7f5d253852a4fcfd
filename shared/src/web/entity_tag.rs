//! Entity tags: a tag is a hash of the body, so the same state has the same tag (H28, H29), or a
//! hash of what the body is made from (V22).

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::body::whole;
use super::error::ApiError;
use super::grant::{Reduced, without_what_is_read};
use super::idempotency::ShownAt;
use super::user::User;

/// Returns the entity tag of a body. It is a strong tag: the same state always has the same bytes.
/// It protects against changes by chance, so it needs no cryptographic hash.
pub(super) fn entity_tag(body: &[u8]) -> String {
    format!("\"{:032x}\"", xxh3_128(body))
}

/// The entity tags in a header of a request, such as `If-None-Match`.
#[derive(Debug, Clone, Default)]
pub(super) struct EntityTags {
    /// Whether the header has `*`, which is any tag.
    any: bool,
    tags: Vec<String>,
}

impl EntityTags {
    pub(super) fn of(headers: &HeaderMap, name: HeaderName) -> Self {
        let values = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut read = Self::default();
        for tag in values.flat_map(|list| list.split(',')).map(str::trim) {
            read.any |= tag == "*";
            read.tags.extend(opaque(tag).map(str::to_owned));
        }
        read
    }

    /// Returns whether the header contains `tag` or `*`.
    pub(super) fn contain(&self, tag: &str) -> bool {
        let is_listed = |tag| self.tags.iter().any(|one| one == tag);
        self.any || opaque(tag).is_some_and(is_listed)
    }
}

/// Returns a tag in the form used for weak comparison (RFC 9110, 8.8.3.2), because a response may
/// be compressed on its way; none if it cannot be read.
fn opaque(tag: &str) -> Option<&str> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let inside = tag.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('"')).then_some(inside)
}

/// The header `If-Match`: the states of an object that the client is willing to change (H29).
#[derive(Debug, Clone, Default)]
pub struct IfMatch {
    tags: EntityTags,
    /// Whether the request has the header, even if it cannot be parsed.
    is_given: bool,
    /// Whether the caller may not read all of the body. A tag of it would tell whether a guess is
    /// right (Z3).
    is_unread: bool,
}

impl IfMatch {
    /// Reads the header of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            tags: EntityTags::of(headers, header::IF_MATCH),
            is_given: headers.contains_key(header::IF_MATCH),
            is_unread: false,
        }
    }

    /// The same, sent by this caller.
    #[must_use]
    pub(super) fn by(self, user: &User) -> Self {
        let is_unread = user.only_writes();
        Self { is_unread, ..self }
    }

    /// Returns whether the request has the header.
    pub fn is_given(&self) -> bool {
        self.is_given
    }

    /// 412 if the request has the header and none of its tags matches `body`, the body that GET
    /// would return now. 404 if there is none: what is not there has no state (H3).
    pub fn check<B: Serialize>(&self, body: impl FnOnce() -> B) -> Result<(), ApiError> {
        if !self.is_given() {
            return Ok(());
        }
        let bytes =
            serde_json::to_vec(&body()).map_err(|error| ApiError::Internal(error.to_string()))?;
        if bytes == b"null" {
            return Err(ApiError::NotFound);
        }
        let is_hidden = self.is_unread && without_what_is_read(&bytes).is_some();
        if self.tags.any || !is_hidden && self.tags.contain(&entity_tag(&bytes)) {
            Ok(())
        } else {
            Err(ApiError::PreconditionFailed)
        }
    }

    /// 412 if the request has the header: there is no object that it could match.
    pub fn check_absent(&self) -> Result<(), ApiError> {
        if self.is_given() {
            return Err(ApiError::PreconditionFailed);
        }
        Ok(())
    }
}

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.headers))
    }
}

/// The header `If-None-Match`: the states that the client has.
#[derive(Debug, Clone)]
pub struct IfNoneMatch(EntityTags);

impl<S: Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(EntityTags::of(&parts.headers, header::IF_NONE_MATCH)))
    }
}

/// The entity tag of a response that need not be made if the client has it. It is the hash of
/// everything that the response is made from, instead of its body, and therefore a weak one.
#[derive(Debug, Clone)]
pub struct SourceTag(String);

impl SourceTag {
    /// Returns the tag of these sources.
    pub fn of(sources: &impl Serialize) -> Result<Self, ApiError> {
        let bytes =
            serde_json::to_vec(sources).map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(Self(format!("W/{}", entity_tag(&bytes))))
    }

    /// Returns the response 304, if the client has this state.
    pub fn not_modified(&self, states: &IfNoneMatch) -> Option<Response> {
        let is_listed = states.0.contain(&self.0);
        is_listed.then(|| self.on(StatusCode::NOT_MODIFIED.into_response()))
    }

    /// Returns the response with this tag.
    pub fn on(&self, mut response: Response) -> Response {
        set(response.headers_mut(), header::ETAG, &self.0);
        response
    }
}

/// Adds entity tags to responses of GET and to whole objects that a write returns, unless they have
/// one ([`SourceTag`]). Answers 304 when the client already has the body, and sets `Cache-Control`.
pub(super) async fn entity_tags(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let if_none_match = EntityTags::of(request.headers(), header::IF_NONE_MATCH);
    let private = request.headers().contains_key(header::AUTHORIZATION);
    let response = next.run(request).await;
    let status = response.status();
    if status == StatusCode::NOT_MODIFIED {
        return response;
    }
    let is_get = method == Method::GET;
    let shows_object = match method {
        Method::GET | Method::PUT | Method::PATCH => status == StatusCode::OK,
        Method::POST => {
            status == StatusCode::CREATED || response.extensions().get::<ShownAt>().is_some()
        }
        _ => false,
    };
    let is_reduced = response.extensions().get::<Reduced>().is_some();
    if !shows_object || is_reduced {
        return with_cache_control(response, "no-store");
    }
    let (mut parts, mut bytes) = match whole(response).await {
        Ok(whole) => whole,
        Err(error) => return error,
    };
    let given = parts.headers.get(header::ETAG);
    let given = given.and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
    let tag = given.unwrap_or_else(|| entity_tag(&bytes));
    set(&mut parts.headers, header::ETAG, &tag);
    if is_get && if_none_match.contain(&tag) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        bytes = Bytes::new();
    }
    let has_policy = parts.headers.contains_key(header::CACHE_CONTROL);
    let response = Response::from_parts(parts, Body::from(bytes));
    // What has credentials is kept nowhere, also if they are those of a program.
    let has_policy = has_policy && !(private && is_public(&response));
    match (is_get, has_policy, private) {
        (false, ..) => with_cache_control(response, "no-store"),
        (true, true, _) => response,
        (true, false, true) => with_cache_control(response, "private, no-cache"),
        (true, false, false) => with_cache_control(response, "public, no-cache"),
    }
}

fn is_public(response: &Response) -> bool {
    let policy = response.headers().get(header::CACHE_CONTROL);
    policy.is_some_and(|policy| policy.as_bytes().starts_with(b"public"))
}

/// How long caches may keep what callers see who are not signed in.
#[derive(Debug, Clone, Copy)]
pub enum Kept {
    /// Five minutes, also in programs of callers: calendars (V20).
    FiveMinutes,
    /// A minute in the distribution; browsers check each time (H36).
    MinuteInDistribution,
}

impl Kept {
    /// Returns the response with this policy, if there is no user. Pages of every origin may read
    /// it: the distribution gives one copy to all, so that other values of `Origin` make no copies.
    pub fn unless_signed_in<U>(self, user: Option<&U>, response: impl IntoResponse) -> Response {
        let response = response.into_response();
        if user.is_some() {
            return response;
        }
        let policy = match self {
            Self::FiveMinutes => "public, max-age=300",
            Self::MinuteInDistribution => "public, max-age=0, s-maxage=60",
        };
        let mut response = with_cache_control(response, policy);
        response.extensions_mut().insert(ForEveryOrigin);
        response
    }
}

/// A response that pages of every origin may read.
#[derive(Debug, Clone, Copy)]
struct ForEveryOrigin;

/// Lets pages of every origin read what caches give to all callers.
pub(super) async fn for_every_origin(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.extensions().get::<ForEveryOrigin>().is_some() {
        let headers = response.headers_mut();
        set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    response
}

/// Makes the tag of a compressed response a weak one, because its bytes are different.
pub(super) async fn weak_if_compressed(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if response.headers().contains_key(header::CONTENT_ENCODING)
        && let Some(tag) = response
            .headers()
            .get(header::ETAG)
            .and_then(|tag| tag.to_str().ok())
            .filter(|tag| !tag.starts_with("W/"))
    {
        let weak = format!("W/{tag}");
        set(response.headers_mut(), header::ETAG, &weak);
    }
    response
}

fn with_cache_control(mut response: Response, value: &'static str) -> Response {
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static(value));
    response
}

/// Sets a header. Does nothing if `value` is not a valid header value.
pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_weakly() {
        let headers = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, value.parse().unwrap());
            EntityTags::of(&headers, header::IF_NONE_MATCH)
        };
        let tag = entity_tag(b"x");
        assert!(headers(&format!("\"other\", W/{tag}")).contain(&tag));
        assert!(headers("*").contain(&tag));
        assert!(!headers("\"other\"").contain(&tag));
        assert!(!headers("\"*\"").contain(&tag), "an ordinary tag");
        assert_ne!(entity_tag(b"y"), tag);
    }
}
