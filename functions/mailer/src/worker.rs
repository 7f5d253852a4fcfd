//! Claim, hand over, mark.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use chrono::TimeDelta;
use shared::mail::{Message, invite_link, with_invite};
use shared::models::{EmailStatus, Mail};
use shared::settings::Settings;
use shared::table::{Table, TableError};
use shared::time::{Clock, Timestamp};
use tokio::time::Instant;

use crate::outcome::Outcome;
use crate::ses::Ses;

/// A claim that is older belongs to a worker that died.
const LEASE_SECONDS: i64 = 90;
/// Tries within one invocation, when a mail was surely not taken.
const TRIES: u32 = 3;
/// A mail that was not taken for so long has failed. The stream gives a record up an hour later (template.yaml).
const HOURS: i64 = 11;
/// Before the stream delivers again: it does not wait by itself.
const PAUSE: Duration = Duration::from_secs(10);
/// No mail is begun later than this in one invocation: with the time that SES may take it still ends before the function's time.
const BEGIN_WITHIN: Duration = Duration::from_secs(45);

/// The mail worker.
pub struct Worker {
    table: Table,
    ses: Ses,
    clock: Arc<dyn Clock>,
    settings: Settings,
}

/// Why a record could not be finished now: the stream delivers it again.
#[derive(Debug)]
struct Again(String);

impl From<TableError> for Again {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}

impl Worker {
    /// A worker on a table.
    pub fn new(table: Table, ses: Ses, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self { table, ses, clock, settings }
    }

    /// Works off a batch of stream records in their order. The answer names the first that is not finished: the stream
    /// delivers from there on again.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let began = Instant::now();
        let mut next_send = began;
        for record in event.records {
            let Some(mail) = queued_mail(&record) else { continue };
            let worked =
                if began.elapsed() < BEGIN_WITHIN { self.work(&mail, &mut next_send).await } else { Err(Again("out of time".into())) };
            if let Err(Again(why)) = worked {
                tracing::warn!(about = mail.about, kind = mail.kind, attempt = mail.attempt, why, "mail is tried again later");
                let mut failure = DynamoDbBatchItemFailure::default();
                failure.item_identifier = record.change.sequence_number;
                let mut response = DynamoDbEventResponse::default();
                response.batch_item_failures.push(failure);
                return response;
            }
        }
        DynamoDbEventResponse::default()
    }

    fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }

    async fn work(&self, mail: &Mail, next_send: &mut Instant) -> Result<(), Again> {
        for attempt in 1..=TRIES {
            match self.table.claim_mail(mail, self.now()).await {
                Ok(()) => {}
                Err(TableError::Refused(which)) if which.contains(&0) => return self.resolve(mail).await,
                Err(TableError::Refused(_)) => {
                    // The submission was withdrawn, deleted, decided otherwise or has a later mail: nobody waits for this one.
                    return self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, "superseded").await;
                }
                Err(error) => return Err(error.into()),
            }
            self.keep_rate(next_send).await;
            let outcome = self.ses.send(mail, &self.message(mail)).await;
            let status = match &outcome {
                Outcome::Sent(_) => EmailStatus::Sent,
                Outcome::Refused(_) => EmailStatus::Failed,
                Outcome::Unknown(_) => EmailStatus::Unknown,
                Outcome::Later(_) => EmailStatus::Queued,
            };
            let (Outcome::Sent(text) | Outcome::Refused(text) | Outcome::Unknown(text) | Outcome::Later(text)) = &outcome;
            tracing::info!(about = mail.about, kind = mail.kind, attempt = mail.attempt, outcome = ?status, why = text, "mail");
            self.settle(mail, EmailStatus::Sending, status, text).await?;
            if status != EmailStatus::Queued {
                return Ok(());
            }
            if mail.queued_at.plus(TimeDelta::hours(HOURS)) < self.now() {
                return self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, text).await;
            }
            if attempt < TRIES {
                tokio::time::sleep(Duration::from_millis(500) * 2u32.pow(attempt)).await;
            }
        }
        tokio::time::sleep(PAUSE).await;
        Err(Again("not taken yet".into()))
    }

    /// A mail that is not queued any more: finished, or claimed by a worker that may have died.
    async fn resolve(&self, mail: &Mail) -> Result<(), Again> {
        let Some(now) = self.table.mail(&mail.id()).await? else { return Ok(()) };
        if now.status != EmailStatus::Sending {
            return Ok(());
        }
        let lease_ends = now.claimed_at.unwrap_or(now.queued_at).plus(TimeDelta::seconds(LEASE_SECONDS));
        if self.now() < lease_ends {
            tokio::time::sleep(PAUSE).await;
            return Err(Again("claimed by another worker".into()));
        }
        // It died between claim and mark: whether SES has the mail, nobody knows.
        self.settle(mail, EmailStatus::Sending, EmailStatus::Unknown, "the worker died").await
    }

    async fn settle(&self, mail: &Mail, from: EmailStatus, to: EmailStatus, outcome: &str) -> Result<(), Again> {
        match self.table.settle_mail(mail, from, to, outcome, self.now()).await {
            // Somebody else marked it: theirs holds.
            Ok(()) | Err(TableError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The mail with the link that only exists from here on.
    fn message(&self, mail: &Mail) -> Message {
        let message = Message { subject: mail.subject.clone(), html: mail.html.clone(), text: mail.text.clone() };
        match &mail.invite {
            Some((club, invite, version)) => with_invite(message, &invite_link(&self.settings, club, invite, *version)),
            None => message,
        }
    }

    async fn keep_rate(&self, next_send: &mut Instant) {
        if let Some(pause) = Duration::from_secs(1).checked_div(self.settings.mail_rate) {
            tokio::time::sleep_until(*next_send).await;
            *next_send = Instant::now() + pause;
        }
    }
}

/// The mail of a stream record that puts one into the outbox.
fn queued_mail(record: &EventRecord) -> Option<Mail> {
    let item = &record.change.new_image;
    if record.event_name != "INSERT"
        || item.get("type").is_none_or(|kind| !matches!(kind, serde_dynamo::AttributeValue::S(kind) if kind == "Mail"))
    {
        return None;
    }
    let mail = serde_dynamo::from_item(item.clone()).ok();
    if mail.is_none() {
        // Delivering it again would not help; the record stays queued, where officers see it. Why would quote what it says.
        tracing::error!(sequence_number = record.change.sequence_number, "a mail of the outbox cannot be read");
    }
    mail
}
