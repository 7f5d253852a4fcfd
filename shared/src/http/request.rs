//! Facts about a request that are not in its path or body.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};

use crate::state::Shared;

/// When the gateway received the request. Deadlines are checked against this time (S1).
#[derive(Debug, Clone, Copy)]
pub struct ReceivedAt(pub DateTime<Utc>);

impl FromRequestParts<Shared> for ReceivedAt {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Self::Rejection> {
        Ok(parts
            .extensions
            .get()
            .copied()
            .unwrap_or_else(|| Self(app.clock.now())))
    }
}

/// The path as the client sees it, including the stage of the gateway if there is one. It is used
/// in links.
#[derive(Debug, Clone)]
pub struct PublicPath(pub String);

impl<S: Sync> FromRequestParts<S> for PublicPath {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(Self::of(parts)))
    }
}

/// The address of the distribution in front of the gateway, as a URL without a slash at its end. A
/// request that came through it has this, and its public path has no stage (O16).
#[derive(Debug, Clone)]
pub struct PublicOrigin(pub String);

impl PublicPath {
    pub(super) fn of(parts: &Parts) -> String {
        parts
            .extensions
            .get::<Self>()
            .map_or_else(|| parts.uri.path().to_owned(), |path| path.0.clone())
    }
}
