//! The table and the bucket that a command works on.

use std::time::{Duration, Instant};

use admin::{Reading, SUBMITTED, UPLOADED};
use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata as _};
use shared::db::Table;

use crate::Error;

/// Which table, and which bucket.
#[derive(clap::Args)]
pub struct Which {
    /// Name of the table
    #[arg(long)]
    pub table: String,
    /// Address of an emulated DynamoDB
    #[arg(long)]
    pub endpoint_url: Option<String>,
    /// Name of the bucket of files (output FilesBucket): check and repair compare it with the table
    #[arg(long)]
    pub files: Option<String>,
}

/// How often a long check says how far it is.
const PROGRESS: Duration = Duration::from_secs(5);

async fn config(which: &Which) -> SdkConfig {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(url) = &which.endpoint_url {
        loader = loader.endpoint_url(url);
    }
    loader.load().await
}

pub async fn connect(which: &Which) -> Client {
    Client::new(&config(which).await)
}

/// The table together with its bucket, if that is named.
pub async fn with_files(which: &Which) -> Result<Option<Table>, Error> {
    let Some(bucket) = &which.files else {
        return Ok(None);
    };
    let config = config(which).await;
    let files = shared::lambda::files(&config, bucket)?;
    Ok(Some(
        Table::new(Client::new(&config), &which.table).with_files(files),
    ))
}

/// Reads the whole table, and then the keys in the bucket.
pub async fn read_all(which: &Which) -> Result<Reading, Error> {
    let mut reading = read(&connect(which).await, &which.table).await?;
    if let Some(table) = with_files(which).await? {
        let store = table.files().store()?;
        for prefix in [SUBMITTED, UPLOADED] {
            reading.add_files(store.list(prefix).await?);
        }
    }
    Ok(reading)
}

/// Reads a table.
async fn read(client: &Client, table: &str) -> Result<Reading, Error> {
    let mut reading = Reading::default();
    let mut reported = Instant::now();
    each_page(client, table, async |items| {
        reading.add(admin::json(items)?);
        if reported.elapsed() > PROGRESS {
            eprintln!("{} items read", reading.count());
            reported = Instant::now();
        }
        Ok(())
    })
    .await?;
    Ok(reading)
}

/// Gives all items of a table to `page`, part by part.
#[expect(
    clippy::disallowed_methods,
    reason = "an operator reads the whole table, not a request"
)]
pub async fn each_page(
    client: &Client,
    table: &str,
    mut page: impl AsyncFnMut(Vec<admin::Item>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut pages = client
        .scan()
        .table_name(table)
        .consistent_read(true)
        .into_paginator()
        .send();
    while let Some(found) = pages.next().await {
        let found = found.map_err(|error| match (error.code(), error.message()) {
            (Some(code), message) => format!(
                "{table} cannot be read: {code}: {}",
                message.unwrap_or_default()
            ),
            _ => format!("{table} cannot be read: {}", DisplayErrorContext(error)),
        })?;
        page(found.items.unwrap_or_default()).await?;
    }
    Ok(())
}
