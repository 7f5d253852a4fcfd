//! Tells webhooks what changed (Z9 to Z11). The function for changes fills a queue. This one calls
//! the receivers, stores each attempt, and puts into the queue again what failed.
//!
//! The queue delivers at least once and in any order. An attempt that is stored is not made again,
//! and the next attempt is in the queue before the failed one is stored: whenever this function
//! ends, nothing is lost.

mod call;
mod connection;
mod dispatcher;
mod signature;

pub use call::Receivers;
pub use dispatcher::Dispatcher;

use std::sync::Arc;

use aws_lambda_events::event::sqs::SqsBatchResponse;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;
use shared::lambda::{Begun, Error, READY, begin};
use shared::queue::Queue;
use shared::receiver_rules::ReceiverRules;
use shared::time::SystemClock;

/// Runs as a Lambda function.
pub async fn run() -> Result<(), Error> {
    let Begun {
        settings,
        config,
        table,
    } = begin().await?;
    let queue = Queue::connect(&config, &settings.webhooks.queue);
    let ready = &table.clone();
    let receivers = Receivers::new(ReceiverRules::new(&settings));
    let dispatcher = &Dispatcher::new((table, queue), receivers, Arc::new(SystemClock), settings);
    let handle = async move |event: LambdaEvent<Value>| -> Result<SqsBatchResponse, Error> {
        if event.payload["path"] == READY {
            ready.warm_up().await?;
            return Ok(SqsBatchResponse::default());
        }
        Ok(dispatcher
            .handle(serde_json::from_value(event.payload)?)
            .await)
    };
    lambda_runtime::run(service_fn(handle)).await
}
