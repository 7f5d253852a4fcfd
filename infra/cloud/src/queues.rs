//! Emulates SQS and the event source mappings of its queues. What a function does not finish is
//! given out again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::template::SamTemplate;

use crate::environments::Environments;

/// The pause before the next poll if nothing is due.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause before a message is given out again. In the cloud it is the visibility time-out.
const AGAIN: Duration = Duration::from_secs(2);

/// The messages of all queues, each with the name of its queue and the time from which it is given
/// out.
#[derive(Default)]
pub struct Queues(Mutex<Vec<(String, Instant, Value)>>);

/// The mapping of a queue to a function.
pub struct QueueMapping {
    queue: String,
    function: Arc<Environments>,
    /// The most messages of one invocation.
    batch: usize,
}

/// Returns the mappings of all queues.
pub fn mappings(
    template: &SamTemplate,
    functions: &BTreeMap<String, Arc<Environments>>,
) -> Vec<QueueMapping> {
    let resources = template.resources().into_values();
    let mapped = resources.filter_map(|resource| {
        let properties = &resource["Properties"];
        let (_, queue) = properties["EventSourceArn"].as_str()?.split_once(":sqs:")?;
        let called = functions.values().find(|function| {
            let alias = json!({ "!Ref": format!("{}.Alias", function.function.name) });
            template.resolved(&alias).as_ref() == Some(&properties["FunctionName"])
        });
        let batch = properties["BatchSize"].as_u64().unwrap_or(10);
        Some(QueueMapping {
            queue: queue.rsplit(':').next()?.to_owned(),
            function: called?.clone(),
            batch: usize::try_from(batch).unwrap_or_default(),
        })
    });
    mapped.collect()
}

impl Queues {
    fn put(&self, queue: &str, pause: Duration, body: Value) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((queue.to_owned(), Instant::now() + pause, body));
    }

    /// Takes the messages of a `SendMessageBatch` request.
    pub fn keep(&self, request: &Value) -> Value {
        let url = request["QueueUrl"].as_str().unwrap_or_default();
        let queue = url.rsplit('/').next().unwrap_or_default();
        let entries = request["Entries"].as_array().into_iter().flatten();
        let kept = entries.map(|entry| {
            let delay = Duration::from_secs(entry["DelaySeconds"].as_u64().unwrap_or_default());
            self.put(queue, delay, entry["MessageBody"].clone());
            json!({ "Id": entry["Id"], "MessageId": entry["Id"], "MD5OfMessageBody": "" })
        });
        let kept: Vec<Value> = kept.collect();
        json!({ "Successful": kept, "Failed": [] })
    }

    fn take(&self, mapping: &QueueMapping) -> Vec<Value> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pending, mut later): (Vec<_>, Vec<_>) = std::mem::take(&mut *all)
            .into_iter()
            .partition(|(queue, at, _)| *queue == mapping.queue && *at <= now);
        later.extend(pending.split_off(pending.len().min(mapping.batch)));
        *all = later;
        pending.into_iter().map(|(.., body)| body).collect()
    }

    /// Invokes the function of a queue for messages that are due, for ever.
    pub async fn run(self: Arc<Self>, mapping: QueueMapping) {
        loop {
            let pending = self.take(&mapping);
            if pending.is_empty() {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let records = pending.iter().enumerate().map(|(number, body)| {
                json!({ "messageId": number.to_string(), "body": body, "attributes": {},
                    "messageAttributes": {} })
            });
            let event = json!({ "Records": records.collect::<Vec<_>>() });
            let failed: Vec<usize> = match mapping.function.invoke(&event).await {
                Ok(response) => {
                    let failures = response["batchItemFailures"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    let number = |one: &Value| one["itemIdentifier"].as_str()?.parse().ok();
                    failures.filter_map(number).collect()
                }
                Err(error) => {
                    eprintln!("{}: {error}", mapping.queue);
                    (0..pending.len()).collect()
                }
            };
            for (number, body) in pending.into_iter().enumerate() {
                if failed.contains(&number) {
                    self.put(&mapping.queue, AGAIN, body);
                }
            }
        }
    }
}
