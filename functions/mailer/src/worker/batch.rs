//! Batches of stream records: which of them are processed when, and what is delivered again.

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use chrono::{DateTime, Utc};
use futures::future::join_all;
use shared::db::TableError;
use shared::domain::{EmailStatus, Mail, MailLease};
use tokio::time::Instant;

use super::{PARKED_PAUSE, PAUSE, RetryLater, Worker};
use crate::outage::SIDE_BY_SIDE;

/// A record of the stream that the worker processes.
enum Record {
    /// A new mail.
    Queued(Box<Mail>),
    /// A reminder to read a mail again that another worker had claimed.
    Parked(MailLease),
    /// A mail or a reminder that this worker cannot read: a later release has stored it (E33).
    Unread { pk: String, sk: String },
}

impl Record {
    /// The mail that it is about, as logs show it.
    fn name(&self) -> String {
        match self {
            Self::Queued(mail) => mail.id().to_string(),
            Self::Parked(lease) => lease.mail().to_string(),
            // The key may contain an address (O9).
            Self::Unread { .. } => "unread".to_owned(),
        }
    }

    /// Whether it is a decision mail. These are sent first (E21).
    fn is_decision(&self) -> bool {
        matches!(self, Self::Queued(mail) if mail.decision.is_some())
    }
}

impl Worker {
    /// Processes a batch of stream records, decision mails first (E21), several at the same time.
    /// The response names the first record that is not finished. The stream delivers again from
    /// there on; records that are already finished are skipped then.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let began = Instant::now();
        let read = |record: &EventRecord| {
            Some((record.change.sequence_number.clone(), for_worker(record)?))
        };
        let records: Vec<(Option<String>, Record)> =
            event.records.iter().filter_map(read).collect();
        let is_unread = |n: &usize| matches!(records[*n].1, Record::Unread { .. });
        let (unread, readable): (Vec<usize>, Vec<usize>) = (0..records.len()).partition(is_unread);
        let (decisions, others): (Vec<usize>, Vec<usize>) = readable
            .into_iter()
            .partition(|n| records[*n].1.is_decision());
        let mut unfinished = Vec::new();
        // What cannot be read comes last, so that it holds up no other mail of the batch.
        for mut open in [decisions, others, unread] {
            while unfinished.is_empty() && !open.is_empty() {
                let step = self.step(&mut open, &records, began).await;
                let (rest, send_slots) = match step {
                    Ok(step) => step,
                    Err(RetryLater(why)) => {
                        tracing::warn!(why, "mails are tried again later");
                        tokio::time::sleep(PAUSE).await;
                        break;
                    }
                };
                let works = open.iter().zip(send_slots);
                let works = works.map(|(n, send_at)| self.finish(&records[*n].1, send_at, began));
                // All of them end before the next ones begin. None is dropped on its way.
                let done = join_all(works).await;
                unfinished.extend(
                    open.iter()
                        .zip(done)
                        .filter(|(_, done)| !done)
                        .map(|(n, _)| *n),
                );
                open = rest;
            }
            unfinished.extend(open);
        }
        let mut response = DynamoDbEventResponse::default();
        if let Some(first) = unfinished.into_iter().min() {
            let mut failure = DynamoDbBatchItemFailure::default();
            failure.item_identifier.clone_from(&records[first].0);
            response.batch_item_failures.push(failure);
        }
        response
    }

    /// Leaves in `open` the records that are processed now. Returns the rest, and the send slots.
    async fn step(
        &self,
        open: &mut Vec<usize>,
        records: &[(Option<String>, Record)],
        began: Instant,
    ) -> Result<(Vec<usize>, Vec<DateTime<Utc>>), RetryLater> {
        let count = self.side_by_side().await?.min(open.len());
        let send_slots = self.send_slots(&open[..count], records, began).await?;
        if send_slots.is_empty() {
            return Err(RetryLater("other workers have all send slots".into()));
        }
        Ok((open.split_off(send_slots.len()), send_slots))
    }

    /// Returns how many mails are handed over at the same time. Never more than may be sent in a
    /// second, so that few send slots are lost when the time is up.
    async fn side_by_side(&self) -> Result<usize, TableError> {
        let rate = usize::try_from(self.settings.mail.rate).unwrap_or_default();
        let most = if rate == 0 { SIDE_BY_SIDE } else { rate };
        Ok(self.outage.side_by_side(&self.table).await?.min(most))
    }

    /// Processes a record, and returns whether it is finished.
    async fn finish(&self, record: &Record, send_at: DateTime<Utc>, began: Instant) -> bool {
        let worked = self.work_off(record, send_at, began).await;
        if let Err(RetryLater(why)) = &worked {
            tracing::warn!(mail = record.name(), why, "mail is tried again later");
        }
        worked.is_ok()
    }

    async fn work_off(
        &self,
        record: &Record,
        send_at: DateTime<Utc>,
        began: Instant,
    ) -> Result<(), RetryLater> {
        match record {
            Record::Queued(mail) => self.work(mail, send_at, began).await,
            Record::Parked(lease) => {
                // Without this pause, the record would come back at once, again and again.
                tokio::time::sleep(PARKED_PAUSE).await;
                if self.resolve(&lease.mail(), lease.generation).await? {
                    self.table.unpark_mail(lease).await?;
                }
                Ok(())
            }
            Record::Unread { pk, sk } => {
                if !self.table.has_mail(pk, sk).await? {
                    return Ok(());
                }
                tokio::time::sleep(PAUSE).await;
                Err(RetryLater("this release cannot read it".into()))
            }
        }
    }

    /// Returns when each of these records may be processed. If the number of mails in a second is
    /// limited (O7), send slots are reserved for those that are still to be sent. All workers share
    /// the limit, so the send slots are kept in the table. Ends before the first record for which
    /// no send slot is left.
    async fn send_slots(
        &self,
        open: &[usize],
        records: &[(Option<String>, Record)],
        began: Instant,
    ) -> Result<Vec<DateTime<Utc>>, TableError> {
        let now = self.clock.now();
        if self.settings.mail.rate == 0 {
            return Ok(vec![now; open.len()]);
        }
        let waits = join_all(open.iter().map(|n| self.is_to_be_sent(&records[*n].1))).await;
        let mut send_slots = self
            .reserve(waits.iter().filter(|waits| **waits).count(), began)
            .await?
            .into_iter();
        let send_at = |waits: bool| if waits { send_slots.next() } else { Some(now) };
        Ok(waits.into_iter().map_while(send_at).collect())
    }

    /// Whether a record is a mail that nobody has handed over. After a batch was cut short, its
    /// first records come again, and should not take the send slots of the others.
    async fn is_to_be_sent(&self, record: &Record) -> bool {
        match record {
            Record::Parked(_) | Record::Unread { .. } => false,
            Record::Queued(mail) => match self.table.mail(&mail.id()).await {
                Ok(Some(stored)) => stored.status == EmailStatus::Queued,
                Ok(None) | Err(_) => true,
            },
        }
    }
}

/// The mail or reminder in a stream record, if it is for the worker.
fn for_worker(record: &EventRecord) -> Option<Record> {
    let item = &record.change.new_image;
    let text = |name: &str| match item.get(name) {
        Some(serde_dynamo::AttributeValue::S(text)) => Some(text.clone()),
        _ => None,
    };
    let kind = text("type").filter(|_| record.event_name == "INSERT")?;
    let read = match kind.as_str() {
        "Mail" => serde_dynamo::from_item(item.clone()).map(|mail| Record::Queued(Box::new(mail))),
        "MailLease" => serde_dynamo::from_item(item.clone()).map(Record::Parked),
        _ => return None,
    };
    // The error is not logged, because it may quote the mail (O9).
    let unread = |_| {
        tracing::error!(
            sequence_number = record.change.sequence_number,
            "a mail of the outbox cannot be read"
        );
        let part = |name| text(name).unwrap_or_default();
        Record::Unread {
            pk: part("pk"),
            sk: part("sk"),
        }
    };
    Some(read.unwrap_or_else(unread))
}
