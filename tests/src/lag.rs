//! A table whose indexes are behind: a second engine gets every write some time later, and answers
//! the queries of the indexes.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use local::engine::{Engine, Reply};
use local::table::TABLE;
use serde_json::Value;

/// The writes that the indexes do not show yet, and the state that they show.
pub struct Lag {
    by: Duration,
    past: Engine,
    /// One call at a time, so that writes have the same order in both.
    lock: tokio::sync::Mutex<()>,
    later: Mutex<VecDeque<(Instant, String, Value)>>,
}

/// Writes of the table API.
pub(crate) const WRITES: [&str; 5] = [
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "TransactWriteItems",
    "BatchWriteItem",
];

impl Lag {
    /// Indexes that are behind by this time. The table must be empty.
    pub fn new(by: Duration) -> Self {
        Self {
            by,
            past: Engine::memory().expect("an engine"),
            lock: tokio::sync::Mutex::default(),
            later: Mutex::default(),
        }
    }

    /// Executes a call: a query of an index shows the past, a write is shown there later.
    pub async fn run(
        &self,
        operation: &str,
        body: &Value,
        apply: impl Future<Output = Reply>,
    ) -> Reply {
        if operation == "Query" && !body["IndexName"].is_null() {
            let _lock = self.lock.lock().await;
            self.catch_up();
            return match self.past.json(operation, &renamed(body)) {
                Ok(response) => Reply::Response(200, response.to_string()),
                Err(error) => Reply::Response(error.status_code(), error.to_json()),
            };
        }
        if !WRITES.contains(&operation) {
            return apply.await;
        }
        let _lock = self.lock.lock().await;
        let reply = apply.await;
        if matches!(reply, Reply::Response(200, _)) {
            let write = (Instant::now(), operation.to_owned(), renamed(body));
            self.later().push_back(write);
        }
        reply
    }

    fn later(&self) -> std::sync::MutexGuard<'_, VecDeque<(Instant, String, Value)>> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the writes that are old enough.
    fn catch_up(&self) {
        let mut later = self.later();
        while let Some((at, ..)) = later.front()
            && at.elapsed() >= self.by
            && let Some((_, operation, body)) = later.pop_front()
        {
            // It was applied to the table, and the order is the same.
            if let Err(error) = self.past.json(&operation, &body) {
                eprintln!("the past differs from the table: {operation}: {error}");
            }
        }
    }
}

/// The body with the name of the embedded table.
fn renamed(body: &Value) -> Value {
    let mut body = body.clone();
    rename(&mut body);
    body
}

fn rename(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(name) = object.get_mut("TableName") {
                *name = TABLE.into();
            }
            if let Some(Value::Object(tables)) = object.get_mut("RequestItems") {
                let all: Vec<Value> = std::mem::take(tables).into_iter().map(|(_, v)| v).collect();
                tables.extend(all.into_iter().map(|writes| (TABLE.to_owned(), writes)));
            }
            if let Some(Value::Array(items)) = object.get_mut("TransactItems") {
                let parts = items.iter_mut().filter_map(Value::as_object_mut);
                parts.flat_map(serde_json::Map::values_mut).for_each(rename);
            }
        }
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
