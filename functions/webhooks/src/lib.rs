//! Tells webhooks what changed (Z9 to Z11). The function for changes fills a queue. This one calls
//! the receivers, stores each attempt, and puts into the queue again what failed.
//!
//! The queue delivers at least once and in any order. An attempt that is stored is not made again,
//! and the next attempt is in the queue before the failed one is stored: whenever this function
//! ends, nothing is lost.

mod receiver;
mod signature;
mod teller;

pub use receiver::Receivers;
pub use teller::Teller;

use std::sync::Arc;

use aws_lambda_events::event::sqs::SqsBatchResponse;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;
use shared::db::Table;
use shared::lambda::{Error, READY, log_as_json, sdk_config};
use shared::queue::Queue;
use shared::receiver::ReceiverRules;
use shared::settings::Settings;
use shared::time::SystemClock;

/// Runs as a Lambda function.
pub async fn run() -> Result<(), Error> {
    log_as_json();
    let settings = Settings::from_env()?;
    let config = sdk_config();
    let table = Table::connect(&config, &settings.table_name);
    // The first event tells what is wrong, if anything is.
    let _ = table.warm_up().await;
    let queue = Queue::connect(&config, &settings.webhooks.queue);
    let ready = &table.clone();
    let receivers = Receivers::new(ReceiverRules::new(&settings));
    let teller = &Teller::new((table, queue), receivers, Arc::new(SystemClock), settings);
    let handle = async move |event: LambdaEvent<Value>| -> Result<SqsBatchResponse, Error> {
        if event.payload["path"] == READY {
            ready.warm_up().await?;
            return Ok(SqsBatchResponse::default());
        }
        Ok(teller.handle(serde_json::from_value(event.payload)?).await)
    };
    lambda_runtime::run(service_fn(handle)).await
}
