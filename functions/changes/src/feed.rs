//! Stores the changes of a batch of records, each once (Z7), passes them on to the webhooks, marks
//! the calendars that changed (V22), and puts new mails into their queues (E12).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use futures::stream::{self, StreamExt as _};
use quick_cache::sync::Cache;
use shared::db::{Key, Table};
use shared::domain::{CalendarPart, Delivery, MailKind, NewChange, Webhook};
use shared::ids::Ids;
use shared::queue::{Queue, QueueError};
use shared::text::ClubCode;
use shared::time::{Clock, Timestamp};

use crate::calendars::calendars_of;
use crate::forward::{Forwarder, NotForwarded};
use crate::image::{Image, Unreadable};
use crate::record::{asked_of, changes_of};

/// Clubs whose changes are stored at the same time.
const CLUBS_AT_ONCE: usize = 8;
/// Pause before a batch that failed is delivered again. The stream does that at once.
const PAUSE: Duration = Duration::from_secs(1);
/// How many mails are remembered that were queued lately.
const REMEMBERED_MAILS: usize = 1_000;

/// The queues that the feed fills.
pub struct Queues {
    /// Decisions, and answers to what somebody did.
    pub mails: Queue,
    /// Reminders and news, which may wait behind all others (E21).
    pub notices: Queue,
    /// Calls of webhooks.
    pub webhooks: Queue,
}

/// Stores the changes that the stream tells.
pub struct Feed {
    table: Table,
    mails: Queue,
    notices: Queue,
    /// The records that queued mails lately. While the stream delivers a batch again and again,
    /// mails are not queued each time.
    queued: Cache<String, ()>,
    clock: Arc<dyn Clock>,
    ids: Ids,
    webhooks: Forwarder,
}

/// The changes of one club, each with the position of its record.
type ClubChanges = (ClubCode, Vec<(usize, NewChange)>);

/// What a batch of records asks for, each with the position of its record.
#[derive(Default)]
struct Work {
    clubs: BTreeMap<ClubCode, Vec<(usize, NewChange)>>,
    asked: Vec<(usize, Delivery)>,
    calendars: BTreeMap<CalendarPart, usize>,
    /// The first record that cannot be read.
    unread: Option<usize>,
}

impl Work {
    /// Reads the records up to the first that cannot be read. What comes after it waits, because it
    /// may be about the same object.
    fn of(records: &[EventRecord]) -> Self {
        let mut work = Self::default();
        for (position, record) in records.iter().enumerate() {
            if let Err(Unreadable(why)) = work.add(position, record) {
                tracing::error!(why, "a record of the stream cannot be read");
                work.unread = Some(position);
                break;
            }
        }
        work
    }

    fn add(&mut self, position: usize, record: &EventRecord) -> Result<(), Unreadable> {
        let (changes, parts) = (changes_of(record)?, calendars_of(record)?);
        let delivery = asked_of(record)?;
        for (club, change) in changes {
            self.clubs.entry(club).or_default().push((position, change));
        }
        for part in parts {
            self.calendars.entry(part).or_insert(position);
        }
        self.asked.extend(delivery.map(|one| (position, one)));
        Ok(())
    }
}

impl Feed {
    /// A feed for the changes of a table.
    pub fn new(table: Table, queues: Queues, clock: Arc<dyn Clock>) -> Self {
        let webhooks = Forwarder::new(table.clone(), queues.webhooks);
        Self {
            table,
            mails: queues.mails,
            notices: queues.notices,
            queued: Cache::new(REMEMBERED_MAILS),
            clock,
            ids: Ids::random(),
            webhooks,
        }
    }

    /// Stores the changes of these records. The answer names the first record that is not finished.
    /// The stream delivers again from there on; changes that are stored are left out then.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let Work {
            clubs,
            asked,
            calendars,
            unread,
        } = Work::of(&event.records);
        let count = clubs.values().map(Vec::len).sum::<usize>();
        let oldest = clubs.values().flatten().map(|(_, change)| change.at).min();
        // A record that cannot be read holds up no mail of its batch.
        let mut done: Vec<_> = self.queue_mails(&event.records).await.into_iter().collect();
        done.extend(self.store_all(clubs).await);
        done.extend(self.forward_all_asked(asked).await);
        done.extend(self.touch_calendars(calendars).await);
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

    /// Puts the mails that were stored into their queues. Returns the position of the first one if
    /// they are not all there.
    async fn queue_mails(&self, records: &[EventRecord]) -> Option<Result<usize, usize>> {
        let all = records.iter().enumerate();
        let new = all.filter_map(|(position, record)| Some((position, new_mail(record)?)));
        let is_new = |(position, _): &(usize, (Key, bool))| {
            self.queued.get(&records[*position].event_id).is_none()
        };
        let new: Vec<_> = new.filter(is_new).collect();
        let first = new.first()?.0;
        let of = |is_notice| {
            let chosen = new.iter().filter(move |(_, mail)| mail.1 == is_notice);
            chosen.map(|(_, mail)| mail.0.clone()).collect::<Vec<Key>>()
        };
        let queued: Result<_, QueueError> = async {
            self.mails.send(&of(false), Duration::ZERO).await?;
            self.notices.send(&of(true), Duration::ZERO).await
        }
        .await;
        if let Err(error) = queued {
            tracing::warn!(%error, "mails are queued later");
            return Some(Err(first));
        }
        for (position, _) in new {
            self.queued.insert(records[position].event_id.clone(), ());
        }
        None
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
        let done: Vec<_> = done.buffer_unordered(CLUBS_AT_ONCE).collect().await;
        // One line for all of them: the cause is mostly the same.
        let mut failed = done.iter().filter_map(|done| done.as_ref().err());
        if let Some((_, error)) = failed.next() {
            let others = failed.count();
            tracing::warn!(%error, others, "changes are stored later");
        }
        let first = |(first, _)| first;
        done.into_iter().map(|done| done.map_err(first)).collect()
    }

    /// Stores the changes of one club, and passes them on: also those that an earlier attempt
    /// stored, which may have ended before it passed them on.
    async fn store(
        &self,
        (club, changes): ClubChanges,
        for_all: &[Webhook],
    ) -> Result<usize, (usize, NotForwarded)> {
        let first = changes.first().map_or(0, |(position, _)| *position);
        let changes: Vec<NewChange> = changes.into_iter().map(|(_, change)| change).collect();
        let now = Timestamp::at(self.clock.now());
        let done = async {
            let stored = self.table.store_changes(&club, &changes, now).await?;
            self.webhooks.forward(&club, &changes, for_all, now).await?;
            Ok(stored)
        };
        done.await.map_err(|error: NotForwarded| (first, error))
    }

    /// Marks the calendars that changed; also again, if the stream delivers a record again. Returns
    /// the position of the first record if they are not all marked.
    async fn touch_calendars(
        &self,
        parts: BTreeMap<CalendarPart, usize>,
    ) -> Option<Result<usize, usize>> {
        let first = parts.values().copied().min()?;
        let next_revision = || self.ids.next(self.clock.now());
        let (parts, now) = (parts.into_keys().collect(), Timestamp::at(self.clock.now()));
        let touched = self.table.touch_calendars(parts, now, next_revision);
        Some(touched.await.map(|()| 0).map_err(|error| {
            tracing::warn!(%error, "calendars are marked later");
            first
        }))
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

/// Returns the key of the mail that a record stored, and whether it is a reminder or news. One of a
/// kind that this release does not have counts as such.
fn new_mail(record: &EventRecord) -> Option<(Key, bool)> {
    let image = Image(&record.change.new_image);
    let before = Image(&record.change.old_image);
    let is_queued = match record.event_name.as_str() {
        "INSERT" => true,
        // It was kept back, and the timer queues it again (K14).
        "MODIFY" => image.text("queued_at") != before.text("queued_at"),
        _ => false,
    };
    if !is_queued || image.kind() != "Mail" {
        return None;
    }
    let kind = image.text("kind").unwrap_or_default();
    let found = MailKind::ALL.iter().find(|one| one.name() == kind);
    Some((image.key(), found.is_none_or(|kind| kind.is_notice())))
}
