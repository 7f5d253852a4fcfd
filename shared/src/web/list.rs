//! Plain arrays that clients can request in slices with `limit` and `cursor`. The response has a
//! `Link` header (H24).

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::{HeaderMap, HeaderValue, header, request::Parts};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::ApiError;
use super::params::Params;
use super::request::PublicPath;
use crate::limits;
use crate::reason::Reason;
use crate::state::Shared;

/// Cursors of other versions are refused, so that the content of cursors may change.
const VERSION: u8 = 1;

/// Which slice of an array is requested. A cursor contains a position in the list and no key of the
/// table. A forged cursor can therefore reach only the list that the caller may read.
#[derive(Debug, Clone)]
pub struct Slice {
    limit: Option<usize>,
    cursor: Option<Vec<u8>>,
    path: String,
    params: Params,
}

impl FromRequestParts<Shared> for Slice {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        let params = Params::parse(parts.uri.query().unwrap_or_default());
        let limit = params
            .number("limit", 1, limits::SLICE)?
            .and_then(|limit| usize::try_from(limit).ok());
        let cursor = params.text("cursor").map(|text| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok();
            let body = bytes.and_then(|bytes| {
                bytes
                    .split_first()
                    .filter(|(v, _)| **v == VERSION)
                    .map(|(_, rest)| rest.to_vec())
            });
            body.ok_or_else(|| ApiError::field("cursor", Reason::InvalidCursor))
        });
        Ok(Self {
            limit,
            cursor: cursor.transpose()?,
            path: PublicPath::of(parts),
            params,
        })
    }
}

impl Slice {
    /// Returns the slice with a limit, if the request has none.
    #[must_use]
    pub fn with_default(self, limit: usize) -> Self {
        Self {
            limit: Some(self.limit.unwrap_or(limit)),
            ..self
        }
    }

    /// Returns the slice with at most this limit.
    #[must_use]
    pub fn at_most(self, limit: usize) -> Self {
        Self {
            limit: Some(self.limit.map_or(limit, |own| own.min(limit))),
            ..self
        }
    }

    /// Returns the maximum number of items.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Returns the position after which the slice starts; none without a cursor.
    pub fn after<P: DeserializeOwned>(&self) -> Result<Option<P>, ApiError> {
        let read = |bytes: &Vec<u8>| {
            serde_json::from_slice(bytes)
                .map_err(|_| ApiError::field("cursor", Reason::InvalidCursor))
        };
        self.cursor.as_ref().map(read).transpose()
    }

    /// Cuts `items` to the limit, and returns the link to the rest. If there are more items than
    /// the limit, `items` must hold one more than the limit.
    pub fn cut<T, P: Serialize>(
        &self,
        items: &mut Vec<T>,
        position: impl Fn(&T) -> P,
    ) -> Option<HeaderValue> {
        let limit = self.limit.filter(|limit| items.len() > *limit)?;
        items.truncate(limit);
        let mut bytes = vec![VERSION];
        bytes.extend(serde_json::to_vec(&position(items.last()?)).unwrap_or_default());
        let query = self
            .params
            .with("cursor", &BASE64_URL_SAFE_NO_PAD.encode(bytes));
        HeaderValue::try_from(format!("<{}?{query}>; rel=\"next\"", self.path)).ok()
    }

    /// Returns a response with the array, and a link to the rest if there is one. In that case
    /// `items` must hold one more than the limit.
    pub fn respond<'a, T, B: Serialize, P: Serialize>(
        &self,
        items: &'a mut Vec<T>,
        position: impl Fn(&T) -> P,
        show: impl Fn(&'a T) -> B,
    ) -> Response {
        let next = self.cut(items, position);
        let body: Vec<B> = items.iter().map(show).collect();
        with_next(Json(body), next)
    }
}

/// Returns a response with the link to the next part, if there is one.
pub fn with_next(body: impl IntoResponse, next: Option<HeaderValue>) -> Response {
    let mut response = body.into_response();
    if let Some(link) = next {
        response.headers_mut().insert(header::LINK, link);
    }
    // Tells `bounded_response` that clients can request this in slices.
    response.extensions_mut().insert(Sliced);
    response
}

/// Marks a response with a list that clients can request in slices.
#[derive(Debug, Clone, Copy)]
pub struct Sliced;

/// Returns whether the client prefers CSV to JSON: by the quality, or else by the order.
pub fn accepts_csv(headers: &HeaderMap) -> bool {
    accepts(headers, "text/csv", "application/json")
}

/// Returns whether the client wants a media type, and not rather another one: by the quality, or
/// else by the order.
pub(super) fn accepts(headers: &HeaderMap, first: &str, second: &str) -> bool {
    let accept = headers.get_all(header::ACCEPT).iter();
    let accept: Vec<&str> = accept.filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",");
    // Larger is better.
    let rank = |kind: &str| {
        accept.split(',').enumerate().find_map(|(at, part)| {
            let mut part = part.split(';').map(str::trim);
            part.next().filter(|it| it.eq_ignore_ascii_case(kind))?;
            let quality = part.find_map(|one| one.strip_prefix("q="));
            let quality = quality.map_or(1.0, |q| q.parse().unwrap_or(1.0));
            (quality > 0.0).then_some((quality, std::cmp::Reverse(at)))
        })
    };
    match (rank(first), rank(second)) {
        (Some(first), Some(second)) => first > second,
        (first, _) => first.is_some(),
    }
}
