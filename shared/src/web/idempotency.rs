//! `Idempotency-Key`: a POST that is sent again with the same key is executed once, and a repeat
//! gets the same response (X1, X2, X3, X4, X5).
//!
//! Before the work begins, the request is stored with the id that its object will have. An attempt
//! with an unknown outcome can therefore be retried: the write finds its own object. A response is
//! stored only if it contains no data of other people. For other responses, a repeat reads the
//! object as GET does, with the rights that the caller has now.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use tokio::time::Instant;
use tower::ServiceExt as _;

use super::body::{cut, unread, whole};
use super::error::{ApiError, Code};
use super::grant::Replaying;
use super::multipart::without_boundary;
use super::params::Params;
use super::request::{PublicOrigin, PublicUrl, ReceivedAt};
use super::user::{Sender, User};
use crate::db::TableError;
use crate::domain::{IdempotencyOutcome, IdempotencyRecord};
use crate::ids::{Id, sha256_hex};
use crate::limits;
use crate::reason::Reason;
use crate::state::{Context, Shared};

const KEY: &str = "idempotency-key";
/// Header that marks a response as a replay.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// How long a key is stored, in seconds.
const REMEMBERED: i64 = 24 * 3_600;
/// How long an attempt may run before another one may take its place, in seconds. Some functions
/// may work for longer: both attempts then create the same object (X5).
const ATTEMPT: i64 = 12;
/// How long a repeat waits for an attempt that is still running.
const REPLAY_WAIT: Duration = Duration::from_secs(5);
const REPLAY_PAUSE: Duration = Duration::from_millis(100);
/// The largest response body that is stored, in bytes. Of a larger one the beginning of its lists
/// is stored.
const MAX_KEPT_RESPONSE: usize = 100_000;
/// Routes that store the key of their last write themselves. No attempt is stored for them, so none
/// can block a later request.
const REMEMBERS: [&str; 1] = ["/api/clubs/{club}/applications/{application}/submissions/"];

/// The id of the object that a request creates. With an idempotency key, every repeat has the same
/// id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewId(pub u64);

impl NewId {
    /// Returns the id of the created object.
    pub fn id<T>(self) -> Id<T> {
        Id::new(self.0)
    }

    /// Returns a generator of ids for the parts of the created object. They follow its own id, and
    /// are unique inside the object.
    pub fn parts(self) -> impl Fn() -> u64 {
        let next = std::cell::Cell::new(self.0);
        move || {
            next.set(next.get() + 1);
            next.get()
        }
    }
}

impl FromRequestParts<Shared> for NewId {
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
            .unwrap_or_else(|| Self(app.next_id())))
    }
}

/// A hash of the idempotency key, the method and the path of a request; none without a key.
#[derive(Debug, Clone)]
pub struct RequestKey(pub Option<String>);

impl FromRequestParts<Shared> for RequestKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        let key = key_of(&parts.headers);
        if key
            .as_ref()
            .is_some_and(|key| key.chars().count() > limits::IDEMPOTENCY_KEY)
        {
            return Err(too_long());
        }
        Ok(Self(key.map(|key| hash_of(&key, parts))))
    }
}

/// Marks a response that shows the object at this path but did not create it. A repeat reads the
/// object there.
#[derive(Debug, Clone)]
pub struct ShownAt(pub String);

/// Marks a response whose request changed nothing, or that finds by its [`NewId`] what it has
/// stored: a repeat with the same key is executed again, with the same id.
#[derive(Debug, Clone, Copy)]
pub struct ChangedNothing;

/// Returns a response marked with [`ShownAt`].
pub fn shown_at(path: String, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    response.extensions_mut().insert(ShownAt(path));
    response
}

/// Returns a 400 error for a key that was sent with another body.
pub fn key_reused() -> ApiError {
    ApiError::field("Idempotency-Key", Reason::KeyReused).coded(Code::KeyReused)
}

/// Marks a response as a replay.
pub fn replayed(response: &mut Response) {
    response
        .headers_mut()
        .insert(REPLAYED, HeaderValue::from_static("true"));
}

fn too_long() -> ApiError {
    let limit = limits::IDEMPOTENCY_KEY;
    ApiError::field("Idempotency-Key", Reason::TooLong { limit })
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    headers
        .get(KEY)
        .map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned())
        .filter(|key| !key.is_empty())
}

/// A dry run is another request than the one that it tries.
fn is_dry_run(parts: &Parts) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    Params::parse(query)
        .flag("dry_run")
        .is_ok_and(|flag| flag == Some(true))
}

fn hash_of(key: &str, parts: &Parts) -> String {
    sha256_hex(format!("{key}\n{}\n{}", parts.method, parts.uri.path()).as_bytes())
}

/// What the layer needs besides the request: the state, and the routes that objects are read with.
#[derive(Clone)]
pub(super) struct Replays {
    pub app: Shared,
    pub routes: Router,
}

/// Returns whether a route handles keys and the caller's profile itself. Submissions do this to
/// need fewer round trips.
pub(super) fn remembers_itself(route: &str) -> bool {
    REMEMBERS.contains(&route)
}

/// Executes a request with a key only once.
pub(super) async fn idempotent(
    State(replays): State<Replays>,
    request: Request,
    next: Next,
) -> Response {
    let user = request
        .extensions()
        .get::<Sender>()
        .map(|sender| sender.0.clone());
    let remembers = request
        .extensions()
        .get::<MatchedPath>()
        .is_some_and(|path| remembers_itself(path.as_str()));
    match (user, key_of(request.headers())) {
        (Some(user), Some(key)) if request.method() == Method::POST && !remembers => {
            once(&replays, &user, &key, request, next)
                .await
                .unwrap_or_else(IntoResponse::into_response)
        }
        _ => next.run(request).await,
    }
}

/// The key with what distinguishes requests that are the same otherwise.
fn own_key(user: &User, key: &str, parts: &Parts) -> String {
    // A token never gets what another one, or a session, was answered.
    let token = user.token().map(|token| format!("\ntoken {}", token.id));
    let dry_run = if is_dry_run(parts) { "\ndry run" } else { "" };
    format!("{key}{}{dry_run}", token.unwrap_or_default())
}

async fn once(
    replays: &Replays,
    user: &User,
    key: &str,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if key.chars().count() > limits::IDEMPOTENCY_KEY {
        return Err(too_long());
    }
    let (mut parts, body) = request.into_parts();
    let app = &Context::of(&parts, &replays.app);
    let bytes = to_bytes(body, usize::MAX).await.map_err(|_| unread())?;
    let id = hash_of(&own_key(user, key, &parts), &parts);
    let body_hash = sha256_hex(&without_boundary(&parts.headers, &bytes));
    let began = Instant::now();
    let attempt = loop {
        let now = app.now().epoch_seconds();
        let new = IdempotencyRecord {
            person: user.id(),
            id: id.clone(),
            body_hash: body_hash.clone(),
            creates: app.next_id(),
            attempt: app.next_id(),
            busy_until: now + ATTEMPT,
            expires: now + REMEMBERED,
            outcome: None,
        };
        let Some(record) = app.table.begin_idempotent(&new, now).await? else {
            break new;
        };
        if record.body_hash != new.body_hash {
            return Err(key_reused());
        }
        match &record.outcome {
            Some(IdempotencyOutcome::Nothing) => {
                parts.extensions.insert(NewId(record.creates));
                app.table.counts_as(record.request_time());
                return Ok(next
                    .run(Request::from_parts(parts, Body::from(bytes)))
                    .await);
            }
            Some(outcome) => return replay(replays, outcome, &parts, user).await,
            None if record.busy_until <= now => match app
                .table
                .retry_idempotent(&record, new.attempt, new.busy_until)
                .await
            {
                Ok(()) => {
                    app.table.counts_as(record.request_time());
                    break IdempotencyRecord {
                        attempt: new.attempt,
                        busy_until: new.busy_until,
                        ..record
                    };
                }
                // Another repeat was faster.
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            },
            None => {}
        }
        if began.elapsed() >= REPLAY_WAIT {
            return Err(ApiError::Busy);
        }
        tokio::time::sleep(REPLAY_PAUSE).await;
    };
    parts.extensions.insert(NewId(attempt.creates));
    let run = next.run(Request::from_parts(parts, Body::from(bytes)));
    match AssertUnwindSafe(run).catch_unwind().await {
        Ok(response) => Ok(ended(app, &attempt, response).await),
        Err(panic) => {
            // The panic continues to the layer that turns panics into responses.
            let _ = app.table.end_idempotent(&attempt, None).await;
            resume_unwind(panic)
        }
    }
}

/// Stores the response for repeats. After a failure, or a refusal because of missing rights,
/// nothing is stored, and a repeat executes the request again.
async fn ended(app: &Context, attempt: &IdempotencyRecord, response: Response) -> Response {
    let status = response.status();
    let (parts, bytes) = match whole(response).await {
        Ok(whole) => whole,
        Err(error) => return error,
    };
    let location = parts
        .headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let shown_at = parts
        .extensions
        .get::<ShownAt>()
        .map(|shown| shown.0.clone());
    let is_location = location.is_some();
    // A repeat checks rights and states again, so other statuses are not stored.
    let is_kept =
        |status: StatusCode| status.is_success() || matches!(status.as_u16(), 400 | 413 | 415);
    let is_small = bytes.len() <= MAX_KEPT_RESPONSE;
    let outcome = match (location.or(shown_at), std::str::from_utf8(&bytes)) {
        _ if parts.extensions.get::<ChangedNothing>().is_some() => {
            Some(IdempotencyOutcome::Nothing)
        }
        (Some(path), _) if status.is_success() => Some(IdempotencyOutcome::Object {
            status: status.as_u16(),
            path,
            is_location,
        }),
        (None, Ok(body)) if is_kept(status) && (status.is_success() || is_small) => {
            cut(body, MAX_KEPT_RESPONSE).map(|body| IdempotencyOutcome::Response {
                status: status.as_u16(),
                body,
            })
        }
        _ => None,
    };
    if let Err(error) = app.table.end_idempotent(attempt, outcome.as_ref()).await {
        // The work itself is done. A repeat finds it after the attempt has timed out.
        tracing::error!(?error, "the outcome of a request with a key was not stored");
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Returns the first response again: its status, with the object as it is now or with the stored
/// body.
async fn replay(
    replays: &Replays,
    outcome: &IdempotencyOutcome,
    parts: &Parts,
    user: &User,
) -> Result<Response, ApiError> {
    let mut response = match outcome {
        IdempotencyOutcome::Object { path, .. } => {
            let mut get = Request::builder()
                .uri(path)
                .body(Body::empty())
                .map_err(|error| ApiError::Internal(error.to_string()))?;
            get.extensions_mut().insert(Sender(user.clone()));
            get.extensions_mut().insert(Replaying);
            // Addresses in the body are at the host that the caller called.
            let context = Context::of(parts, &replays.app);
            let PublicUrl(url) = PublicUrl::of(parts, &context);
            get.extensions_mut().insert(context);
            let path = parts.uri.path().trim_end_matches('/');
            if let Some(origin) = url.trim_end_matches('/').strip_suffix(path) {
                get.extensions_mut().insert(PublicOrigin(origin.to_owned()));
            }
            if let Some(received) = parts.extensions.get::<ReceivedAt>() {
                get.extensions_mut().insert(*received);
            }
            replays
                .routes
                .clone()
                .oneshot(get)
                .await
                .unwrap_or_else(|never| match never {})
        }
        IdempotencyOutcome::Response { body, .. } => {
            ([(header::CONTENT_TYPE, "application/json")], body.clone()).into_response()
        }
        IdempotencyOutcome::Nothing => {
            return Err(ApiError::Internal("nothing is replayed".into()));
        }
    };
    if let (
        IdempotencyOutcome::Object { status, .. } | IdempotencyOutcome::Response { status, .. },
        StatusCode::OK,
    ) = (outcome, response.status())
    {
        *response.status_mut() = StatusCode::from_u16(*status).unwrap_or(StatusCode::OK);
        if let IdempotencyOutcome::Object {
            path,
            is_location: true,
            ..
        } = outcome
            && let Ok(value) = HeaderValue::from_str(path)
        {
            response.headers_mut().insert(header::LOCATION, value);
        }
    }
    replayed(&mut response);
    Ok(response)
}
