//! The mail worker. Two queues tell it of new mails. It hands them to SES and stores the result,
//! and later what SES reports about them. No mail is sent twice, unless an officer asks for it
//! (E12, E15).

mod cancellations;
mod envelope;
mod outcome;
mod reports;
mod ses;
mod worker;

pub use envelope::{CalendarFile, MailEnvelope};
pub use reports::{Notifications, Reports};
pub use ses::Ses;
pub use worker::{WORKERS, Worker};

use std::sync::Arc;

use aws_lambda_events::event::sqs::SqsBatchResponse;
use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::Value;
use shared::lambda::{Begun, Error, READY, begin};
use shared::time::SystemClock;

/// Whether the function is invoked with reports of SES (through SNS), and not with messages of
/// a queue.
fn are_reports(event: &Value) -> bool {
    event["Records"][0].get("Sns").is_some()
}

/// Runs the worker as a Lambda function.
pub async fn run() -> Result<(), Error> {
    let Begun {
        settings,
        config,
        table,
    } = begin().await?;
    let ready = &table.clone();
    let reports = &Reports::new(table.clone(), Arc::new(SystemClock));
    let ses = Ses::new(&config, &settings);
    let worker = &Worker::new(table, ses, Arc::new(SystemClock), settings);
    let handle = async move |event: LambdaEvent<Value>| -> Result<SqsBatchResponse, Error> {
        if event.payload["path"] == READY {
            ready.warm_up().await?;
            return Ok(SqsBatchResponse::default());
        }
        if are_reports(&event.payload) {
            reports
                .handle(&serde_json::from_value(event.payload)?)
                .await?;
            return Ok(SqsBatchResponse::default());
        }
        Ok(Box::pin(worker.handle(serde_json::from_value(event.payload)?)).await)
    };
    lambda_runtime::run(service_fn(handle)).await
}
