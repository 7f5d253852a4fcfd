//! Makes the list of changes of each club from the stream of the table (Z7). Requests pay nothing
//! for it, and a change that is stored is always listed.
//!
//! The stream delivers at least once, the changes of one item in their order, and those of
//! different items in any order. `record.rs` says what a record changed, `feed.rs` stores each
//! change once, and `forward.rs` passes it on to the webhooks. New mails go to their queues (E12).
//! `calendars.rs` says whose calendars changed, which `feed.rs` marks.

mod calendars;
mod feed;
mod forward;
mod image;
mod record;

pub use feed::{Feed, Queues};

use std::sync::Arc;

use aws_lambda_events::event::streams::DynamoDbEventResponse;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;
use shared::lambda::{Begun, Error, READY, begin};
use shared::queue::Queue;
use shared::time::SystemClock;

/// Runs as a Lambda function.
pub async fn run() -> Result<(), Error> {
    let Begun {
        settings,
        config,
        table,
    } = begin().await?;
    let queue = |url: &str| Queue::connect(&config, url);
    let queues = Queues {
        mails: queue(&settings.mail.queue),
        notices: queue(&settings.mail.notice_queue),
        webhooks: queue(&settings.webhooks.queue),
    };
    let feed = &Feed::new(table.clone(), queues, Arc::new(SystemClock));
    let ready = &table;
    let handle = async move |event: LambdaEvent<Value>| -> Result<DynamoDbEventResponse, Error> {
        if event.payload["path"] == READY {
            ready.warm_up().await?;
            return Ok(DynamoDbEventResponse::default());
        }
        Ok(feed.handle(serde_json::from_value(event.payload)?).await)
    };
    lambda_runtime::run(service_fn(handle)).await
}
