//! The timer: erasures of people, reminders of drafts and interviews, and weekly news. It queues
//! mails; the mail worker sends them (G5).
//!
//! What may be due stands in entries by the hour. An entry only says when to look. The timer reads
//! what is true now, queues what is due under its natural key, and files the entry again if its
//! time has changed. So runs may be repeated, late, or side by side.

mod club_end;
mod club_news;
mod drafts;
mod erasure;
mod interviews;
mod news;
mod tickets;
mod timer;
mod uploads;
mod webhooks;

pub use timer::{Timer, Worked};

use lambda_runtime::{LambdaEvent, service_fn};
use serde_json::{Value, json};
use shared::lambda::{Error, READY, log_as_json, table_with_files};
use shared::settings::Settings;
use shared::time::{Clock as _, SystemClock, Timestamp};

/// Runs the timer as a Lambda function.
pub async fn run() -> Result<(), Error> {
    log_as_json();
    let settings = Settings::from_env()?;
    let table = table_with_files(&settings)?;
    // The first event tells what is wrong, if anything is.
    let _ = table.warm_up().await;
    let timer = &Timer::new(table.clone(), settings);
    let ready = &table;
    let handle = async move |event: LambdaEvent<Value>| -> Result<Value, Error> {
        if event.payload["path"] == READY {
            ready.warm_up().await?;
            return Ok(json!({}));
        }
        let worked = timer.run(Timestamp::at(SystemClock.now())).await?;
        Ok(json!({ "entries": worked.entries, "mails": worked.mails }))
    };
    lambda_runtime::run(service_fn(handle)).await
}
