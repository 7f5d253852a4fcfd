//! `clubs-admin check --table NAME` reads a table as a whole and says what is wrong with it;
//! `clubs-admin repair` mends what follows from the rest.

use std::process::ExitCode;

use admin::Finding;
use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata as _};
use clap::{Parser, Subcommand};
use shared::time::{Clock as _, SystemClock};

/// What an operator runs against a table of Clubs. Credentials and region come from the environment
/// or a profile, as for the AWS CLI.
#[derive(Parser)]
#[command(name = "clubs-admin")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the whole table (one read unit for each 4 KB) and prints what is wrong: places and
    /// keys, counters, owners, submissions that stand twice, mails that submissions do not show
    /// rightly or that are stuck, items without those that they belong to. Exit status 1 if
    /// anything is
    Check(Which),
    /// Mends what follows from other items: counters, windows, entries that are missing or belong
    /// to nothing. Each only if it is still as it was read
    Repair {
        #[command(flatten)]
        which: Which,
        /// Prints what would be mended, and changes nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(clap::Args)]
struct Which {
    /// Name of the table
    #[arg(long)]
    table: String,
    /// Address of an emulated DynamoDB
    #[arg(long)]
    endpoint_url: Option<String>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let left = match Options::parse().command {
        Command::Check(which) => Box::pin(check(&which)).await,
        Command::Repair { which, dry_run } => Box::pin(repair(&which, dry_run)).await,
    };
    match left {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

async fn connect(which: &Which) -> Client {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(url) = &which.endpoint_url {
        loader = loader.endpoint_url(url);
    }
    Client::new(&loader.load().await)
}

/// Prints what is wrong, and answers how much.
async fn check(which: &Which) -> Result<usize, Error> {
    let (items, wrong) = read(&connect(which).await, &which.table).await?;
    for finding in &wrong {
        println!("{}", finding.text);
    }
    println!("{items} items, {} findings", wrong.len());
    Ok(wrong.len())
}

/// Mends what can be mended, and answers how much is left.
async fn repair(which: &Which, dry_run: bool) -> Result<usize, Error> {
    let client = connect(which).await;
    let (items, wrong) = read(&client, &which.table).await?;
    let mut left = 0;
    for finding in &wrong {
        let done = match &finding.repair {
            None => "by hand",
            Some(_) if dry_run => "would be mended",
            Some(repair) if repair.apply(&client, &which.table).await? => "mended",
            Some(_) => "changed meanwhile",
        };
        left += usize::from(done != "mended");
        println!("{done}: {}", finding.text);
    }
    println!("{items} items, {} findings, {left} left", wrong.len());
    Ok(left)
}

/// How many items a table has, and what is wrong with them.
#[expect(
    clippy::disallowed_methods,
    reason = "the check is of the whole table, and an operator's, not a request's"
)]
async fn read(client: &Client, table: &str) -> Result<(usize, Vec<Finding>), Error> {
    let mut pages = client
        .scan()
        .table_name(table)
        .consistent_read(true)
        .into_paginator()
        .send();
    let mut items = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.map_err(|error| match (error.code(), error.message()) {
            (Some(code), message) => format!(
                "{table} cannot be read: {code}: {}",
                message.unwrap_or_default()
            ),
            _ => format!("{table} cannot be read: {}", DisplayErrorContext(error)),
        })?;
        items.extend(page.items.unwrap_or_default());
    }
    let items = admin::json(items)?;
    Ok((items.len(), admin::findings(&items, SystemClock.now())))
}
