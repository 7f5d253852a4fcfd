//! A receiver of webhooks on this machine, and the time that passes for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use http::HeaderMap;
use http::StatusCode;
use http_body_util::BodyExt as _;
use local::queues::WEBHOOKS;
use local::stream::Delivered;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{Setup, TestCampus};

/// A request that it got.
#[derive(Debug, Clone)]
pub struct Received {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as it was sent.
    pub text: String,
}

impl Received {
    /// Its body.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// A header of it.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// How it answers.
#[derive(Debug, Clone)]
pub enum Answers {
    /// With this status.
    Status(u16),
    /// With a redirect to this address.
    Redirect(String),
    /// With success and a body that never ends.
    Endless,
    /// Never.
    Never,
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    next: VecDeque<Answers>,
    then: Option<Answers>,
}

/// A server that remembers what it got.
pub struct Receiver {
    state: Arc<Mutex<State>>,
    url: String,
    server: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Receiver {
    /// Starts one that answers with success.
    #[expect(clippy::disallowed_methods, reason = "this is a test, not a function")]
    pub async fn start() -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let existing = state.clone();
        let router =
            Router::new().fallback(move |request: Request| take(existing.clone(), request));
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { state, url, server }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers like this next, one after the other.
    pub fn answers(&self, next: impl IntoIterator<Item = Answers>) {
        self.state().next.extend(next);
    }

    /// Answers like this from now on.
    pub fn always(&self, then: Answers) {
        self.state().then = Some(then);
    }

    /// What it got since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state().received)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receivers that need no network: each answers at once with the status that its path names;
/// `flaky` answers every second call with 500. They remember the id and the status of each call.
#[derive(Debug, Clone, Default)]
pub struct Instant(Arc<Mutex<Vec<(String, u16)>>>);

impl Instant {
    /// All calls so far.
    pub fn calls(&self) -> Vec<(String, u16)> {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.clone()
    }
}

impl HttpConnector for Instant {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let path = request.uri().rsplit('/').next().unwrap_or_default();
        let status: u16 = match path.parse() {
            Err(_) if path == "flaky" && calls.len().is_multiple_of(2) => 500,
            Err(_) => 204,
            Ok(status) => status,
        };
        let id = request.headers().get("webhook-id").unwrap_or_default();
        calls.push((id.to_owned(), status));
        let status = status.try_into().expect("a status");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::empty())))
    }
}

impl Setup {
    /// Calls no receiver through the network.
    #[must_use]
    pub fn instant_receivers(self, receivers: &Instant) -> Self {
        Self {
            receivers: Some(SharedHttpConnector::new(receivers.clone())),
            ..self
        }
    }
}

impl TestCampus {
    /// Lists the changes that the stream tells, until nothing is left.
    pub async fn list_changes(&self) {
        let (stream, feed) = (&self.campus.stream, &self.campus.feed);
        while stream.deliver(feed).await.expect("a stream") != Delivered::Nothing {}
    }

    /// Lists the changes, and tells the webhooks what is due.
    pub async fn call_webhooks(&self) {
        self.list_changes().await;
        let (queues, dispatcher) = (&self.campus.queues, &*self.campus.dispatcher);
        while queues.deliver(WEBHOOKS, dispatcher).await {}
    }

    /// Moves the clock forward, and does in order what is due until then.
    pub async fn pass(&self, by: TimeDelta) {
        let moved = self.campus.ticker.advance(by);
        moved.await.expect("a table");
    }
}

async fn take(state: Arc<Mutex<State>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    let headers = parts.headers;
    let response = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.received.push(Received { headers, text });
        let next = state.next.pop_front();
        next.or_else(|| state.then.clone())
    };
    match response.unwrap_or(Answers::Status(204)) {
        Answers::Status(status) => StatusCode::from_u16(status)
            .unwrap_or_default()
            .into_response(),
        Answers::Redirect(to) => (StatusCode::FOUND, [("location", to)]).into_response(),
        Answers::Endless => {
            let chunk = || async { Some((Ok::<_, std::io::Error>(vec![b'x'; 16_384]), ())) };
            Body::from_stream(futures::stream::unfold((), move |()| chunk())).into_response()
        }
        Answers::Never => {
            tokio::time::sleep(Duration::from_hours(1)).await;
            StatusCode::OK.into_response()
        }
    }
}
