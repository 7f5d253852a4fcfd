//! Delivers the records of the table's stream to the function that lists changes, in the same form
//! as Lambda does.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use changes::Feed;

use crate::clock::MovableClock;
use crate::engine::Engine;

/// The largest number of records in one delivery.
const BATCH: usize = 100;
/// How long records are collected, as `MaximumBatchingWindowInSeconds` in template.yaml.
const COLLECTS: Duration = Duration::from_secs(1);
/// Digits of a sequence number.
const SEQUENCE: usize = 21;
/// The pause before records are delivered again after a failure.
const RETRY: Duration = Duration::from_secs(1);

/// The stream, with the position of the last record that was delivered.
pub struct Stream {
    engine: Engine,
    clock: Arc<MovableClock>,
    file: Option<PathBuf>,
    position: Mutex<Option<String>>,
    /// One delivery at a time.
    lock: tokio::sync::Mutex<()>,
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
    pub fn open(engine: Engine, clock: Arc<MovableClock>, file: Option<PathBuf>) -> Self {
        let position = file
            .as_ref()
            .and_then(|file| std::fs::read_to_string(file).ok())
            // It is empty or cut if the disk was full.
            .filter(|text| text.len() == SEQUENCE && text.bytes().all(|b| b.is_ascii_digit()));
        Self {
            engine,
            clock,
            file,
            position: Mutex::new(position),
            lock: tokio::sync::Mutex::default(),
        }
    }

    fn position(&self) -> MutexGuard<'_, Option<String>> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next records.
    pub fn next(&self) -> Result<Event, String> {
        let after = self.position().clone();
        let mut records = self.engine.records(after.as_deref(), BATCH)?;
        for record in &mut records {
            // The engine writes the time of the machine. The clock of the service may be ahead.
            let at = &mut record.change.approximate_creation_date_time;
            *at = self.clock.at(*at);
        }
        let mut event = Event::default();
        event.records = records;
        Ok(event)
    }

    fn advance(&self, number: String) {
        if let Some(file) = &self.file {
            // If this fails, records are delivered again later. This does no harm.
            let new = file.with_extension("new");
            let _ = std::fs::write(&new, &number).and_then(|()| std::fs::rename(&new, file));
        }
        *self.position() = Some(number);
    }

    /// Delivers one batch of new records to the function.
    pub async fn deliver(&self, to: &Feed) -> Result<Delivered, String> {
        let _lock = self.lock.lock().await;
        let event = self.next()?;
        let number = |record: &EventRecord| record.change.sequence_number.clone();
        let numbers: Vec<String> = event.records.iter().filter_map(number).collect();
        let Some(end) = numbers.last().cloned() else {
            return Ok(Delivered::Nothing);
        };
        let respond = to.handle(event).await;
        let failed = respond.batch_item_failures.first();
        let Some(failed) = failed.and_then(|failure| failure.item_identifier.as_ref()) else {
            self.advance(end);
            return Ok(Delivered::All);
        };
        if let Some(done) = numbers.into_iter().take_while(|one| one != failed).last() {
            self.advance(done);
        }
        Ok(Delivered::RetryLater)
    }

    /// Delivers all records to the function, for ever.
    pub async fn run(&self, to: &Feed) {
        loop {
            match self.deliver(to).await {
                Ok(Delivered::All) => {}
                Ok(Delivered::Nothing) => {
                    self.engine.written().notified().await;
                    tokio::time::sleep(COLLECTS).await;
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
