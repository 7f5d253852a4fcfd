//! The mail worker: takes records of the outbox from the table's stream, hands them to SES and
//! marks what became of them, then and when SES reports of it (E12, E15). Whatever happens, no mail is
//! handed over twice without an officer saying so.

mod outcome;
mod reports;
mod ses;
mod worker;

pub use reports::{Notifications, Reports};
pub use ses::Ses;
pub use worker::Worker;

use std::sync::Arc;

use aws_lambda_events::event::streams::DynamoDbEventResponse;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;
use shared::lambda::{Error, log_as_json, sdk_config};
use shared::settings::Settings;
use shared::table::Table;
use shared::time::SystemClock;

/// What the function is invoked with: reports of SES, through SNS, or records of the table's
/// stream.
fn are_reports(event: &Value) -> bool {
    event["Records"][0].get("Sns").is_some()
}

/// Runs the worker as a Lambda function.
pub async fn run() -> Result<(), Error> {
    log_as_json();
    let settings = Settings::from_env()?;
    let config = sdk_config();
    let table = Table::connect(&config, &settings.table_name);
    table.warm_up().await;
    let reports = &Reports::new(table.clone());
    let worker = &Worker::new(
        table,
        Ses::new(&config, &settings),
        Arc::new(SystemClock),
        settings,
    );
    let handle = async move |event: LambdaEvent<Value>| -> Result<DynamoDbEventResponse, Error> {
        if are_reports(&event.payload) {
            reports
                .handle(&serde_json::from_value(event.payload)?)
                .await?;
            return Ok(DynamoDbEventResponse::default());
        }
        Ok(worker.handle(serde_json::from_value(event.payload)?).await)
    };
    lambda_runtime::run(service_fn(handle)).await
}
