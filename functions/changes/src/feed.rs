//! Stores the changes of a batch of records, each once (Z7), and passes them on to the webhooks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::dynamodb::Event;
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use futures::stream::{self, StreamExt as _};
use shared::db::Table;
use shared::domain::{Delivery, NewChange, Webhook};
use shared::queue::Queue;
use shared::text::ClubCode;
use shared::time::{Clock, Timestamp};

use crate::forward::{Forwarder, NotForwarded};
use crate::image::Unreadable;
use crate::record::{asked_of, changes_of};

/// Clubs whose changes are stored at the same time.
const CLUBS_AT_ONCE: usize = 8;
/// Pause before a batch that failed is delivered again. The stream does that at once.
const PAUSE: Duration = Duration::from_secs(1);

/// Stores the changes that the stream tells.
pub struct Feed {
    table: Table,
    clock: Arc<dyn Clock>,
    webhooks: Forwarder,
}

/// The changes of one club, each with the position of its record.
type OfClub = (ClubCode, Vec<(usize, NewChange)>);

impl Feed {
    /// A feed for the changes of a table, and a queue for webhooks.
    pub fn new(table: Table, queue: Queue, clock: Arc<dyn Clock>) -> Self {
        let webhooks = Forwarder::new(table.clone(), queue);
        Self {
            table,
            clock,
            webhooks,
        }
    }

    /// Stores the changes of these records. The answer names the first record that is not finished.
    /// The stream delivers again from there on; changes that are stored are left out then.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let mut clubs: BTreeMap<ClubCode, Vec<(usize, NewChange)>> = BTreeMap::new();
        let (mut asked, mut unread) = (Vec::new(), None);
        for (position, record) in event.records.iter().enumerate() {
            match changes_of(record).and_then(|changes| Ok((changes, asked_of(record)?))) {
                Ok((changes, delivery)) => {
                    for (club, change) in changes {
                        clubs.entry(club).or_default().push((position, change));
                    }
                    asked.extend(delivery.map(|delivery| (position, delivery)));
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
        let mut done = self.store_all(clubs).await;
        done.extend(self.forward_all_asked(asked).await);
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

    /// Stores the changes of all clubs. Returns for each one how many were new, or the position of
    /// the first record if they are not all stored and passed on.
    async fn store_all(
        &self,
        clubs: BTreeMap<ClubCode, Vec<(usize, NewChange)>>,
    ) -> Vec<Result<usize, usize>> {
        if clubs.is_empty() {
            return vec![];
        }
        let for_all = match self.webhooks.for_all_clubs().await {
            Ok(for_all) => for_all,
            Err(error) => {
                tracing::warn!(%error, "changes are stored later");
                let first = clubs.values().flatten().map(|(position, _)| *position);
                return vec![Err(first.min().unwrap_or_default())];
            }
        };
        let done = stream::iter(clubs).map(|club| self.store(club, &for_all));
        done.buffer_unordered(CLUBS_AT_ONCE).collect().await
    }

    /// Stores the changes of one club, and passes them on: also those that an earlier attempt
    /// stored, which may have ended before it passed them on.
    async fn store(&self, (club, changes): OfClub, for_all: &[Webhook]) -> Result<usize, usize> {
        let first = changes.first().map_or(0, |(position, _)| *position);
        let changes: Vec<NewChange> = changes.into_iter().map(|(_, change)| change).collect();
        let now = Timestamp::at(self.clock.now());
        let done = async {
            let stored = self.table.store_changes(&club, &changes, now).await?;
            self.webhooks.forward(&club, &changes, for_all, now).await?;
            Ok(stored)
        };
        done.await.map_err(|error: NotForwarded| {
            tracing::warn!(%error, "changes are stored later");
            first
        })
    }

    /// Passes on the attempts that somebody asked for. Returns the positions of those that failed.
    async fn forward_all_asked(&self, asked: Vec<(usize, Delivery)>) -> Vec<Result<usize, usize>> {
        let now = Timestamp::at(self.clock.now());
        let mut done = Vec::new();
        for (position, delivery) in asked {
            let forwarded = self.webhooks.forward_asked(&delivery, now).await;
            done.push(forwarded.map(|()| 0).map_err(|error| {
                tracing::warn!(%error, "a webhook is called later");
                position
            }));
        }
        done
    }
}
