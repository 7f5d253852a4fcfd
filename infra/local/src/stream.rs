//! Delivers the records of the table's stream to the functions that it invokes, in the same form as
//! Lambda does.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_lambda_events::event::dynamodb::Event;
use aws_lambda_events::event::streams::DynamoDbEventResponse;
use changes::Feed;
use chrono::DateTime;
use mailer::Worker;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::clock::MovableClock;
use crate::engine::Engine;

/// The largest number of records in one delivery.
const BATCH: usize = 100;
/// How many records are read at once. Most of them may be for the other function.
const READ: usize = 300;
/// Digits of a sequence number.
const SEQUENCE: usize = 21;
/// The pause before records are delivered again after a failure.
const RETRY: Duration = Duration::from_secs(1);

/// A function that the stream invokes.
pub trait Consumer {
    /// How long records are collected, as `MaximumBatchingWindowInSeconds` in template.yaml.
    const COLLECTS: Duration;

    /// Whether it gets the records of this partition, as the filter in template.yaml says.
    fn takes(partition: &str) -> bool;

    /// Is notified after each write that may be for it.
    fn told(engine: &Engine) -> &Notify;

    /// Processes records, and says from where on they must be delivered again.
    fn handle(&self, event: Event) -> impl Future<Output = DynamoDbEventResponse>;
}

impl Consumer for Worker {
    const COLLECTS: Duration = Duration::ZERO;

    fn takes(partition: &str) -> bool {
        partition.starts_with("OUTBOX#")
    }

    fn told(engine: &Engine) -> &Notify {
        engine.queued()
    }

    async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        Self::handle(self, event).await
    }
}

impl Consumer for Feed {
    const COLLECTS: Duration = Duration::from_secs(1);

    fn takes(partition: &str) -> bool {
        !partition.starts_with("OUTBOX#")
    }

    fn told(engine: &Engine) -> &Notify {
        engine.written()
    }

    async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        Self::handle(self, event).await
    }
}

/// The stream, with the position of the last record that was delivered to one function.
pub struct Stream {
    engine: Engine,
    clock: Arc<MovableClock>,
    arn: Value,
    shard: Value,
    file: Option<PathBuf>,
    position: Mutex<Option<String>>,
    /// One delivery at a time.
    turn: tokio::sync::Mutex<()>,
}

/// The result of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    /// There were no new records.
    Nothing,
    /// All records were processed.
    All,
    /// Some records must be delivered again.
    RetryLater,
}

impl Stream {
    /// The stream of an engine. Its position is stored in `file`.
    pub fn open(
        engine: Engine,
        clock: Arc<MovableClock>,
        file: Option<PathBuf>,
    ) -> Result<Self, String> {
        let position = file
            .as_ref()
            .and_then(|file| std::fs::read_to_string(file).ok())
            // It is empty or cut if the disk was full.
            .filter(|text| text.len() == SEQUENCE && text.bytes().all(|b| b.is_ascii_digit()));
        let json = |operation: &str, body: Value| {
            engine
                .json(operation, &body)
                .map_err(|error| error.to_string())
        };
        let streams = json("ListStreams", json!({ "TableName": crate::table::TABLE }))?;
        let arn = streams
            .pointer("/Streams/0/StreamArn")
            .cloned()
            .ok_or("the table has no stream")?;
        let shards = json("DescribeStream", json!({ "StreamArn": arn }))?;
        let shard = shards
            .pointer("/StreamDescription/Shards/0/ShardId")
            .cloned()
            .ok_or("the stream has no shard")?;
        Ok(Self {
            engine,
            clock,
            arn,
            shard,
            file,
            position: Mutex::new(position),
            turn: tokio::sync::Mutex::default(),
        })
    }

    /// The records that were not delivered yet, at most [`READ`].
    pub fn records(&self) -> Result<Vec<Value>, String> {
        let json = |operation: &str, body: Value| {
            self.engine
                .json(operation, &body)
                .map_err(|error| error.to_string())
        };
        let mut from = json!({
            "StreamArn": self.arn,
            "ShardId": self.shard,
            "ShardIteratorType": "TRIM_HORIZON",
        });
        if let Some(position) = &*self.position.lock().unwrap_or_else(PoisonError::into_inner) {
            from["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
            from["SequenceNumber"] = json!(position);
        }
        let iterator = json("GetShardIterator", from)?;
        let answer = json(
            "GetRecords",
            json!({ "ShardIterator": iterator["ShardIterator"], "Limit": READ }),
        )?;
        Ok(answer["Records"].as_array().cloned().unwrap_or_default())
    }

    /// The engine writes the time of the machine into records. The clock of the service may be
    /// ahead of it.
    fn by_our_clock(&self, record: &mut Value) {
        let at = &mut record["dynamodb"]["ApproximateCreationDateTime"];
        if let Some(seconds) = at.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
            let moment = DateTime::from_timestamp(seconds.round() as i64, 0);
            *at = json!(self.clock.at(moment.unwrap_or_default()).timestamp());
        }
    }

    fn advance(&self, sequence: &Value) {
        let Some(sequence) = sequence.as_str() else {
            return;
        };
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = Some(sequence.to_owned());
        if let Some(file) = &self.file {
            // If this fails, records are delivered again later. This does no harm.
            let new = file.with_extension("new");
            let _ = std::fs::write(&new, sequence).and_then(|()| std::fs::rename(&new, file));
        }
    }

    /// Delivers one batch of new records to the function.
    pub async fn deliver<C: Consumer>(&self, to: &C) -> Result<Delivered, String> {
        let _turn = self.turn.lock().await;
        let mut records = self.records()?;
        let Some(last) = records.last() else {
            return Ok(Delivered::Nothing);
        };
        let mut end = last["dynamodb"]["SequenceNumber"].clone();
        records.retain(|record| {
            let partition = record["dynamodb"]["Keys"]["pk"]["S"].as_str();
            partition.is_some_and(C::takes)
        });
        if records.len() > BATCH {
            records.truncate(BATCH);
            end = records[BATCH - 1]["dynamodb"]["SequenceNumber"].clone();
        }
        for record in &mut records {
            self.by_our_clock(record);
        }
        if records.is_empty() {
            self.advance(&end);
            return Ok(Delivered::All);
        }
        let event: Event = serde_json::from_value(json!({ "Records": records }))
            .map_err(|error| error.to_string())?;
        let answer = to.handle(event).await;
        let Some(failed) = answer
            .batch_item_failures
            .first()
            .and_then(|failure| failure.item_identifier.as_deref())
        else {
            self.advance(&end);
            return Ok(Delivered::All);
        };
        let sequences = records
            .iter()
            .map(|record| &record["dynamodb"]["SequenceNumber"]);
        if let Some(done) = sequences
            .take_while(|sequence| sequence.as_str() != Some(failed))
            .last()
        {
            self.advance(done);
        }
        Ok(Delivered::RetryLater)
    }

    /// Delivers all records to the function, for ever.
    pub async fn run<C: Consumer>(&self, to: &C) {
        loop {
            match self.deliver(to).await {
                Ok(Delivered::All) => {}
                Ok(Delivered::Nothing) => {
                    C::told(&self.engine).notified().await;
                    tokio::time::sleep(C::COLLECTS).await;
                }
                Ok(Delivered::RetryLater) => tokio::time::sleep(RETRY).await,
                Err(error) => {
                    tracing::error!(error, "the stream cannot be read");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }
}
