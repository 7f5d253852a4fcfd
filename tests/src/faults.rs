//! Injects faults into the calls between the SDK and the table. A seed decides which calls fail.
//! Tests use it with the embedded engine; the emulated cloud uses it with a server.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use local::engine::{Call, EngineHook, Reply};
use serde_json::{Value, json};

use crate::lag::{Lag, WRITES};
use crate::mixed;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The call is throttled and not applied.
    Throttle,
    /// The call conflicts with another transaction and is not applied.
    Conflict,
    /// The call is not applied, and the response is a server error.
    ErrorBefore,
    /// The call is applied, but the response is a server error.
    ErrorAfter,
    /// The call is applied, but the connection breaks before the response.
    BrokenAfter,
    /// The call gets no response in time. It is applied later, when the caller has given up.
    Late,
    /// Only half of a batch is done, or a page holds only one item.
    Part,
    /// A query of an index returns an older state.
    Stale,
}

impl Fault {
    const ALL: [Self; 8] = [
        Self::Throttle,
        Self::Conflict,
        Self::ErrorBefore,
        Self::ErrorAfter,
        Self::BrokenAfter,
        Self::Late,
        Self::Part,
        Self::Stale,
    ];

    /// Whether this fault can happen to this call.
    fn fits(self, operation: &str, body: &Value) -> bool {
        let writes = matches!(
            operation,
            "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems"
        );
        match self {
            Self::Throttle | Self::ErrorBefore => true,
            Self::Conflict => operation == "TransactWriteItems",
            Self::ErrorAfter | Self::BrokenAfter | Self::Late => writes,
            Self::Part => {
                matches!(operation, "BatchGetItem" | "BatchWriteItem")
                    || (operation == "Query" && body["Limit"].is_null())
            }
            Self::Stale => operation == "Query" && !body["IndexName"].is_null(),
        }
    }
}

/// After how long the connection of a late call breaks, and after how long the call is applied.
const LATE: (Duration, Duration) = (Duration::from_millis(300), Duration::from_millis(900));

/// After how long a write that is held back arrives.
pub const DELAY: Duration = Duration::from_millis(4_500);

/// Executes a call with this body.
pub type Apply = Arc<dyn Fn(Vec<u8>) -> BoxFuture<'static, Reply> + Send + Sync>;

pub struct Faults {
    seed: u64,
    /// How many of a thousand calls get a fault.
    per_mille: AtomicU64,
    calls: AtomicU64,
    seen: Mutex<Seen>,
    /// How many of the next writes are held back.
    delayed: AtomicU64,
    /// After how many calls the callers are killed, and what kills them. 0 for never.
    left: AtomicU64,
    kill: OnceLock<Arc<dyn Fn() + Send + Sync>>,
    lag: OnceLock<Arc<Lag>>,
}

#[derive(Default)]
struct Seen {
    counts: HashMap<Fault, u64>,
    /// The last response to each query of an index, for [`Fault::Stale`].
    pages: HashMap<Vec<u8>, Reply>,
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: Vec<_> = seen.counts.iter().collect();
        counts.sort();
        write!(
            f,
            "seed {}: {} calls, {counts:?}",
            self.seed,
            self.calls.load(Ordering::Relaxed)
        )
    }
}

impl Faults {
    /// No fault happens before [`Faults::hit`] is called.
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            seed,
            per_mille: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            seen: Mutex::default(),
            delayed: AtomicU64::new(0),
            left: AtomicU64::new(0),
            kill: OnceLock::new(),
            lag: OnceLock::new(),
        })
    }

    /// The first attempts of the next `n` writes arrive [`DELAY`] later. Their callers get a broken
    /// connection before that.
    pub fn hold(&self, n: u64) {
        self.delayed.store(n, Ordering::Relaxed);
    }

    /// How many of the writes are still to be held back.
    pub fn to_be_delayed(&self) -> u64 {
        self.delayed.load(Ordering::Relaxed)
    }

    /// From now on, the indexes are behind by this time. The table must be empty.
    pub fn lag(&self, by: Duration) {
        let _ = self.lag.set(Arc::new(Lag::new(by)));
    }

    /// Says how callers are killed.
    pub fn killed_by(&self, kill: impl Fn() + Send + Sync + 'static) {
        let _ = self.kill.set(Arc::new(kill));
    }

    /// Kills the callers after the next `n` calls, before the last of these is answered.
    pub fn kill_after(&self, n: u64) {
        self.left.store(n, Ordering::Relaxed);
    }

    /// Whether the callers are still to be killed.
    pub fn is_to_kill(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    fn take(count: &AtomicU64) -> Option<u64> {
        let less = |n: u64| n.checked_sub(1);
        count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .ok()
    }

    /// The calls, through the lag if there is one.
    fn through_lag(&self, operation: &str, apply: Apply) -> Apply {
        let Some(lag) = self.lag.get().cloned() else {
            return apply;
        };
        let operation = operation.to_owned();
        Arc::new(move |body: Vec<u8>| {
            let (lag, operation, apply) = (lag.clone(), operation.clone(), apply.clone());
            Box::pin(async move {
                let request = serde_json::from_slice(&body).unwrap_or_default();
                lag.run(&operation, &request, apply(body)).await
            })
        })
    }

    /// From now on, `per_mille` of a thousand calls get a fault.
    pub fn hit(&self, per_mille: u64) {
        self.per_mille.store(per_mille, Ordering::Relaxed);
    }

    /// How many calls got a fault.
    pub fn count(&self) -> u64 {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .counts
            .values()
            .sum()
    }

    /// A hook that injects these faults into the embedded engine.
    pub fn hook(self: &Arc<Self>) -> EngineHook {
        let faults = self.clone();
        Arc::new(move |call: Call| {
            let (faults, operation, body) =
                (faults.clone(), call.operation.clone(), call.body.clone());
            let apply: Apply = Arc::new(move |body: Vec<u8>| {
                let call = call.clone();
                Box::pin(async move { call.apply(&body) })
            });
            Box::pin(async move { Some(faults.run(&operation, body, apply).await) })
        })
    }

    fn next(&self, operation: &str, body: &Value) -> Option<Fault> {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        let chance = mixed(self.seed.wrapping_mul(1_000_003).wrapping_add(n));
        if chance % 1_000 >= self.per_mille.load(Ordering::Relaxed) {
            return None;
        }
        let fitting: Vec<Fault> = Fault::ALL
            .into_iter()
            .filter(|fault| fault.fits(operation, body))
            .collect();
        let fault =
            fitting[usize::try_from(chance / 1_000 % fitting.len() as u64).unwrap_or_default()];
        *self
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .counts
            .entry(fault)
            .or_default() += 1;
        Some(fault)
    }

    /// Executes a call, perhaps with a fault, late, or as the last one of its caller.
    pub async fn run(&self, operation: &str, body: Vec<u8>, apply: Apply) -> Reply {
        let apply = self.through_lag(operation, apply);
        if WRITES.contains(&operation) && Self::take(&self.delayed).is_some() {
            return late(apply, body, DELAY).await;
        }
        let reply = self.faulty(operation, body, apply).await;
        if Self::take(&self.left) == Some(1)
            && let Some(kill) = self.kill.get()
        {
            kill();
        }
        reply
    }

    /// Executes a call, perhaps with a fault.
    async fn faulty(&self, operation: &str, body: Vec<u8>, apply: Apply) -> Reply {
        let request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let fault = self.next(operation, &request);
        let error = |status, name: &str, more: Value| {
            let mut body = json!({
                "__type": format!("com.amazonaws.dynamodb.v20120810#{name}"),
                "message": "injected",
            });
            body["CancellationReasons"] = more;
            Reply::Response(status, body.to_string())
        };
        match fault {
            None => {
                let reply = apply(body.clone()).await;
                if !request["IndexName"].is_null() {
                    self.seen
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .pages
                        .insert(body, reply.clone());
                }
                reply
            }
            Some(Fault::Throttle) => {
                error(400, "ProvisionedThroughputExceededException", Value::Null)
            }
            Some(Fault::Conflict) => {
                let writes = request["TransactItems"].as_array().map_or(0, Vec::len);
                let mut reasons = vec![json!({ "Code": "None" }); writes];
                reasons[0] = json!({ "Code": "TransactionConflict", "Message": "injected" });
                error(400, "TransactionCanceledException", json!(reasons))
            }
            Some(Fault::ErrorBefore) => error(500, "InternalServerError", Value::Null),
            Some(Fault::ErrorAfter) => {
                apply(body).await;
                error(500, "InternalServerError", Value::Null)
            }
            Some(Fault::BrokenAfter) => {
                apply(body).await;
                Reply::Broken
            }
            Some(Fault::Late) => late(apply, body, LATE.1).await,
            Some(Fault::Part) => part(operation, request, apply).await,
            Some(Fault::Stale) => {
                let old = self
                    .seen
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pages
                    .get(&body)
                    .cloned();
                match old {
                    Some(old) => old,
                    None => apply(body).await,
                }
            }
        }
    }
}

/// Breaks the connection, and executes the call later.
async fn late(apply: Apply, body: Vec<u8>, by: Duration) -> Reply {
    beside(async move {
        tokio::time::sleep(by).await;
        apply(body).await;
    });
    tokio::time::sleep(LATE.0).await;
    Reply::Broken
}

/// Runs `work` in the background.
#[expect(
    clippy::disallowed_methods,
    reason = "a call that is late outlives the one who made it"
)]
pub fn beside(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}

/// Executes only half of a batch, or a query with a page of one item.
async fn part(operation: &str, mut request: Value, apply: Apply) -> Reply {
    if operation == "Query" {
        request["Limit"] = json!(1);
        return apply(request.to_string().into_bytes()).await;
    }
    let Some((table, expected)) = request["RequestItems"]
        .as_object()
        .and_then(|all| all.iter().next().map(|(k, v)| (k.clone(), v.clone())))
    else {
        return apply(request.to_string().into_bytes()).await;
    };
    let reads = operation == "BatchGetItem";
    let all = if reads {
        expected["Keys"].as_array()
    } else {
        expected.as_array()
    }
    .cloned()
    .unwrap_or_default();
    let (now, later) = all.split_at(all.len() / 2);
    let with = |items: &[Value]| {
        let mut one = expected.clone();
        *(if reads { &mut one["Keys"] } else { &mut one }) = json!(items);
        json!({ table.as_str(): one })
    };
    let (rest, unprocessed) = (
        with(later),
        if reads {
            "UnprocessedKeys"
        } else {
            "UnprocessedItems"
        },
    );
    if now.is_empty() {
        let mut nothing = json!({ unprocessed: rest });
        if reads {
            nothing["Responses"] = json!({ table.as_str(): [] });
        }
        return Reply::Response(200, nothing.to_string());
    }
    request["RequestItems"] = with(now);
    match apply(request.to_string().into_bytes()).await {
        Reply::Response(200, text) => {
            let mut response: Value = serde_json::from_str(&text).unwrap_or_default();
            response[unprocessed] = rest;
            Reply::Response(200, response.to_string())
        }
        other => other,
    }
}
