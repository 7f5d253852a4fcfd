//! Runs the timer for reminders and news by the clock of the service (G5).

use std::sync::Arc;
use std::time::Duration;

use changes::Feed;
use chrono::{DateTime, TimeDelta, Utc};
use mailer::Worker;
use notices::Timer;
use serde_json::{Value, json};
use shared::time::{Clock as _, Timestamp};
use tokio::sync::Mutex;
use webhooks::Dispatcher;

use crate::clock::MovableClock;
use crate::engine::Engine;
use crate::queues::{MAILS, NOTICES, Queues, WEBHOOKS};
use crate::stream::{Delivered, Stream};

/// The pause between two runs. Here they cost nothing.
const PAUSE: Duration = Duration::from_secs(5);
/// The largest number of moments at which a move of the clock stops. What is due after them is done
/// at the end of the move.
const STOPS: usize = 2_000;

/// The timer, with the clock that drives it.
pub struct Ticker {
    pub(crate) timer: Timer,
    pub(crate) clock: Arc<MovableClock>,
    pub(crate) engine: Engine,
    pub(crate) stream: Arc<Stream>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) queues: Queues,
    pub(crate) worker: Arc<Worker>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// One move or run at a time.
    pub(crate) lock: Mutex<()>,
}

impl Ticker {
    /// Does what is due now.
    ///
    /// # Errors
    ///
    /// Those of the table, in words.
    pub async fn tick(&self) -> Result<notices::Worked, String> {
        let now = Timestamp::at(self.clock.now());
        self.timer.run(now).await.map_err(|error| error.to_string())
    }

    /// Runs for ever.
    pub async fn run(&self) {
        loop {
            {
                let _lock = self.lock.lock().await;
                if let Err(error) = self.tick().await {
                    tracing::error!(error, "the timer");
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Moves the clock forward. It stops whenever something is due, so that this is done and mailed
    /// in order, as if the time had passed.
    ///
    /// # Errors
    ///
    /// Those of the table, in words. The clock is moved then, too.
    pub async fn advance(&self, by: TimeDelta) -> Result<(), String> {
        let _lock = self.lock.lock().await;
        let end = self.clock.now() + by;
        let stopped = self.stop_until(Timestamp::at(end)).await;
        self.move_to(end);
        self.work().await?;
        stopped
    }

    /// Moves the clock to each moment before `end` at which something is due.
    async fn stop_until(&self, end: Timestamp) -> Result<(), String> {
        for _ in 0..STOPS {
            self.work().await?;
            let now = Timestamp::at(self.clock.now());
            let Some(next) = self.next(now)?.filter(|next| *next < end) else {
                break;
            };
            self.move_to(next.moment());
        }
        Ok(())
    }

    async fn work(&self) -> Result<(), String> {
        self.tick().await?;
        self.deliver().await
    }

    /// The machine's time may have passed this moment.
    fn move_to(&self, moment: DateTime<Utc>) {
        self.clock
            .advance((moment - self.clock.now()).max(TimeDelta::zero()));
    }

    /// Sends what is queued, and tells the webhooks what changed.
    async fn deliver(&self) -> Result<(), String> {
        while self.stream.deliver(&self.feed).await? == Delivered::All {}
        for queue in [MAILS, NOTICES] {
            while self.queues.deliver(queue, &*self.worker).await {}
        }
        while self.queues.deliver(WEBHOOKS, &*self.dispatcher).await {}
        Ok(())
    }

    /// The next moment after now at which something is due. Here a scan is cheap.
    fn next(&self, now: Timestamp) -> Result<Option<Timestamp>, String> {
        let mut scan = json!({
            "TableName": crate::table::TABLE,
            "FilterExpression": "begins_with(pk, :due) AND #at > :now",
            "ProjectionExpression": "#at",
            "ExpressionAttributeNames": { "#at": "at" },
            "ExpressionAttributeValues": { ":due": { "S": "DUE#" }, ":now": { "S": now } },
        });
        // A timestamp has whole seconds.
        let rounded = |at: DateTime<Utc>| Timestamp::at(at + TimeDelta::milliseconds(999));
        let mut next = self.queues.next().map(rounded);
        loop {
            let page = self.engine.json("Scan", &scan);
            let page = page.map_err(|error| error.to_string())?;
            let items = page["Items"].as_array().into_iter().flatten();
            let at = |item: &Value| serde_json::from_value(item["at"]["S"].clone()).ok();
            let first: Option<Timestamp> = items.filter_map(at).min();
            next = [next, first].into_iter().flatten().min();
            if page["LastEvaluatedKey"].is_null() {
                return Ok(next);
            }
            scan["ExclusiveStartKey"] = page["LastEvaluatedKey"].clone();
        }
    }
}
