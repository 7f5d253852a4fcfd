//! SQS in this process: the queues of mails and of webhooks, by the clock of the service.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::{self, FuturesUnordered, StreamExt as _};
use mailer::Worker;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::queue::Queue;
use shared::time::Clock as _;
use tokio::sync::Notify;
use webhooks::Dispatcher;

use crate::clock::MovableClock;
use crate::engine::respond;
use crate::sdk_config;

/// The queue of decisions and of answers to what somebody did.
pub const MAILS: &str = "mails";
/// The queue of reminders and news.
pub const NOTICES: &str = "notices";
/// The queue of the webhooks.
pub const WEBHOOKS: &str = "webhooks";
/// How often it is looked whether something is due: the clock may be moved.
const LOOKS: Duration = Duration::from_secs(1);
/// The pause while a message is being done by somebody else.
const SHORT: Duration = Duration::from_millis(10);

/// A function that queues invoke.
pub trait Consumer {
    /// The most messages of one invocation, as `BatchSize` in template.yaml.
    const BATCH: usize;
    /// The most invocations at the same time.
    const AT_ONCE: usize;
    /// The pause before a message is given out again that was not finished.
    const PAUSE: TimeDelta;

    /// Does what messages say, and names those that are not finished.
    fn handle(&self, event: SqsEvent) -> impl Future<Output = SqsBatchResponse>;
}

impl Consumer for Worker {
    const BATCH: usize = 5;
    const AT_ONCE: usize = 1;
    const PAUSE: TimeDelta = TimeDelta::minutes(2);

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        Self::handle(self, event).await
    }
}

impl Consumer for Dispatcher {
    const BATCH: usize = 10;
    const AT_ONCE: usize = 10;
    const PAUSE: TimeDelta = TimeDelta::seconds(1);

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        Self::handle(self, event).await
    }
}

/// A message in a queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Message {
    id: u64,
    queue: String,
    /// When it is given out.
    at: DateTime<Utc>,
    body: String,
    /// Whose message it is. Nobody's many or slow messages hinder those of others.
    #[serde(default)]
    group: Option<String>,
}

/// How many messages of a group are given out at the same time.
const SHARE: usize = 10;

#[derive(Default)]
struct State {
    last: u64,
    waiting: Vec<Message>,
    /// Those that were given out and are not finished.
    taken: Vec<Message>,
}

/// All queues.
#[derive(Clone)]
pub struct Queues {
    clock: Arc<MovableClock>,
    state: Arc<Mutex<State>>,
    notify: Arc<Notify>,
    file: Option<PathBuf>,
    is_changed: Arc<AtomicBool>,
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queues")
    }
}

impl Queues {
    /// Queues in memory, or with a copy in `file`.
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

    /// The queue with this name, as functions use it.
    pub fn queue(&self, name: &str) -> Queue {
        Queue::connect(
            &sdk_config(self.clone()),
            &format!("http://127.0.0.1/{name}"),
        )
    }

    /// The queues that the feed fills.
    pub fn of_feed(&self) -> changes::Queues {
        changes::Queues {
            mails: self.queue(MAILS),
            notices: self.queue(NOTICES),
            webhooks: self.queue(WEBHOOKS),
        }
    }

    fn look(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every change begins here.
    fn state(&self) -> MutexGuard<'_, State> {
        self.is_changed.store(true, Ordering::Relaxed);
        self.look()
    }

    /// Takes the messages of a `SendMessageBatch` request.
    fn keep(&self, request: &Value) -> Value {
        let url = request["QueueUrl"].as_str().unwrap_or_default();
        let queue = url.rsplit('/').next().unwrap_or_default();
        let now = self.clock.now();
        let mut state = self.state();
        let entries = request["Entries"].as_array().into_iter().flatten();
        let taken = entries.map(|entry| {
            state.last += 1;
            let delay = TimeDelta::seconds(entry["DelaySeconds"].as_i64().unwrap_or_default());
            let message = Message {
                id: state.last,
                queue: queue.to_owned(),
                at: now + delay,
                body: entry["MessageBody"].as_str().unwrap_or_default().to_owned(),
                group: entry["MessageGroupId"].as_str().map(str::to_owned),
            };
            let id = message.id.to_string();
            state.waiting.push(message);
            // The SDK does not compare the sum.
            json!({ "Id": entry["Id"], "MessageId": id, "MD5OfMessageBody": "" })
        });
        let taken: Vec<Value> = taken.collect();
        self.notify.notify_waiters();
        json!({ "Successful": taken, "Failed": [] })
    }

    /// Gives out messages that are due, the oldest first, in batches. Of each group, [`SHARE`] are
    /// out at the same time.
    fn take<C: Consumer>(&self, queue: &str, batches: usize) -> Vec<Vec<Message>> {
        let now = self.clock.now();
        let mut state = self.look();
        let mut waiting = std::mem::take(&mut state.waiting);
        waiting.sort_by_key(|message| (message.at, message.id));
        let mut out: HashMap<String, usize> = HashMap::new();
        for group in state.taken.iter().filter_map(|taken| taken.group.clone()) {
            *out.entry(group).or_default() += 1;
        }
        let (mut pending, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|message| {
            let is_ready = message.queue == queue && message.at <= now;
            let Some(group) = message.group.clone().filter(|_| is_ready) else {
                return is_ready;
            };
            let count = out.entry(group).or_default();
            *count += 1;
            *count <= SHARE
        });
        state.waiting = later;
        // Those of one group go into the same invocations.
        let mut first = HashMap::new();
        for message in &pending {
            first
                .entry(message.group.clone())
                .or_insert((message.at, message.id));
        }
        pending.sort_by_key(|message| match &message.group {
            Some(_) => first.get(&message.group).copied(),
            None => Some((message.at, message.id)),
        });
        let rest = pending.split_off(pending.len().min(C::BATCH.saturating_mul(batches)));
        state.waiting.extend(rest);
        state.taken.extend(pending.clone());
        // What is stored has those that are taken, too, so nothing changed there.
        pending.chunks(C::BATCH).map(<[Message]>::to_vec).collect()
    }

    /// When the next message is given out; none if there is none.
    pub fn next(&self) -> Option<DateTime<Utc>> {
        self.look().waiting.iter().map(|message| message.at).min()
    }

    /// How many messages of a queue are not finished.
    pub fn len(&self, queue: &str) -> usize {
        let state = self.look();
        let all = state.waiting.iter().chain(&state.taken);
        all.filter(|message| message.queue == queue).count()
    }

    /// Lets the function do what messages say.
    async fn hand_over<C: Consumer>(&self, messages: Vec<Message>, to: &C) {
        let record = |message: &Message| {
            json!({ "messageId": message.id.to_string(), "body": message.body, "attributes": {},
                "messageAttributes": {} })
        };
        let event = json!({ "Records": messages.iter().map(record).collect::<Vec<_>>() });
        let failed: Vec<String> = match serde_json::from_value::<SqsEvent>(event) {
            Ok(event) => {
                let response = to.handle(event).await;
                let failures = response.batch_item_failures.into_iter();
                failures.map(|failure| failure.item_identifier).collect()
            }
            Err(error) => {
                tracing::error!(%error, "messages of a queue");
                vec![]
            }
        };
        let mut state = self.state();
        for message in messages {
            state.taken.retain(|taken| taken.id != message.id);
            if failed.contains(&message.id.to_string()) {
                let at = self.clock.now() + C::PAUSE;
                state.waiting.push(Message { at, ..message });
            }
        }
    }

    /// Lets the function do everything that is due. Returns whether there was anything, also if
    /// [`Queues::run`] is doing it.
    pub async fn deliver<C: Consumer>(&self, queue: &str, to: &C) -> bool {
        let batches = self.take::<C>(queue, usize::MAX);
        let is_ours = |message: &Message| message.queue == queue;
        if batches.is_empty() && self.look().taken.iter().any(is_ours) {
            tokio::time::sleep(SHORT).await;
            return true;
        }
        let was_pending = !batches.is_empty();
        let done = batches.into_iter().map(|batch| self.hand_over(batch, to));
        let done: Vec<_> = done.collect();
        stream::iter(done)
            .buffer_unordered(C::AT_ONCE)
            .collect::<()>()
            .await;
        was_pending
    }

    /// Lets the function do everything when it is due, for ever. A slow receiver hinders no other.
    pub async fn run<C: Consumer>(&self, queue: &str, to: &C) {
        let mut going = FuturesUnordered::new();
        loop {
            for batch in self.take::<C>(queue, C::AT_ONCE - going.len()) {
                going.push(self.hand_over(batch, to));
            }
            self.store();
            tokio::select! {
                Some(()) = going.next() => {}
                () = self.notify.notified() => {}
                () = tokio::time::sleep(LOOKS) => {}
            }
        }
    }

    /// Stores the copy. If this fails, or the service ends before, messages are lost or repeated.
    fn store(&self) {
        let Some(file) = &self.file else { return };
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let state = self.look();
        let all: Vec<&Message> = state.waiting.iter().chain(&state.taken).collect();
        let text = serde_json::to_vec(&all).unwrap_or_default();
        let new = file.with_extension("new");
        let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, file));
    }
}

impl HttpConnector for Queues {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().unwrap_or_default();
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let kept = self.keep(&body);
        let response: Result<HttpResponse, ConnectorError> = respond(200, kept.to_string());
        HttpConnectorFuture::ready(response)
    }
}

impl HttpClient for Queues {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
