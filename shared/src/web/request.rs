//! Facts about a request that are not in its path or body.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};

use crate::state::{Context, Shared};
use crate::time::{RequestTime, Timestamp};

/// When the gateway received the request. Deadlines are checked against this time (S1).
#[derive(Debug, Clone, Copy)]
pub struct ReceivedAt(pub DateTime<Utc>);

impl FromRequestParts<Shared> for ReceivedAt {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Shared,
    ) -> Result<Self, Self::Rejection> {
        let app = &Context::of(parts, state);
        Ok(parts
            .extensions
            .get()
            .copied()
            .unwrap_or_else(|| Self(app.clock.now())))
    }
}

/// The order number and the time of the request; of a repeat with a key, those of its first attempt
/// (X17). Of two requests, they say which one was received later.
#[derive(Debug, Clone, Copy)]
pub struct RequestedAt(pub RequestTime);

impl FromRequestParts<Shared> for RequestedAt {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Shared,
    ) -> Result<Self, Self::Rejection> {
        let app = Context::of(parts, state);
        let now = app.clock.now();
        let unknown = || RequestTime {
            received: app.ids.received(now),
            at: Timestamp::at(now),
        };
        Ok(Self(app.table.received().unwrap_or_else(unknown)))
    }
}

/// The network address of the client, as far as it is known: wrong tokens are counted by it (Z2).
#[derive(Debug, Clone, Default)]
pub struct ClientAddress(pub String);

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

/// The absolute URL of a request as the client sees it, without its query. What a proxy says about
/// it counts only if the deployment trusts its proxy; otherwise any caller could say it.
#[derive(Debug, Clone)]
pub struct PublicUrl(pub String);

impl PublicUrl {
    pub(super) fn of(parts: &Parts, app: &Context) -> Self {
        if let Some(PublicOrigin(origin)) = parts.extensions.get() {
            return Self(format!("{origin}{}", PublicPath::of(parts)));
        }
        let header = |name: &str| {
            let value = parts.headers.get(name)?.to_str().ok()?;
            // Each proxy on the way adds a value. The first one is what the client asked for.
            let first = value.split(',').next()?.trim();
            (!first.is_empty()).then_some(first)
        };
        let forwarded =
            |name: &str| header(name).filter(|_| app.settings.addresses.trusts_forwarded);
        let uri = &parts.uri;
        let host = forwarded("x-forwarded-host")
            .or_else(|| header("host"))
            .or_else(|| uri.authority().map(http::uri::Authority::as_str))
            .unwrap_or("localhost");
        // In the cloud, the gateway has told the scheme in the URI.
        let scheme = forwarded("x-forwarded-proto")
            .filter(|scheme| matches!(*scheme, "http" | "https"))
            .or_else(|| uri.scheme_str())
            .unwrap_or("http");
        Self(format!("{scheme}://{host}{}", PublicPath::of(parts)))
    }
}

impl FromRequestParts<Shared> for PublicUrl {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Shared,
    ) -> Result<Self, Self::Rejection> {
        let app = &Context::of(parts, state);
        Ok(Self::of(parts, app))
    }
}
