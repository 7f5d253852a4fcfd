//! Sends mails: claims a mail, hands it to SES and stores the result (E12).

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::dynamodb::{Event, EventRecord};
use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde::Serialize;
use shared::mail::{Message, invite_url, with_invite};
use shared::metrics::Unit;
use shared::models::{EmailStatus, Mail, MailId, MailLease, Status};
use shared::settings::Settings;
use shared::table::{Refusal, Table, TableError};
use shared::time::{Clock, Timestamp};
use tokio::time::Instant;

use crate::outage::{Outage, SIDE_BY_SIDE};
use crate::outcome::SendOutcome;
use crate::ses::Ses;

/// A claim that is older than this belongs to a worker that died (E19).
const LEASE_SECONDS: i64 = 90;
/// Attempts within one invocation, if SES surely did not take the mail.
const TRIES: u32 = 3;
/// A mail that SES did not take within these hours has failed (E14). The stream gives up a record
/// one hour later (template.yaml).
const GIVE_UP_AFTER_HOURS: i64 = 11;
/// Pause before an error is returned. The stream delivers the record again at once.
const PAUSE: Duration = Duration::from_secs(10);
/// Pause before a mail that another worker has claimed is read again.
const PARKED_PAUSE: Duration = Duration::from_secs(2);
/// No mail is sent after this time in one invocation, so that even a slow call of SES ends before
/// the time-out of the function.
const BEGIN_WITHIN: Duration = Duration::from_secs(45);
/// The mail worker.
pub struct Worker {
    table: Table,
    ses: Ses,
    clock: Arc<dyn Clock>,
    settings: Settings,
    outage: Outage,
}

/// The reason why a record could not be finished now. The stream delivers it again.
#[derive(Debug)]
struct RetryLater(String);

impl From<TableError> for RetryLater {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}

/// A record of the stream that the worker processes.
enum Record {
    /// A new mail.
    Queued(Box<Mail>),
    /// A reminder to read a mail again that another worker had claimed.
    Parked(MailLease),
}

/// The log line of a mail.
#[derive(Serialize)]
struct MailLine<'a> {
    message: &'static str,
    about: u64,
    kind: &'static str,
    attempt: u32,
    outcome: EmailStatus,
    why: &'a str,
    mails: u32,
    waited_ms: i64,
}

impl MailLine<'_> {
    const METRICS: [(&'static str, Unit); 1] = [("mails", Unit::Count)];
}

impl Record {
    fn id(&self) -> MailId {
        match self {
            Self::Queued(mail) => mail.id(),
            Self::Parked(lease) => lease.mail(),
        }
    }

    /// Whether it is a decision mail. These are sent first (E21).
    fn is_decision(&self) -> bool {
        matches!(self, Self::Queued(mail) if mail.decision.is_some())
    }
}

impl Worker {
    /// A worker for the mails of a table.
    pub fn new(table: Table, ses: Ses, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            table,
            ses,
            clock,
            settings,
            outage: Outage::default(),
        }
    }

    /// Processes a batch of stream records, decision mails first (E21), several at the same time.
    /// The answer names the first record that is not finished. The stream delivers again from there
    /// on; records that are already finished are skipped then.
    pub async fn handle(&self, event: Event) -> DynamoDbEventResponse {
        let began = Instant::now();
        let read = |record: &EventRecord| {
            Some((record.change.sequence_number.clone(), for_worker(record)?))
        };
        let records: Vec<(Option<String>, Record)> =
            event.records.iter().filter_map(read).collect();
        let (decisions, others): (Vec<usize>, Vec<usize>) =
            (0..records.len()).partition(|n| records[*n].1.is_decision());
        let mut unfinished = Vec::new();
        for mut open in [decisions, others] {
            while unfinished.is_empty() && !open.is_empty() {
                let (rest, turns) = match self.step(&mut open, &records).await {
                    Ok(step) => step,
                    Err(error) => {
                        tracing::warn!(why = error.to_string(), "mails are tried again later");
                        tokio::time::sleep(PAUSE).await;
                        break;
                    }
                };
                let works = open.iter().zip(turns);
                let works = works.map(|(n, turn)| self.finish(&records[*n].1, turn, began));
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

    /// Takes the records that are processed now out of `open`. Returns the rest, and the turns.
    async fn step(
        &self,
        open: &mut Vec<usize>,
        records: &[(Option<String>, Record)],
    ) -> Result<(Vec<usize>, Vec<DateTime<Utc>>), TableError> {
        let count = self.side_by_side().await?.min(open.len());
        let turns = self.turns(&open[..count], records).await?;
        Ok((open.split_off(count), turns))
    }

    /// Returns how many mails are handed over at the same time. Never more than may be sent in a
    /// second, so that few turns are lost when the time is up.
    async fn side_by_side(&self) -> Result<usize, TableError> {
        let rate = usize::try_from(self.settings.mail_rate).unwrap_or_default();
        let most = if rate == 0 { SIDE_BY_SIDE } else { rate };
        Ok(self.outage.side_by_side(&self.table).await?.min(most))
    }

    /// Processes a record, and returns whether it is finished.
    async fn finish(&self, record: &Record, turn: DateTime<Utc>, began: Instant) -> bool {
        let worked = self.work_off(record, turn, began).await;
        if let Err(RetryLater(why)) = &worked {
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
        }
        worked.is_ok()
    }

    fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }

    async fn work_off(
        &self,
        record: &Record,
        turn: DateTime<Utc>,
        began: Instant,
    ) -> Result<(), RetryLater> {
        match record {
            Record::Queued(mail) => self.work(mail, turn, began).await,
            Record::Parked(lease) => {
                // Without this pause, the record would come back at once, again and again.
                tokio::time::sleep(PARKED_PAUSE).await;
                if self.resolve(&lease.mail(), lease.turn).await? {
                    self.table.unpark_mail(lease).await?;
                }
                Ok(())
            }
        }
    }

    async fn work(
        &self,
        mail: &Mail,
        mut turn: DateTime<Utc>,
        began: Instant,
    ) -> Result<(), RetryLater> {
        for attempt in 1..=TRIES {
            self.wait_for(turn, began).await?;
            if !self.outage.may_send(&self.table, self.clock.now()).await? {
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
            self.log(mail, status, text);
            // Count first: a worker that dies here leaves one mail `unknown`, and the outage is
            // known.
            let counted = self.outage.saw(&self.table, status, self.clock.now());
            if let Err(error) = counted.await {
                tracing::warn!(%error, "an outcome was not counted");
            }
            self.settle(mail, EmailStatus::Sending, status, text)
                .await?;
            if status == EmailStatus::Sent {
                self.revoke_after_rejection(mail).await?;
            }
            if status != EmailStatus::Queued {
                return Ok(());
            }
            if mail.queued_at.plus(TimeDelta::hours(GIVE_UP_AFTER_HOURS)) < self.now() {
                return self
                    .settle(mail, EmailStatus::Queued, EmailStatus::Failed, text)
                    .await;
            }
            if attempt < TRIES {
                tokio::time::sleep(Duration::from_millis(500) * 2u32.pow(attempt)).await;
                turn = self.reserve(1).await?.pop().unwrap_or(turn);
            }
        }
        tokio::time::sleep(PAUSE).await;
        Err(RetryLater("not taken yet".into()))
    }

    /// Writes the log line of a mail, in a deployed stack with its outcome as a metric (O17).
    fn log(&self, mail: &Mail, outcome: EmailStatus, why: &str) {
        let now = self.clock.now();
        let waited = now - mail.queued_at.moment();
        let line = MailLine {
            message: "mail",
            about: mail.about,
            kind: mail.kind.name(),
            attempt: mail.attempt,
            outcome,
            why,
            mails: 1,
            waited_ms: waited.num_milliseconds(),
        };
        if let Some(metrics) = &self.settings.metrics {
            metrics.log(now, &line, &MailLine::METRICS, &[&["outcome"]]);
            return;
        }
        tracing::info!(
            about = line.about,
            kind = line.kind,
            attempt = line.attempt,
            ?outcome,
            why,
            waited_ms = line.waited_ms,
            "mail"
        );
    }

    /// Gives up a mail because its submission was withdrawn, deleted or decided again, or has a
    /// later mail (E17). Its invitation is revoked (E25).
    async fn supersede(&self, mail: &Mail) -> Result<(), RetryLater> {
        // First what is safe to repeat. A worker that dies in between finds the mail queued again.
        if let (Some(decision), Some(_), Some(person)) = (&mail.decision, &mail.invite, mail.person)
        {
            self.table
                .revoke_acceptance(&decision.club, person, mail)
                .await?;
        }
        self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, "superseded")
            .await
    }

    /// Revokes the invitation after a rejection was sent (E25). Safe to repeat.
    async fn revoke_after_rejection(&self, mail: &Mail) -> Result<(), RetryLater> {
        match (&mail.decision, mail.person) {
            (Some(decision), Some(person)) if decision.status != Status::Accepted => Ok(self
                .table
                .revoke_acceptance(&decision.club, person, mail)
                .await?),
            _ => Ok(()),
        }
    }

    /// Handles a mail that is not queued any more. Returns true if it is finished. Returns false if
    /// another worker has claimed it; then it is parked and read again until the claim ends, while
    /// other mails go on (E19).
    async fn resolve(&self, id: &MailId, turn: u32) -> Result<bool, RetryLater> {
        let Some(now) = self.table.mail(id).await? else {
            return Ok(true);
        };
        if now.status == EmailStatus::Sent {
            // The worker may have died after it stored the result.
            self.revoke_after_rejection(&now).await?;
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
                // Refused means that an earlier attempt, whose answer was lost, already parked it.
                Ok(()) | Err(TableError::Refused(_)) => Ok(false),
                Err(error) => Err(error.into()),
            };
        }
        // The worker died between claim and result. Nobody knows whether SES has the mail (E15).
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
            // Another worker already stored a result, which stays.
            Ok(()) | Err(TableError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The message, with the link of the invite. The link is made only here and is stored nowhere
    /// (I4).
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

    /// Returns when each of these records may be processed. If the number of mails in a second is
    /// limited (O7), turns are reserved for those that are still to be sent. All workers share the
    /// limit, so the turns are kept in the table.
    async fn turns(
        &self,
        open: &[usize],
        records: &[(Option<String>, Record)],
    ) -> Result<Vec<DateTime<Utc>>, TableError> {
        let now = self.clock.now();
        if self.settings.mail_rate == 0 {
            return Ok(vec![now; open.len()]);
        }
        let waits = join_all(open.iter().map(|n| self.is_to_be_sent(&records[*n].1))).await;
        let mut turns = self
            .reserve(waits.iter().filter(|waits| **waits).count())
            .await?
            .into_iter();
        let turn = |waits: bool| waits.then(|| turns.next()).flatten().unwrap_or(now);
        Ok(waits.into_iter().map(turn).collect())
    }

    /// Whether a record is a mail that nobody has handed over. After a batch was cut short, its
    /// first records come again, and should not take the turns of the others.
    async fn is_to_be_sent(&self, record: &Record) -> bool {
        match record {
            Record::Parked(_) => false,
            Record::Queued(mail) => match self.table.mail(&mail.id()).await {
                Ok(Some(stored)) => stored.status == EmailStatus::Queued,
                Ok(None) | Err(_) => true,
            },
        }
    }

    async fn reserve(&self, mails: usize) -> Result<Vec<DateTime<Utc>>, TableError> {
        let now = self.clock.now();
        match (self.settings.mail_rate, mails) {
            (0, _) | (_, 0) => Ok(vec![now; mails]),
            (rate, _) => self.table.reserve_turns(now, rate, mails).await,
        }
    }

    /// Waits for a turn.
    async fn wait_for(&self, turn: DateTime<Utc>, began: Instant) -> Result<(), RetryLater> {
        let wait = (turn - self.clock.now()).to_std().unwrap_or_default();
        if began.elapsed() + wait >= BEGIN_WITHIN {
            return Err(RetryLater("out of time".into()));
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// The mail or reminder in a stream record, if it is for the worker.
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
    // Delivering the record again would not help. The mail stays queued, and officers see that. The
    // error is not logged, because it may quote the mail (O9).
    let report = |_: &_| {
        tracing::error!(
            sequence_number = record.change.sequence_number,
            "a mail of the outbox cannot be read"
        );
    };
    read.inspect_err(report).ok()
}
