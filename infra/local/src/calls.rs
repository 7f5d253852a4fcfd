//! SQS in this process: the queue of the webhooks, by the clock of the service.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lambda_events::event::sqs::SqsEvent;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::time::Clock as _;
use tokio::sync::Notify;
use webhooks::Dispatcher;

use crate::clock::MovableClock;
use crate::engine::respond;

/// The largest number of calls at the same time.
const AT_ONCE: usize = 100;
/// How often it is looked whether something is due: the clock may be moved.
const LOOKS: Duration = Duration::from_secs(1);
/// The pause before a message is given out again that was not finished.
const AGAIN: TimeDelta = TimeDelta::seconds(1);

/// A message in the queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Message {
    id: u64,
    /// When it is given out.
    at: DateTime<Utc>,
    body: String,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: Vec<Message>,
    /// Those that were given out and are not finished.
    taken: Vec<Message>,
}

/// The queue of the webhooks.
#[derive(Clone)]
pub struct Calls {
    clock: Arc<MovableClock>,
    state: Arc<Mutex<State>>,
    notify: Arc<Notify>,
    file: Option<PathBuf>,
    is_changed: Arc<AtomicBool>,
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calls")
    }
}

impl Calls {
    /// A queue in memory, or with a copy in `file`.
    pub fn open(clock: Arc<MovableClock>, file: Option<PathBuf>) -> Self {
        let text = file.as_ref().and_then(|file| std::fs::read(file).ok());
        // It is cut if the disk was full.
        let waiting: Option<Vec<Message>> =
            text.and_then(|text| serde_json::from_slice(&text).ok());
        let waiting = waiting.unwrap_or_default();
        let state = State {
            last: waiting.iter().map(|message| message.id).max().unwrap_or(0),
            waiting,
            taken: vec![],
        };
        Self {
            clock,
            state: Arc::new(Mutex::new(state)),
            notify: Arc::default(),
            file,
            is_changed: Arc::default(),
        }
    }

    /// Every change begins here.
    fn state(&self) -> MutexGuard<'_, State> {
        self.is_changed.store(true, Ordering::Relaxed);
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the messages of a `SendMessageBatch` request.
    fn keep(&self, request: &Value) -> Value {
        let now = self.clock.now();
        let mut state = self.state();
        let entries = request["Entries"].as_array().into_iter().flatten();
        let taken = entries.map(|entry| {
            state.last += 1;
            let delay = TimeDelta::seconds(entry["DelaySeconds"].as_i64().unwrap_or_default());
            let message = Message {
                id: state.last,
                at: now + delay,
                body: entry["MessageBody"].as_str().unwrap_or_default().to_owned(),
            };
            let id = message.id.to_string();
            state.waiting.push(message);
            // The SDK does not compare the sum.
            json!({ "Id": entry["Id"], "MessageId": id, "MD5OfMessageBody": "" })
        });
        let taken: Vec<Value> = taken.collect();
        self.notify.notify_one();
        json!({ "Successful": taken, "Failed": [] })
    }

    /// Gives out messages that are due, the oldest first.
    fn take(&self, most: usize) -> Vec<Message> {
        let now = self.clock.now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pending, later): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|message| message.at <= now);
        pending.sort_by_key(|message| (message.at, message.id));
        state.waiting = later;
        let rest = pending.split_off(pending.len().min(most));
        state.waiting.extend(rest);
        state.taken.extend(pending.clone());
        // What is stored has those that are taken, too, so nothing changed there.
        pending
    }

    /// When the next message is given out; none if there is none.
    pub fn next(&self) -> Option<DateTime<Utc>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.iter().map(|message| message.at).min()
    }

    /// How many messages there are that are not finished.
    pub fn len(&self) -> usize {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.len() + state.taken.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets the function do what a message says.
    async fn hand_over(&self, message: Message, to: &Dispatcher) {
        let event = json!({ "Records": [
            { "messageId": message.id.to_string(), "body": message.body, "attributes": {},
              "messageAttributes": {} },
        ]});
        let is_done = match serde_json::from_value::<SqsEvent>(event) {
            Ok(event) => to.handle(event).await.batch_item_failures.is_empty(),
            Err(error) => {
                tracing::error!(%error, "a message of the queue");
                true
            }
        };
        let mut state = self.state();
        state.taken.retain(|taken| taken.id != message.id);
        if !is_done {
            let at = self.clock.now() + AGAIN;
            state.waiting.push(Message { at, ..message });
        }
    }

    /// Lets the function do everything that is due. Returns whether there was anything.
    pub async fn deliver(&self, to: &Dispatcher) -> bool {
        let pending = self.take(AT_ONCE);
        let was_pending = !pending.is_empty();
        join_all(
            pending
                .into_iter()
                .map(|message| self.hand_over(message, to)),
        )
        .await;
        was_pending
    }

    /// Lets the function do everything when it is due, for ever. A slow receiver hinders no other.
    pub async fn run(&self, to: &Dispatcher) {
        let mut going = FuturesUnordered::new();
        loop {
            for message in self.take(AT_ONCE - going.len()) {
                going.push(self.hand_over(message, to));
            }
            self.store();
            tokio::select! {
                Some(()) = going.next() => {}
                () = self.notify.notified() => {}
                () = tokio::time::sleep(LOOKS) => {}
            }
        }
    }

    /// Stores the copy. If that fails, or if the service ends before, calls are lost or repeated.
    fn store(&self) {
        let Some(file) = &self.file else { return };
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<&Message> = state.waiting.iter().chain(&state.taken).collect();
        let text = serde_json::to_vec(&all).unwrap_or_default();
        let new = file.with_extension("new");
        let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, file));
    }
}

impl HttpConnector for Calls {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().unwrap_or_default();
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let kept = self.keep(&body);
        let response: Result<HttpResponse, ConnectorError> = respond(200, kept.to_string());
        HttpConnectorFuture::ready(response)
    }
}

impl HttpClient for Calls {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
