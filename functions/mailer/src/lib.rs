//! The mail worker: takes records of the outbox from the table's stream, hands them to SES and marks what became of
//! them (decisions.md §6, design.md §5). Whatever happens, no mail is handed over twice without an officer saying so.

mod outcome;
mod ses;
mod worker;

pub use ses::Ses;
pub use worker::Worker;

use std::sync::Arc;

use aws_lambda_events::event::dynamodb::Event;
use lambda_runtime::{LambdaEvent, service_fn};
use shared::lambda::{Error, log_as_json, sdk_config};
use shared::settings::Settings;
use shared::table::Table;
use shared::time::SystemClock;

/// Runs the worker as a Lambda function.
pub async fn run() -> Result<(), Error> {
    log_as_json();
    let settings = Settings::from_env()?;
    let config = sdk_config().await;
    let table = Table::connect(&config, &settings.table_name);
    table.warm_up().await;
    let worker = &Worker::new(table, Ses::new(&config, &settings), Arc::new(SystemClock), settings);
    lambda_runtime::run(service_fn(async move |event: LambdaEvent<Event>| Ok::<_, Error>(worker.handle(event.payload).await))).await
}
