//! `clubs-admin check --table NAME`: reads a table as a whole and says what is wrong with it.

use std::process::ExitCode;

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata as _};
use clap::{Parser, Subcommand};
use shared::time::{Clock as _, SystemClock};

/// What an operator runs against a table of Clubs. Credentials and region come from the environment or a profile, as for
/// the AWS CLI.
#[derive(Parser)]
#[command(name = "clubs-admin")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the whole table (one read unit for each 4 KB) and prints what is wrong: places and keys, counters, owners, submissions that
    /// stand twice, mails that submissions do not show rightly or that are stuck. Exit status 1 if anything is
    Check {
        /// Name of the table
        #[arg(long)]
        table: String,
        /// Address of an emulated DynamoDB
        #[arg(long)]
        endpoint_url: Option<String>,
    },
}

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Command::Check { table, endpoint_url } = Options::parse().command;
    match Box::pin(check(&table, endpoint_url)).await {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints what is wrong, and answers how much.
#[expect(clippy::disallowed_methods, reason = "the check is of the whole table, and an operator's, not a request's")]
async fn check(table: &str, endpoint_url: Option<String>) -> Result<usize, Error> {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(url) = endpoint_url {
        loader = loader.endpoint_url(url);
    }
    let client = Client::new(&loader.load().await);
    let mut pages = client.scan().table_name(table).consistent_read(true).into_paginator().send();
    let mut items = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.map_err(|error| match (error.code(), error.message()) {
            (Some(code), message) => format!("{table} cannot be read: {code}: {}", message.unwrap_or_default()),
            _ => format!("{table} cannot be read: {}", DisplayErrorContext(error)),
        })?;
        items.extend(page.items.unwrap_or_default());
    }
    let items = admin::json(items)?;
    let wrong = admin::check(&items, SystemClock.now());
    for finding in &wrong {
        println!("{finding}");
    }
    println!("{} items, {} findings", items.len(), wrong.len());
    Ok(wrong.len())
}
