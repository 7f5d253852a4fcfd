//! Mails about interviews that change often are collected (K14).

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::interview::keys;
use crate::domain::outbox;
use crate::domain::outbox::model::{AppointmentNews, Mail};
use crate::domain::outbox::state::{EmailStatus, MailId};
use crate::domain::outbox::store::key_of;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::limits::APPOINTMENT_MAILS_PER_DAY;
use crate::time::Timestamp;

/// The mails of 24 hours that told a person of their interviews in an application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppointmentMails {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// The mails, the oldest first.
    pub mails: Vec<AppointmentMail>,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

/// A mail about an interview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppointmentMail {
    /// When it was handed to SES.
    pub at: Timestamp,
    /// Id of the submission, as a number.
    pub submission: u64,
    /// The number of its calendar file.
    pub file: i64,
}

/// Changes within this time become one mail.
const APART: TimeDelta = TimeDelta::minutes(10);
/// The time in which [`APPOINTMENT_MAILS_PER_DAY`] are sent.
const DAY: TimeDelta = TimeDelta::hours(24);

impl Entity for AppointmentMails {
    const KIND: Kind = Kind::AppointmentMails;

    fn key(&self) -> Key {
        keys::appointment_mails(self.person, self.application)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl AppointmentMails {
    /// Returns whether this mail is among them: it was claimed before, and SES did not take it.
    fn has(&self, mail: &Mail) -> bool {
        let is_this = |one: &AppointmentMail| (one.submission, Some(one.file)) == number(mail);
        self.mails.iter().any(is_this)
    }

    /// Returns when this mail may be sent. Before an interview that begins within ten minutes,
    /// nothing waits for more changes.
    pub fn sent_from(&self, mail: &Mail, now: Timestamp) -> Timestamp {
        if self.has(mail) {
            return now;
        }
        let about_it = |one: &&AppointmentMail| one.submission == mail.about;
        let last = self.mails.iter().rev().find(about_it);
        let start = mail.appointment.as_ref().map(|about| about.start);
        let apart = last.map(|last| last.at.plus(APART));
        let apart = apart.filter(|until| start.is_none_or(|start| *until < start));
        let full = self.mails.iter().rev().nth(APPOINTMENT_MAILS_PER_DAY - 1);
        let next_day = full.map(|first| first.at.plus(DAY));
        [apart, next_day].into_iter().flatten().fold(now, Ord::max)
    }

    /// Returns the write with which this mail is among them. Refused if they are not as read.
    pub(crate) fn with(&self, mail: &Mail, now: Timestamp) -> Result<Option<Write>, TableError> {
        let (submission, file) = number(mail);
        let Some(file) = file.filter(|_| !self.has(mail)) else {
            return Ok(None);
        };
        let mut mails = self.mails.clone();
        mails.retain(|one| one.at.plus(DAY) > now);
        mails.push(AppointmentMail {
            at: now,
            submission,
            file,
        });
        let expires = now.plus(DAY + DAY).epoch_seconds();
        let put = Write::put(&Self {
            mails,
            expires,
            ..self.clone()
        })?;
        Ok(Some(if self.mails.is_empty() {
            put.if_new()
        } else {
            put.if_equals("mails", &self.mails)
        }))
    }
}

/// Returns the submission and the number of the calendar file of a mail.
fn number(mail: &Mail) -> (u64, Option<i64>) {
    let file = mail.appointment.as_ref().map(|about| about.file);
    (mail.about, file)
}

impl Mail {
    /// Returns the entry with which the timer queues it again at this time.
    pub fn kept_back(&self, until: Timestamp, now: Timestamp) -> ScheduledTask {
        let what = TaskKind::Appointment {
            submission: self.about,
            sequence: self.sequence,
            attempt: self.attempt,
        };
        ScheduledTask::new(until, now, what)
    }
}

impl Table {
    /// Returns the mails of the last day beside a mail about an interview: 1 read. None for other
    /// mails.
    pub async fn appointment_mails(
        &self,
        mail: &Mail,
    ) -> Result<Option<AppointmentMails>, TableError> {
        let appointment = mail.appointment.as_ref();
        let application = appointment.and_then(|about| about.application_id);
        let Some((application, person)) = application.zip(mail.person) else {
            return Ok(None);
        };
        let key = keys::appointment_mails(person, application);
        let none = || AppointmentMails {
            person,
            application,
            mails: vec![],
            expires: 0,
        };
        Ok(Some(self.get(key).await?.unwrap_or_else(none)))
    }

    /// Delays a queued mail until this time: 1 transaction. The timer queues it again.
    pub async fn delay_mail(
        &self,
        mail: &Mail,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let delay = Write::update(mail.key())
            .set("delayed_until", &until)
            .if_equals("status", &EmailStatus::Queued);
        let task = Write::put(&mail.kept_back(until, now))?;
        ignore_refusal(self.transact(vec![delay, task]).await)
    }

    /// Queues a mail again that was kept back, unless it was sent or deleted meanwhile: 1 write.
    pub async fn release_mail(&self, mail: &MailId, now: Timestamp) -> Result<(), TableError> {
        let write = Write::update(key_of(mail))
            .set("queued_at", &now)
            .if_equals("status", &EmailStatus::Queued);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Returns whether a mail that waited, or is sent again, is still true: no later one tells of
    /// the same thing, and an interview that it tells of is booked and not over. 1 query; for an
    /// interview, 2 reads more.
    pub async fn is_still_true(&self, mail: &Mail, now: Timestamp) -> Result<bool, TableError> {
        let first = outbox::keys::outbox(mail.about, mail.sequence, mail.kind, mail.attempt + 1);
        let end = outbox::keys::outbox(mail.about, mail.sequence, mail.kind, u32::MAX);
        let later = self.keys(first.pk, Range::Between(first.sk, end.sk));
        if !later.await?.is_empty() {
            return Ok(false);
        }
        let Some(about) = &mail.appointment else {
            return Ok(true);
        };
        let is_cancelled = about.news == AppointmentNews::Cancelled;
        let application = about.application_id.filter(|_| about.end > now);
        let Some(application) = application.filter(|_| !is_cancelled) else {
            return Ok(about.end > now);
        };
        let submission = self.submission(application, Id::new(mail.about)).await?;
        let Some(submission) = submission.filter(|one| one.booked().is_some()) else {
            return Ok(false);
        };
        let application = self.application(&submission.club, application).await?;
        Ok(application.is_some_and(|one| !submission.is_interview_over(&one, now.moment())))
    }
}
