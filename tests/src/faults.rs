//! A table that fails: faults by seed, between the SDK and an engine. In tests it stands before the
//! embedded engine, in the emulated cloud before a server.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use local::engine::{Call, Hook, Reply};
use serde_json::{Value, json};

use crate::mixed;

/// What may happen to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Refused for now; not applied.
    Throttle,
    /// In conflict with another transaction; not applied.
    Conflict,
    /// A server error; not applied.
    ErrorBefore,
    /// A server error, although it was applied.
    ErrorAfter,
    /// A connection that breaks after it was applied.
    BrokenAfter,
    /// No answer in time; applied some seconds later, when the caller has given up.
    Late,
    /// A batch of which a part is left undone, a page that is shorter than it could be.
    Part,
    /// An index that shows an older state.
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

    /// Whether it can happen to this call.
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

/// How long a caller waits for an answer that does not come, and when a late call is applied.
const LATE: (Duration, Duration) = (Duration::from_millis(300), Duration::from_millis(900));

/// Does a call with a body.
pub type Apply = Arc<dyn Fn(Vec<u8>) -> BoxFuture<'static, Reply> + Send + Sync>;

/// Faults by seed.
pub struct Faults {
    seed: u64,
    /// Of a thousand calls so many are hit.
    per_mille: AtomicU64,
    calls: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    counts: HashMap<Fault, u64>,
    /// The last answers of the index.
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
    /// None yet: [`Faults::hit`] begins.
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            seed,
            per_mille: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            seen: Mutex::default(),
        })
    }

    /// From now on so many of a thousand calls are hit.
    pub fn hit(&self, per_mille: u64) {
        self.per_mille.store(per_mille, Ordering::Relaxed);
    }

    /// How many calls were hit.
    pub fn count(&self) -> u64 {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .counts
            .values()
            .sum()
    }

    /// These faults as a hook of the embedded engine.
    pub fn hook(self: &Arc<Self>) -> Hook {
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

    /// Does a call, with the fault that is its due.
    pub async fn run(&self, operation: &str, body: Vec<u8>, apply: Apply) -> Reply {
        let request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let fault = self.next(operation, &request);
        let error = |status, name: &str, more: Value| {
            let mut body = json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{name}"), "message": "injected" });
            body["CancellationReasons"] = more;
            Reply::Answer(status, body.to_string())
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
            Some(Fault::Late) => {
                beside(async move {
                    tokio::time::sleep(LATE.1).await;
                    apply(body).await;
                });
                tokio::time::sleep(LATE.0).await;
                Reply::Broken
            }
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

/// Does something while others go on.
#[expect(
    clippy::disallowed_methods,
    reason = "a call that is late outlives the one who made it"
)]
pub fn beside(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}

/// Half of a batch, or a page of one item.
async fn part(operation: &str, mut request: Value, apply: Apply) -> Reply {
    if operation == "Query" {
        request["Limit"] = json!(1);
        return apply(request.to_string().into_bytes()).await;
    }
    let Some((table, wanted)) = request["RequestItems"]
        .as_object()
        .and_then(|all| all.iter().next().map(|(k, v)| (k.clone(), v.clone())))
    else {
        return apply(request.to_string().into_bytes()).await;
    };
    let reads = operation == "BatchGetItem";
    let all = if reads {
        wanted["Keys"].as_array()
    } else {
        wanted.as_array()
    }
    .cloned()
    .unwrap_or_default();
    let (now, later) = all.split_at(all.len() / 2);
    let place = |items: &[Value]| {
        let mut one = wanted.clone();
        *(if reads { &mut one["Keys"] } else { &mut one }) = json!(items);
        json!({ table.as_str(): one })
    };
    let (rest, unprocessed) = (
        place(later),
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
        return Reply::Answer(200, nothing.to_string());
    }
    request["RequestItems"] = place(now);
    match apply(request.to_string().into_bytes()).await {
        Reply::Answer(200, text) => {
            let mut answer: Value = serde_json::from_str(&text).unwrap_or_default();
            answer[unprocessed] = rest;
            Reply::Answer(200, answer.to_string())
        }
        other => other,
    }
}
