//! Stores the changes of a batch of records, each once (Z7).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::dynamodb::Event;
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use futures::stream::{self, StreamExt as _};
use shared::db::{Table, TableError};
use shared::domain::NewChange;
use shared::text::ClubCode;
use shared::time::{Clock, Timestamp};

use crate::image::Unreadable;
use crate::record::changes_of;

/// Clubs whose changes are stored at the same time.
const CLUBS_AT_ONCE: usize = 8;
/// Pause before a batch that failed is delivered again. The stream does that at once.
const PAUSE: Duration = Duration::from_secs(1);

/// Stores the changes that the stream tells.
pub struct Feed {
    table: Table,
    clock: Arc<dyn Clock>,
}

/// The changes of one club, each with the position of its record.
type OfClub = (ClubCode, Vec<(usize, NewChange)>);

impl Feed {
    /// A feed for the changes of a table.
    pub fn new(table: Table, clock: Arc<dyn Clock>) -> Self {
        Self { table, clock }
    }

    /// Stores the changes of these records. The answer names the first record that is not finished.
    /// The stream delivers again from there on; changes that are stored are left out then.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let mut clubs: BTreeMap<ClubCode, Vec<(usize, NewChange)>> = BTreeMap::new();
        let mut unread = None;
        for (position, record) in event.records.iter().enumerate() {
            match changes_of(record) {
                Ok(changes) => {
                    for (club, change) in changes {
                        clubs.entry(club).or_default().push((position, change));
                    }
                }
                // What comes after it waits, because it may be about the same object.
                Err(Unreadable(why)) => {
                    tracing::error!(why, "a record of the stream cannot be read");
                    unread = Some(position);
                    break;
                }
            }
        }
        let count = clubs.values().map(Vec::len).sum::<usize>();
        let oldest = clubs.values().flatten().map(|(_, change)| change.at).min();
        let done = stream::iter(clubs).map(|club| self.store(club));
        let done: Vec<Result<usize, usize>> = done.buffer_unordered(CLUBS_AT_ONCE).collect().await;
        let stored = done.iter().flatten().sum::<usize>();
        if let Some(oldest) = oldest {
            let behind = self.clock.now() - oldest.moment();
            let behind_ms = behind.num_milliseconds();
            tracing::info!(changes = count, stored, behind_ms, "changes");
        }
        let mut response = DynamoDbEventResponse::default();
        let failed = done.into_iter().filter_map(Result::err);
        let failed = failed.chain(unread).min();
        if let Some(record) = failed.and_then(|first| event.records.get(first)) {
            tokio::time::sleep(PAUSE).await;
            let mut failure = DynamoDbBatchItemFailure::default();
            failure
                .item_identifier
                .clone_from(&record.change.sequence_number);
            response.batch_item_failures.push(failure);
        }
        response
    }

    /// Stores the changes of one club. Returns how many were new, or the position of the first
    /// record if they are not all stored.
    async fn store(&self, (club, changes): OfClub) -> Result<usize, usize> {
        let first = changes.first().map_or(0, |(position, _)| *position);
        let changes: Vec<NewChange> = changes.into_iter().map(|(_, change)| change).collect();
        let now = Timestamp::at(self.clock.now());
        let stored = self.table.store_changes(&club, &changes, now).await;
        stored.map_err(|error: TableError| {
            tracing::warn!(%error, "changes are stored later");
            first
        })
    }
}
