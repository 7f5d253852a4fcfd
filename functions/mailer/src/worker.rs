//! Claim, hand over, mark.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use chrono::{DateTime, TimeDelta, Utc};
use shared::mail::{Message, invite_url, with_invite};
use shared::models::{EmailStatus, Mail, MailId, MailLease, Status};
use shared::settings::Settings;
use shared::table::{Refusal, Table, TableError};
use shared::time::{Clock, Timestamp};
use tokio::time::Instant;

use crate::outcome::SendOutcome;
use crate::ses::Ses;

/// A claim that is older belongs to a worker that died.
const LEASE_SECONDS: i64 = 90;
/// Tries within one invocation, when a mail was surely not taken.
const TRIES: u32 = 3;
/// A mail that was not taken for so long has failed. The stream gives a record up an hour later
/// (template.yaml).
const HOURS: i64 = 11;
/// Before the stream delivers again: it does not wait by itself.
const PAUSE: Duration = Duration::from_secs(10);
/// Before a mail that another worker has claimed is looked at again.
const TURN: Duration = Duration::from_secs(2);
/// No mail is begun later than this in one invocation: with the time that SES may take it still
/// ends before the function's time.
const BEGIN_WITHIN: Duration = Duration::from_secs(45);

/// The mail worker.
pub struct Worker {
    table: Table,
    ses: Ses,
    clock: Arc<dyn Clock>,
    settings: Settings,
    outage: Mutex<Outage>,
}

/// Why a record could not be finished now: the stream delivers it again.
#[derive(Debug)]
struct RetryLater(String);

impl From<TableError> for RetryLater {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}

/// A record of the stream that is for the worker.
enum Record {
    /// A mail that was put into the outbox.
    Queued(Box<Mail>),
    /// A mail that another worker had claimed, once more.
    Parked(MailLease),
}

impl Record {
    fn id(&self) -> MailId {
        match self {
            Self::Queued(mail) => mail.id(),
            Self::Parked(lease) => lease.mail(),
        }
    }

    /// Decisions go before everything else: thousands may wait for them.
    fn is_decision(&self) -> bool {
        matches!(self, Self::Queued(mail) if mail.decision.is_some())
    }
}

/// Whether SES is asked at all: after several server errors in a row the rest waits, instead of
/// becoming `unknown` mail after mail.
#[derive(Debug, Default)]
struct Outage {
    /// Server errors in a row.
    errors: u32,
    /// Nothing is sent before this.
    until: Option<DateTime<Utc>>,
}

impl Outage {
    /// Server errors in a row after which the worker stops.
    const ERRORS: u32 = 3;
    /// The first and the longest pause, in minutes; each is twice as long as the last.
    const MINUTES: (i64, i64) = (1, 15);

    fn is_on(&self, now: DateTime<Utc>) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    fn saw(&mut self, status: EmailStatus, now: DateTime<Utc>) {
        if status != EmailStatus::Unknown {
            *self = Self::default();
            return;
        }
        self.errors += 1;
        if let Some(more) = self.errors.checked_sub(Self::ERRORS) {
            let minutes = Self::MINUTES.1.min(Self::MINUTES.0 << more.min(10));
            self.until = Some(now + TimeDelta::minutes(minutes));
        }
    }
}

impl Worker {
    /// A worker on a table.
    pub fn new(table: Table, ses: Ses, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            table,
            ses,
            clock,
            settings,
            outage: Mutex::default(),
        }
    }

    /// Works off a batch of stream records, decisions first. The answer names the first that is not
    /// finished: the stream delivers from there on again, and what is finished behind it is
    /// recognised.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let began = Instant::now();
        let mut next_send = began;
        let read = |record: &EventRecord| {
            Some((record.change.sequence_number.clone(), for_worker(record)?))
        };
        let records: Vec<(Option<String>, Record)> =
            event.records.iter().filter_map(read).collect();
        let (mut order, others): (Vec<usize>, Vec<usize>) =
            (0..records.len()).partition(|n| records[*n].1.is_decision());
        order.extend(others);
        let mut response = DynamoDbEventResponse::default();
        for (done, n) in order.iter().enumerate() {
            let record = &records[*n].1;
            let late = began.elapsed() >= BEGIN_WITHIN;
            let worked = if late {
                Err(RetryLater("out of time".into()))
            } else {
                self.work_off(record, &mut next_send).await
            };
            if let Err(RetryLater(why)) = worked {
                let MailId {
                    about,
                    kind,
                    attempt,
                    ..
                } = record.id();
                tracing::warn!(
                    about,
                    kind = kind.name(),
                    attempt,
                    why,
                    "mail is tried again later"
                );
                let mut failure = DynamoDbBatchItemFailure::default();
                failure.item_identifier = order[done..]
                    .iter()
                    .min()
                    .and_then(|first| records[*first].0.clone());
                response.batch_item_failures.push(failure);
                break;
            }
        }
        response
    }

    fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }

    fn outage(&self) -> MutexGuard<'_, Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn work_off(&self, record: &Record, next_send: &mut Instant) -> Result<(), RetryLater> {
        match record {
            Record::Queued(mail) => self.work(mail, next_send).await,
            Record::Parked(lease) => {
                // Not at once again: it would run in circles.
                tokio::time::sleep(TURN).await;
                if self.resolve(&lease.mail(), lease.turn).await? {
                    self.table.unpark_mail(lease).await?;
                }
                Ok(())
            }
        }
    }

    async fn work(&self, mail: &Mail, next_send: &mut Instant) -> Result<(), RetryLater> {
        for attempt in 1..=TRIES {
            if self.outage().is_on(self.clock.now()) {
                tokio::time::sleep(PAUSE).await;
                return Err(RetryLater("SES has server errors".into()));
            }
            match self.table.claim_mail(mail, self.now()).await {
                Ok(()) => {}
                Err(TableError::Refused(Refusal::Changed)) => {
                    return self.resolve(&mail.id(), 0).await.map(drop);
                }
                Err(TableError::Refused(_)) => return self.supersede(mail).await,
                Err(error) => return Err(error.into()),
            }
            self.keep_rate(next_send).await;
            let outcome = self.ses.send(mail, &self.message(mail)).await;
            let status = match &outcome {
                SendOutcome::Sent(_) => EmailStatus::Sent,
                SendOutcome::Refused(_) => EmailStatus::Failed,
                SendOutcome::Unknown(_) => EmailStatus::Unknown,
                SendOutcome::Later(_) => EmailStatus::Queued,
            };
            let (SendOutcome::Sent(text)
            | SendOutcome::Refused(text)
            | SendOutcome::Unknown(text)
            | SendOutcome::Later(text)) = &outcome;
            tracing::info!(about = mail.about, kind = mail.kind.name(), attempt = mail.attempt, outcome = ?status, why = text, "mail");
            self.outage().saw(status, self.clock.now());
            self.settle(mail, EmailStatus::Sending, status, text)
                .await?;
            if status == EmailStatus::Sent {
                self.told(mail).await?;
            }
            if status != EmailStatus::Queued {
                return Ok(());
            }
            if mail.queued_at.plus(TimeDelta::hours(HOURS)) < self.now() {
                return self
                    .settle(mail, EmailStatus::Queued, EmailStatus::Failed, text)
                    .await;
            }
            if attempt < TRIES {
                tokio::time::sleep(Duration::from_millis(500) * 2u32.pow(attempt)).await;
            }
        }
        tokio::time::sleep(PAUSE).await;
        Err(RetryLater("not taken yet".into()))
    }

    /// The submission was withdrawn, deleted, decided otherwise or has a later mail: nobody waits
    /// for this one, and the invitation that it would have brought goes with it.
    async fn supersede(&self, mail: &Mail) -> Result<(), RetryLater> {
        self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, "superseded")
            .await?;
        match (&mail.decision, &mail.invite, mail.person) {
            (Some(decision), Some(_), Some(person)) => Ok(self
                .table
                .revoke_acceptance(&decision.club, person, mail.about)
                .await?),
            _ => Ok(()),
        }
    }

    /// After a mail was sent: who is told of a rejection is not invited any more. Safe to repeat.
    async fn told(&self, mail: &Mail) -> Result<(), RetryLater> {
        match (&mail.decision, mail.person) {
            (Some(decision), Some(person)) if decision.status != Status::Accepted => Ok(self
                .table
                .revoke_acceptance(&decision.club, person, mail.about)
                .await?),
            _ => Ok(()),
        }
    }

    /// A mail that is not queued any more: finished (true), or claimed by a worker that may have
    /// died. That one comes again until the claim has ended, behind the mails that wait.
    async fn resolve(&self, id: &MailId, turn: u32) -> Result<bool, RetryLater> {
        let Some(now) = self.table.mail(id).await? else {
            return Ok(true);
        };
        if now.status == EmailStatus::Sent {
            // The worker may have died behind its mark.
            self.told(&now).await?;
        }
        if now.status != EmailStatus::Sending {
            return Ok(true);
        }
        let lease_ends = now
            .claimed_at
            .unwrap_or(now.queued_at)
            .plus(TimeDelta::seconds(LEASE_SECONDS));
        if self.now() < lease_ends {
            return match self.table.park_mail(id, turn, self.now()).await {
                // Refused: it was parked before, by a worker whose answer was lost.
                Ok(()) | Err(TableError::Refused(_)) => Ok(false),
                Err(error) => Err(error.into()),
            };
        }
        // It died between claim and mark: whether SES has the mail, nobody knows.
        self.settle(
            &now,
            EmailStatus::Sending,
            EmailStatus::Unknown,
            "the worker died",
        )
        .await?;
        Ok(true)
    }

    async fn settle(
        &self,
        mail: &Mail,
        from: EmailStatus,
        to: EmailStatus,
        outcome: &str,
    ) -> Result<(), RetryLater> {
        match self
            .table
            .settle_mail(mail, from, to, outcome, self.now())
            .await
        {
            // Somebody else marked it: theirs holds.
            Ok(()) | Err(TableError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The mail with the link that only exists from here on.
    fn message(&self, mail: &Mail) -> Message {
        let message = Message {
            subject: mail.subject.clone(),
            html: mail.html.clone(),
            text: mail.text.clone(),
        };
        match &mail.invite {
            Some(link) => with_invite(message, &invite_url(&self.settings, link)),
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

/// What a stream record puts into the outbox.
fn for_worker(record: &EventRecord) -> Option<Record> {
    let item = &record.change.new_image;
    let Some(serde_dynamo::AttributeValue::S(kind)) =
        item.get("type").filter(|_| record.event_name == "INSERT")
    else {
        return None;
    };
    let read = match kind.as_str() {
        "Mail" => serde_dynamo::from_item(item.clone()).map(|mail| Record::Queued(Box::new(mail))),
        "MailLease" => serde_dynamo::from_item(item.clone()).map(Record::Parked),
        _ => return None,
    };
    // Delivering it again would not help; the record stays queued, where officers see it. Why would
    // quote what it says.
    let report = |_: &_| {
        tracing::error!(
            sequence_number = record.change.sequence_number,
            "a mail of the outbox cannot be read"
        )
    };
    read.inspect_err(report).ok()
}
