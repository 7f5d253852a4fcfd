//! `Idempotency-Key`: who sends a POST again with the same key gets the first answer (decisions.md §1, §12.17).

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use tokio::time::Instant;

use super::error::ApiError;
use crate::auth::User;
use crate::ids::sha256_hex;
use crate::limits;
use crate::models::{Kept, KeptAnswer};
use crate::state::Shared;
use crate::table::TableError;

const KEY: &str = "idempotency-key";
/// How long an answer is kept, in seconds.
const KEPT: i64 = 24 * 3_600;
/// How long an attempt may run before another one takes its place, in seconds: no function runs longer.
const ATTEMPT: i64 = 60;
/// How long a second request waits for the first one.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// Goes with a request whose answer is kept: only the caller's rights are to be checked. Whatever reads a body comes after
/// them, and stops there.
#[derive(Debug, Clone, Copy)]
struct RightsOnly;

/// Says that it stopped there.
#[derive(Debug, Clone, Copy)]
pub(super) struct RightsHold;

/// Stops a request that is made only to check rights. For all that reads a body.
pub(super) fn rights_hold(request: &Request) -> Result<(), ApiError> {
    if request.extensions().get::<RightsOnly>().is_some() { Err(ApiError::RightsHold) } else { Ok(()) }
}

/// Whether a request is made only to check the caller's rights: for handlers whose rights depend on the body, which they
/// take as [`Late`].
#[derive(Debug, Clone, Copy)]
pub struct Rights {
    only: bool,
}

impl Rights {
    /// Says that the caller may do this. Ends the request here if it asked for nothing else.
    pub fn hold(self) -> Result<(), ApiError> {
        if self.only { Err(ApiError::RightsHold) } else { Ok(()) }
    }
}

impl<S: Sync> FromRequestParts<S> for Rights {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self { only: parts.extensions.get::<RightsOnly>().is_some() })
    }
}

/// A body that is read before the caller's rights are known; [`Rights`] ends the request then.
pub struct Late<T>(pub T);

impl<S: Send + Sync, T: FromRequest<S>> FromRequest<S> for Late<T> {
    type Rejection = T::Rejection;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, T::Rejection> {
        request.extensions_mut().remove::<RightsOnly>();
        T::from_request(request, state).await.map(Self)
    }
}

/// Goes with the answer to a request that did nothing: it is not kept, but made anew for each repeat.
#[derive(Debug, Clone, Copy)]
pub struct DidNothing;

/// A POST without a body: what it sends is not looked at.
#[derive(Debug, Clone, Copy)]
pub struct NoInput;

impl<S: Send + Sync> FromRequest<S> for NoInput {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        rights_hold(&request).map(|()| Self)
    }
}

/// Answers requests that were answered before as they were.
pub(super) async fn idempotent(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let user = request.extensions().get::<User>().cloned();
    let key = request.headers().get(KEY).map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned());
    match (user, key) {
        (Some(user), Some(key)) if request.method() == Method::POST && !key.is_empty() => {
            once(&app, &user, &key, request, next).await.unwrap_or_else(IntoResponse::into_response)
        }
        _ => next.run(request).await,
    }
}

async fn once(app: &Shared, user: &User, key: &str, request: Request, next: Next) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.map_err(|_| ApiError::rule("The request body could not be read."))?;
    // The caller's rights come before all that is wrong with the key.
    let checked = async |mut parts: Parts, bytes: Bytes| {
        parts.extensions.insert(RightsOnly);
        let response = next.clone().run(Request::from_parts(parts, Body::from(bytes))).await;
        if response.extensions().get::<RightsHold>().is_some() { None } else { Some(response) }
    };
    let wrong = |why: String| ApiError::field("Idempotency-Key", why).into_response();
    if key.chars().count() > limits::IDEMPOTENCY_KEY {
        let response = checked(parts, bytes).await;
        return Ok(response.unwrap_or_else(|| wrong(format!("At most {} characters are allowed.", limits::IDEMPOTENCY_KEY))));
    }
    let id = sha256_hex(format!("{key}\n{}\n{}", parts.method, parts.uri.path()).as_bytes());
    let request = sha256_hex(&without_boundary(&parts.headers, &bytes));
    let began = Instant::now();
    let attempt = loop {
        let now = app.now().epoch_seconds();
        let (id, request) = (id.clone(), request.clone());
        let attempt = KeptAnswer { person: user.id(), id, request, attempt: app.next_id(), until: now + ATTEMPT, answer: None };
        match app.table.begin_attempt(&attempt, now).await {
            Ok(()) => break attempt,
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let Some(first) = app.table.kept_answer(user.id(), &attempt.id).await? else { continue };
        if first.attempt == attempt.attempt && first.answer.is_none() {
            // A call whose answer was lost finds itself.
            break attempt;
        }
        if first.request != attempt.request {
            let response = checked(parts, bytes).await;
            return Ok(response.unwrap_or_else(|| wrong("This key was sent with another body.".to_owned())));
        }
        if first.answer.as_ref().is_some_and(|answer| answer.anew) {
            return Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await);
        }
        if let Some(answer) = first.answer.clone() {
            return match checked(parts, bytes).await {
                Some(response) => Ok(response),
                None => replay(app, &first, answer).await,
            };
        }
        if began.elapsed() >= PATIENCE {
            return Ok(wrong("The first request with this key is still at work.".to_owned()));
        }
        tokio::time::sleep(PAUSE).await;
    };
    let run = next.run(Request::from_parts(parts, Body::from(bytes)));
    match AssertUnwindSafe(run).catch_unwind().await {
        Ok(response) => Ok(keep(app, &attempt, response).await),
        Err(panic) => {
            // It goes on to where panics become answers.
            let _ = app.table.drop_attempt(&attempt).await;
            resume_unwind(panic)
        }
    }
}

/// Keeps an answer, unless it means that the same request may be answered otherwise.
async fn keep(app: &Shared, attempt: &KeptAnswer, response: Response) -> Response {
    let status = response.status();
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else { return ApiError::Internal("an answer broke".into()).into_response() };
    let is_kept = !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS;
    // Nothing but previews is that large.
    let anew = parts.extensions.get::<DidNothing>().is_some() || bytes.len() > limits::ANSWER_BODY;
    let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
    let done = match std::str::from_utf8(&bytes) {
        Ok(body) if is_kept => {
            let answer = Kept {
                status: status.as_u16(),
                location: text(header::LOCATION),
                content_type: text(header::CONTENT_TYPE),
                anew,
                parts: 0,
            };
            let body = if anew { "" } else { body };
            app.table.keep_answer(attempt, answer, body, app.now().epoch_seconds() + KEPT).await
        }
        _ => app.table.drop_attempt(attempt).await,
    };
    if let Err(error) = done {
        // What was done is done; a repeat is told that the first is at work, and after a minute does it again.
        tracing::error!(?error, "an answer was not kept");
    }
    Response::from_parts(parts, Body::from(bytes))
}

async fn replay(app: &Shared, first: &KeptAnswer, answer: Kept) -> Result<Response, ApiError> {
    let body = if answer.parts == 0 { String::new() } else { app.table.kept_body(first).await? };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    for (name, value) in [(header::LOCATION, answer.location), (header::CONTENT_TYPE, answer.content_type)] {
        if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

/// The body of a form without the boundary, which clients make anew for each request.
fn without_boundary(headers: &HeaderMap, body: &Bytes) -> Vec<u8> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary =
        content_type.split_once("boundary=").map(|(_, boundary)| boundary.split(';').next().unwrap_or_default().trim_matches('"'));
    match boundary.filter(|boundary| !boundary.is_empty()) {
        Some(boundary) => {
            let finder = memchr::memmem::Finder::new(boundary);
            let (mut kept, mut from) = (Vec::with_capacity(body.len()), 0);
            while let Some(at) = finder.find(&body[from..]) {
                kept.extend_from_slice(&body[from..from + at]);
                from += at + boundary.len();
            }
            kept.extend_from_slice(&body[from..]);
            kept
        }
        None => body.to_vec(),
    }
}
