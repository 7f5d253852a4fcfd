//! The outbox: mails are stored as records before they are sent. Also the mail state of submissions
//! (E12, E13).

use std::collections::BTreeMap;

use crate::db::{Entity, Refusal, Retries, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::invite::model::AcceptanceMail;
use crate::domain::invite::store::invite_accepted;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::mail::model::{InviteLink, Mail, MailLease, ToldDecision};
use crate::domain::mail::state::{EmailStatus, MailId, MailKind, MailState, Report, Telling};
use crate::domain::person::model::Person;
use crate::domain::submission::model::{Mailed, Submission};
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// How many days the record of a decision mail is kept.
pub const DECISION_MAILS_KEPT_DAYS: i64 = 400;
/// How many days the record of any other mail is kept.
const KEPT_DAYS: i64 = 60;

impl Entity for Mail {
    const TYPE: &'static str = "Mail";
    const IS_MAIL: bool = true;

    fn key(&self) -> Key {
        key_of(&self.id())
    }

    fn index_key(&self) -> Option<Key> {
        Some(match self.person {
            Some(person) => keys::own_mail(person, self.about, self.sequence),
            None => keys::addressed_mail(&self.to, self.about, self.sequence),
        })
    }

    fn expires(&self) -> Option<i64> {
        let days = if self.decision.is_some() {
            DECISION_MAILS_KEPT_DAYS
        } else {
            KEPT_DAYS
        };
        Some(
            self.queued_at
                .plus(chrono::TimeDelta::days(days))
                .epoch_seconds(),
        )
    }
}

impl Entity for MailLease {
    const TYPE: &'static str = "MailLease";

    fn key(&self) -> Key {
        keys::mail_lease(
            self.about,
            self.sequence,
            self.kind,
            self.attempt,
            self.turn,
        )
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

fn key_of(mail: &MailId) -> Key {
    keys::outbox(mail.about, mail.sequence, mail.kind, mail.attempt)
}

/// A report from SES about a mail.
pub struct MailReport<'a> {
    /// The kind of report.
    pub report: Report,
    /// The wording of SES, without personal data. If there was no problem: the SES message id.
    pub outcome: &'a str,
    /// When SES accepted the mail.
    pub taken_at: Timestamp,
}

/// A decision mail to be queued, and the data that it was made from.
pub struct DecisionMail<'a> {
    /// The submissions that the mail is about, as they were read. If the decision or the mail state
    /// of one of them changed after that, nothing is queued.
    pub submissions: &'a [Submission],
    /// The mail to be queued.
    pub mail: &'a Mail,
    /// The id of the request, see [`Telling`].
    pub call: u64,
}

/// Returns the name of the submission attribute with the state of mails of this kind.
fn state_of(kind: MailKind) -> String {
    format!("{}_mail", kind.name())
}

impl Table {
    /// Queues a decision mail. One transaction stores the mail record, the mail state of its
    /// submissions and the invite. If the last mail is still queued, the transaction marks it as
    /// failed.
    ///
    /// Refused if somebody else queued the mail first, or changed the decision.
    pub async fn queue_decision(
        &self,
        DecisionMail {
            submissions,
            mail,
            call,
        }: DecisionMail<'_>,
    ) -> Result<(), TableError> {
        let (now, kind) = (mail.queued_at, mail.kind);
        let state = state_of(kind);
        let is_to_person = mail
            .decision
            .as_ref()
            .is_some_and(|decision| !decision.covers.is_empty());
        let mut writes = vec![Write::put(mail)?.if_new()];
        let mut stuck = BTreeMap::new();
        for submission in submissions {
            let last = submission.mail_state(kind);
            let recent = last.iter().flat_map(|last| {
                let counting = last.count_recent(now);
                last.recent(now).take(counting).cloned()
            });
            let queued = MailState {
                attempt: mail.attempt,
                status: EmailStatus::Queued,
                at: now,
                taken: last.is_some_and(|last| last.taken),
                earlier_taken: last.is_some_and(|last| last.taken),
                person_mail: is_to_person.then_some(mail.sequence),
                order: submission.next_mail_order(),
                recent: recent.chain([Telling { at: now, call }]).collect(),
            };
            writes.push(
                Write::update(submission.key())
                    .set(&state, &queued)
                    .if_equals("status", &submission.status)
                    .if_equals("reason", &submission.reason)
                    .if_equals("sequence", &submission.sequence)
                    .if_equals("person", &submission.person)
                    .if_is(&state, last),
            );
            let waiting = last.filter(|last| last.status == EmailStatus::Queued);
            if let Some(id) = waiting.and_then(|last| submission.mail_id(kind, last)) {
                stuck.insert(key_of(&id), id);
            }
        }
        for id in stuck
            .values()
            .filter(|id| id.about != mail.about || is_to_person)
        {
            writes.extend(self.given_up(id, submissions, now).await?);
        }
        if let (Some(link), Some(person)) = (&mail.invite, mail.person) {
            let InviteLink { club, version, .. } = link;
            let accepted: Vec<AcceptanceMail> = mail
                .told()
                .into_iter()
                .map(|told| AcceptanceMail {
                    submission: told.submission,
                    order: told.order,
                })
                .collect();
            let invite = (club, *version);
            writes.push(invite_accepted(invite, person, &mail.to, &accepted, now));
        }
        // A mail to a person may have been given up already, for another of its submissions.
        writes.extend(stuck.into_keys().map(|key| {
            Write::update(key)
                .set("status", &EmailStatus::Failed)
                .set("outcome", &"superseded")
                .if_either("status", [&EmailStatus::Queued, &EmailStatus::Failed])
        }));
        self.transact(writes).await
    }

    /// Returns a mail of the outbox: 1 read.
    pub async fn mail(&self, mail: &MailId) -> Result<Option<Mail>, TableError> {
        self.get(key_of(mail)).await
    }

    /// Returns whether this item of the outbox still exists, also if it cannot be read: 1 read.
    pub async fn has_mail(&self, pk: &str, sk: &str) -> Result<bool, TableError> {
        let key = Key {
            pk: pk.to_owned(),
            sk: sk.to_owned(),
        };
        Ok(self.read(key).await?.is_some())
    }

    /// Returns mails of the outbox as they are now: 1 batch read per 100.
    pub async fn mails(&self, mails: &[MailId]) -> Result<Vec<Mail>, TableError> {
        let wanted: Vec<Key> = mails.iter().map(key_of).collect();
        let mut found = self.get_many(wanted.clone()).await?;
        wanted
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Claims a queued mail for sending.
    ///
    /// Refused as [`Refusal::Changed`] if it is no longer queued. Refused as
    /// [`Refusal::Superseded`] if its submission was deleted, has another decision or has a later
    /// mail, or if its invitation was used, revoked or sent again.
    pub async fn claim_mail(&self, mail: &Mail, now: Timestamp) -> Result<(), TableError> {
        let claim = Write::update(mail.key())
            .set("status", &EmailStatus::Sending)
            .set("claimed_at", &Some(now))
            .if_equals("status", &EmailStatus::Queued);
        let invite = mail.invite.as_ref().filter(|_| mail.decision.is_none());
        let open = invite.map(|link| {
            Write::check(keys::invite(&link.club, &link.invite))
                .if_equals("version", &link.version)
                .or(Refusal::Superseded)
        });
        self.transact(
            std::iter::once(claim)
                .chain(mark(mail, EmailStatus::Sending, now))
                .chain(open)
                .collect(),
        )
        .await
    }

    /// Sends a mail through the stream again, behind the other mails, because another worker has
    /// claimed it. Refused if this was already done for this turn.
    pub async fn park_mail(
        &self,
        mail: &MailId,
        turn: u32,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let expires = now.plus(chrono::TimeDelta::days(1)).epoch_seconds();
        let MailId {
            about,
            sequence,
            kind,
            attempt,
        } = mail.clone();
        let lease = |turn| MailLease {
            about,
            sequence,
            kind,
            attempt,
            turn,
            expires,
        };
        let next = Write::put(&lease(turn + 1))?.if_new();
        let last = (turn > 0).then(|| Write::delete(lease(turn).key()).if_exists());
        self.transact(std::iter::once(next).chain(last).collect())
            .await
    }

    /// Deletes the lease that was stored when the mail was parked.
    pub async fn unpark_mail(&self, lease: &MailLease) -> Result<(), TableError> {
        self.write(Write::delete(lease.key())).await.map(drop)
    }

    /// Takes back the invitation that a person got with acceptances (E25). `mail` is the rejection
    /// that was sent, or the acceptance that is not sent any more. The invitation stays if another
    /// acceptance mail brought it too: 1 read and 1 write, whatever the person has submitted.
    pub async fn revoke_acceptance(
        &self,
        club: &ClubCode,
        person: Id<Person>,
        mail: &Mail,
    ) -> Result<(), TableError> {
        let about = mail.told();
        let is_over = |brought: &AcceptanceMail| {
            let told = about
                .iter()
                .find(|told| told.submission == brought.submission);
            told.is_some_and(|told| match mail.kind {
                MailKind::Rejection => brought.order <= told.order,
                _ => brought.order == told.order,
            })
        };
        self.take_back_acceptances(club, person, is_over).await
    }

    /// Stores a report from SES about a mail.
    ///
    /// Does nothing if the mail no longer exists, or if a report of the same or higher rank is
    /// already stored. Reports may come more than once, in any order, and before the worker has
    /// updated the mail. Costs 1 read and 1 write; 2 reads and a transaction if the submission
    /// shows the status.
    pub async fn report_mail(
        &self,
        id: &MailId,
        reported: &MailReport<'_>,
    ) -> Result<(), TableError> {
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            let Some(mail) = self.mail(id).await? else {
                return Ok(());
            };
            if mail.report >= Some(reported.report) {
                return Ok(());
            }
            let status = reported.report.status();
            let mut record = Write::update(mail.key())
                .if_exists()
                .set("status", &status)
                .set("report", &reported.report)
                .set("outcome", &Some(reported.outcome));
            record = if let Some(before) = &mail.report {
                record.if_equals("report", before)
            } else {
                record.if_none("report")
            };
            if mail.decision.is_none() {
                record = record.set("html", &"").set("text", &"");
            }
            let mut shown = Vec::new();
            if let Some(decision) = mail.decision.as_ref().filter(|_| mail.status != status) {
                for told in mail.told() {
                    let application = decision.application;
                    shown.extend(
                        self.shown_report(&mail, application, &told, reported)
                            .await?,
                    );
                }
            }
            let done = if shown.is_empty() {
                self.write(record).await.map(drop)
            } else {
                shown.insert(0, record);
                self.transact(shown).await
            };
            match done {
                // Somebody changed one of the two items in the meantime. Retry.
                Err(TableError::Refused(_)) => {}
                other => return other,
            }
        }
    }

    /// Returns the change of the submission that belongs to a report. If a later mail of the same
    /// kind exists, the submission does not show the status of this mail. It still records that the
    /// person was notified.
    async fn shown_report(
        &self,
        mail: &Mail,
        application: Id<Application>,
        told: &ToldDecision,
        reported: &MailReport<'_>,
    ) -> Result<Option<Write>, TableError> {
        let Some(submission) = self.submission(application, told.submission).await? else {
            return Ok(None);
        };
        let other = match mail.kind {
            MailKind::Acceptance => &submission.rejection_mail,
            _ => &submission.acceptance_mail,
        };
        let Some(last) = submission
            .mail_state(mail.kind)
            .filter(|_| submission.sequence == told.sequence)
        else {
            return Ok(None);
        };
        let name = state_of(mail.kind);
        let status = reported.report.status();
        let mut write = Write::update(submission.key())
            .set(
                &format!("{name}.status"),
                if last.attempt == mail.attempt {
                    &status
                } else {
                    &last.status
                },
            )
            .if_equals(&name, last)
            .if_equals("sequence", &told.sequence)
            .if_is("mailed", submission.mailed.as_ref());
        if status.taken() && !mail.status.taken() {
            // The worker did not know whether SES accepted the mail. The report shows that it did.
            write = write
                .set("notified", &true)
                .set(&format!("{name}.taken"), &true);
            if submission
                .mailed
                .as_ref()
                .is_none_or(|mailed| (mailed.order, mailed.at) < (told.order, reported.taken_at))
            {
                write = write.set("mailed", &told.mailed(reported.taken_at));
            }
        }
        // SES may have accepted a later attempt.
        let is_last = last.attempt == mail.attempt || !last.status.taken();
        let only_one =
            !last.earlier_taken && is_last && other.as_ref().is_none_or(|other| !other.taken);
        if reported.report == Report::Rejected && mail.status.taken() && only_one {
            // SES accepted the mail but did not deliver it, so the person was not notified.
            write = write
                .set("notified", &false)
                .set("mailed", &None::<Mailed>)
                .set(&format!("{name}.taken"), &false);
        }
        Ok(Some(write))
    }

    /// Stores the new status of a mail of which some submissions are gone or have a newer mail, with
    /// the state of the others, all or nothing.
    async fn settle_others(
        &self,
        mail: &Mail,
        record: &Write,
        (to, now): (EmailStatus, Timestamp),
    ) -> Result<(), TableError> {
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            let mut told = mail.told();
            if let Some(decision) = &mail.decision {
                let ids: Vec<Id<Submission>> = told.iter().map(|told| told.submission).collect();
                let there = self.submissions_by_id(decision.application, &ids).await?;
                told.retain(|told| {
                    there
                        .iter()
                        .any(|one| one.id == told.submission && shows(one, mail, told))
                });
            }
            let mut writes = mark_told(mail, told, to, now);
            if writes.is_empty() {
                return self.write(record.clone()).await.map(drop);
            }
            writes.insert(0, record.clone());
            match self.transact(writes).await {
                Err(TableError::Refused(Refusal::Superseded)) => {}
                other => return other,
            }
        }
    }

    /// Returns the changes of submissions whose mail to the person is given up because another mail
    /// is sent about some of its submissions.
    async fn given_up(
        &self,
        stuck: &MailId,
        kept: &[Submission],
        now: Timestamp,
    ) -> Result<Vec<Write>, TableError> {
        let Some(mail) = self.mail(stuck).await? else {
            return Ok(vec![]);
        };
        let (Some(decision), mut told) = (&mail.decision, mail.told()) else {
            return Ok(vec![]);
        };
        told.retain(|told| kept.iter().all(|kept| kept.id != told.submission));
        let ids: Vec<Id<Submission>> = told.iter().map(|told| told.submission).collect();
        let there = self.submissions_by_id(decision.application, &ids).await?;
        told.retain(|told| {
            there
                .iter()
                .any(|one| one.id == told.submission && shows(one, &mail, told))
        });
        Ok(mark_told(&mail, told, EmailStatus::Failed, now))
    }

    /// Stores the new status `to` of a mail. Refused if its status is not `from`. A submission that
    /// no longer exists or has a newer mail is left out.
    pub async fn settle_mail(
        &self,
        mail: &Mail,
        from: EmailStatus,
        to: EmailStatus,
        outcome: &str,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let mut record = Write::update(mail.key())
            .set("status", &to)
            .set("outcome", &Some(outcome))
            .if_equals("status", &from);
        if mail.decision.is_none() && to != EmailStatus::Queued {
            // The text names people, and nobody reads it later. So only the fact that it was sent
            // is kept.
            record = record.set("html", &"").set("text", &"");
        }
        let writes: Vec<Write> = std::iter::once(record.clone())
            .chain(mark(mail, to, now))
            .collect();
        match self.transact(writes).await {
            Err(TableError::Refused(Refusal::Superseded)) => {
                self.settle_others(mail, &record, (to, now)).await
            }
            other => other,
        }
    }
}

/// Returns whether a submission still shows this mail.
fn shows(submission: &Submission, mail: &Mail, told: &ToldDecision) -> bool {
    let state = submission.mail_state(mail.kind);
    submission.sequence == told.sequence && state.is_some_and(|state| state.attempt == mail.attempt)
}

/// Returns the changes of the submissions that belong to a status change of their mail.
fn mark(mail: &Mail, status: EmailStatus, now: Timestamp) -> Vec<Write> {
    mark_told(mail, mail.told(), status, now)
}

/// Like [`mark`], for some of the submissions.
fn mark_told(
    mail: &Mail,
    told: Vec<ToldDecision>,
    status: EmailStatus,
    now: Timestamp,
) -> Vec<Write> {
    let Some(decision) = &mail.decision else {
        return vec![];
    };
    let state = state_of(mail.kind);
    let mark = |told: ToldDecision| {
        let write = Write::update(keys::submission(decision.application, told.submission))
            .set(&format!("{state}.status"), &status)
            .set(&format!("{state}.at"), &now)
            .if_equals(&format!("{state}.attempt"), &mail.attempt)
            .if_equals("sequence", &told.sequence)
            .or(Refusal::Superseded);
        match status {
            EmailStatus::Sent => write
                .set("notified", &true)
                .set("mailed", &told.mailed(now))
                .set(&format!("{state}.taken"), &true),
            // Do not send a decision that has changed since.
            EmailStatus::Sending => write
                .if_equals("status", &told.status)
                .if_equals("reason", &told.reason),
            _ => write,
        }
    };
    told.into_iter().map(mark).collect()
}
