//! Emulates SQS and the event source mapping of the queue of the webhooks. What a function does not
//! finish is given out again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::environments::Environments;

/// The most messages of one invocation, as in template.yaml.
const BATCH: usize = 10;
/// The pause before the next poll if nothing is due, and before a message is given out again.
const PAUSE: Duration = Duration::from_millis(200);

/// The messages, each with the time from which it is given out.
#[derive(Default)]
pub struct Calls(Mutex<Vec<(Instant, Value)>>);

impl Calls {
    /// Takes the messages of a `SendMessageBatch` request.
    pub fn keep(&self, request: &Value) -> Value {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = request["Entries"].as_array().into_iter().flatten();
        let kept = entries.map(|entry| {
            let delay = Duration::from_secs(entry["DelaySeconds"].as_u64().unwrap_or_default());
            all.push((Instant::now() + delay, entry["MessageBody"].clone()));
            json!({ "Id": entry["Id"], "MessageId": entry["Id"], "MD5OfMessageBody": "" })
        });
        let kept: Vec<Value> = kept.collect();
        json!({ "Successful": kept, "Failed": [] })
    }

    fn take(&self) -> Vec<Value> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pending, mut later): (Vec<_>, Vec<_>) = std::mem::take(&mut *all)
            .into_iter()
            .partition(|(at, _)| *at <= now);
        later.extend(pending.split_off(pending.len().min(BATCH)));
        *all = later;
        pending.into_iter().map(|(_, body)| body).collect()
    }

    fn again(&self, body: Value) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((Instant::now() + PAUSE, body));
    }

    /// Invokes the function for messages that are due, for ever.
    pub async fn run(self: Arc<Self>, function: Arc<Environments>) {
        loop {
            let pending = self.take();
            if pending.is_empty() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let records = pending.iter().enumerate().map(|(number, body)| {
                json!({ "messageId": number.to_string(), "body": body, "attributes": {},
                    "messageAttributes": {} })
            });
            let event = json!({ "Records": records.collect::<Vec<_>>() });
            let failed: Vec<usize> = match function.invoke(&event).await {
                Ok(response) => {
                    let failures = response["batchItemFailures"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    let number = |one: &Value| one["itemIdentifier"].as_str()?.parse().ok();
                    failures.filter_map(number).collect()
                }
                Err(error) => {
                    eprintln!("webhooks: {error}");
                    (0..pending.len()).collect()
                }
            };
            for (number, body) in pending.into_iter().enumerate() {
                if failed.contains(&number) {
                    self.again(body);
                }
            }
        }
    }
}
