//! What SES reports about mails, and the result of sending them.

use crate::db::{Entity, Refusal, Table, TableError, Write};
use crate::domain::decision::ended::{
    Cancellations, EndedInterview, EndedInterviews, other_writes, with_end,
};
use crate::domain::decision::status_writes::{communicated_writes, shows, state_of};
use crate::domain::mail::owner::owner_writes;
use crate::domain::outbox::model::{CommunicatedDecision, Mail, SUPERSEDED};
use crate::domain::outbox::state::{EmailStatus, MailId, MailKind, Report};
use crate::domain::submission::model::Mailed;
use crate::ids::{Id, of};
use crate::time::{CLOCKS_DIFFER, Timestamp};

/// A report from SES about a mail.
pub struct MailReport<'a> {
    /// The kind of report.
    pub report: Report,
    /// The wording of SES, without personal data. If there was no problem: the SES message id.
    pub outcome: &'a str,
    /// When SES accepted the mail.
    pub taken_at: Timestamp,
    /// When the report is stored.
    pub now: Timestamp,
}

/// The result of an attempt to send a mail.
pub struct MailResult<'a> {
    /// The status before.
    pub from: EmailStatus,
    /// The status as it shall be.
    pub to: EmailStatus,
    /// The message id from SES, or why it is not sent.
    pub outcome: &'a str,
    /// When the result is stored.
    pub now: Timestamp,
}

impl MailResult<'_> {
    fn record(&self, mail: &Mail) -> Write {
        let record = Write::update(mail.key())
            .set("status", &self.to)
            .set("outcome", &Some(self.outcome))
            .if_equals("status", &self.from);
        let is_ended = self.outcome == SUPERSEDED || !mail.keeps_text();
        if is_ended && self.to != EmailStatus::Queued && !mail.kind.is_decision() {
            without_text(record)
        } else {
            record
        }
    }
}

/// A mail that arrived is not sent again. Its text names people, so only the fact that it was sent
/// is kept.
fn without_text(record: Write) -> Write {
    record.set("html", &"").set("text", &"").remove("request")
}

impl Table {
    /// Stores a report from SES about a mail.
    ///
    /// Changes nothing if the mail no longer exists, or if a report of the same or higher rank is
    /// already stored. Reports may come more than once, in any order, and before the worker has
    /// updated the mail. Costs 1 read and 1 write; 2 reads and a transaction if the submission
    /// shows the status; 2 reads and 1 write more if it tells that a rejection arrived (E25).
    ///
    /// If the worker did not know that it told of a rejection, interviews end with the report. If
    /// `cancelled` does not have all of them, they are returned, and nothing is stored: call it
    /// again with the mails that tell of them.
    pub async fn report_mail(
        &self,
        id: &MailId,
        reported: &MailReport<'_>,
        cancelled: &Cancellations,
    ) -> Result<Option<(Mail, Vec<EndedInterview>)>, TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let Some(mail) = self.mail(id).await? else {
                return Ok(None);
            };
            let status = reported.report.status();
            let revokes = mail.kind == MailKind::Rejection && status.taken();
            // It was sent again since, and this is about the attempt before.
            if mail.resent > 0 && reported.taken_at.plus(CLOCKS_DIFFER) < mail.queued_at {
                return Ok(None);
            }
            if mail.report >= Some(reported.report) {
                // The same report again: it may have been interrupted after it was stored.
                if revokes && mail.report == Some(reported.report) {
                    self.revoke_acceptance_late(&mail).await?;
                }
                return Ok(None);
            }
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
            let may_go_again = mail.keeps_text() && status.is_undelivered();
            if !mail.kind.is_decision() && !may_go_again {
                record = without_text(record);
            }
            let mut shown = match &mail.decision {
                Some(_) => vec![],
                None => owner_writes(&mail, status, reported.now),
            };
            if let Some(decision) = mail.decision.as_ref().filter(|_| mail.status != status) {
                // The worker did not know that the mail went out.
                let ended = if status.taken() && !mail.status.taken() {
                    self.interviews_ended_by(&mail, reported.taken_at, reported.now)
                        .await?
                } else {
                    EndedInterviews::default()
                };
                for communicated in mail.communicated() {
                    let application = decision.application;
                    let write = self.shown_report(&mail, application, &communicated, reported);
                    let write = write.await?;
                    shown.extend(
                        write.map(|write| with_end(write, communicated.submission, &ended)),
                    );
                }
                shown.extend(other_writes(&mail, &ended));
                if !cancelled.has_all(&ended.ended) {
                    return Ok(Some((mail, ended.ended)));
                }
                for mail in cancelled.mails_of(&ended.ended) {
                    shown.push(Write::put(mail)?.if_new());
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
                // The worker did not know that the person was told (E25).
                Ok(()) if revokes && !mail.status.taken() => {
                    self.revoke_acceptance_late(&mail).await?;
                    return Ok(None);
                }
                done => return done.map(|()| None),
            }
        }
    }

    /// Returns the change of the submission that belongs to a report. If a later mail of the same
    /// kind exists, the submission does not show the status of this mail. It still records that the
    /// person was notified.
    async fn shown_report(
        &self,
        mail: &Mail,
        application: Id<of::Application>,
        communicated: &CommunicatedDecision,
        reported: &MailReport<'_>,
    ) -> Result<Option<Write>, TableError> {
        let Some(submission) = self
            .submission(application, communicated.submission)
            .await?
        else {
            return Ok(None);
        };
        let other = match mail.kind {
            MailKind::Acceptance => &submission.rejection_mail,
            _ => &submission.acceptance_mail,
        };
        let Some(last) = submission
            .mail_state(mail.kind)
            .filter(|_| submission.sequence == communicated.sequence)
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
            .if_equals("sequence", &communicated.sequence)
            .if_is("mailed", submission.mailed.as_ref());
        if !mail.kind.is_decision() {
            let taken = status.taken() || last.taken;
            return Ok(Some(write.set(&format!("{name}.taken"), &taken)));
        }
        if status.taken() && !mail.status.taken() {
            // The worker did not know whether SES accepted the mail. The report shows that it did.
            write = write
                .set("notified", &true)
                .set(&format!("{name}.taken"), &true);
            if submission.mailed.as_ref().is_none_or(|mailed| {
                (mailed.order, mailed.at) < (communicated.order, reported.taken_at)
            }) {
                write = write.set("mailed", &Mailed::of(communicated, reported.taken_at));
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

    /// Stores the new status `to` of a mail, and the end of interviews that it brought: 1
    /// transaction. Refused if its status is not `from`; refused as [`Refusal::Superseded`] if a
    /// submission no longer exists, has a newer mail, was told something later, or if its interview
    /// has changed.
    pub async fn settle_mail(
        &self,
        mail: &Mail,
        result: &MailResult<'_>,
        ends: &EndedInterviews,
    ) -> Result<(), TableError> {
        let mut writes = vec![result.record(mail)];
        writes.extend(match &mail.decision {
            Some(_) => communicated_writes(
                mail,
                mail.communicated(),
                (result.to, result.now),
                ends,
                |_| true,
            ),
            None => owner_writes(mail, result.to, result.now),
        });
        self.transact(writes).await
    }

    /// Like [`Table::settle_mail`] for the submissions that still show this mail: 1 batch read
    /// more. Also queues the mails about interviews that end.
    pub async fn settle_shown(
        &self,
        mail: &Mail,
        result: &MailResult<'_>,
        mut ends: EndedInterviews,
        mut mails: Vec<Mail>,
    ) -> Result<(), TableError> {
        let (mut communicated, mut later) = (mail.communicated(), vec![]);
        if let Some(decision) = &mail.decision {
            let ids: Vec<Id<of::Submission>> = communicated
                .iter()
                .map(|communicated| communicated.submission)
                .collect();
            let there = self.submissions_by_id(decision.application, &ids).await?;
            let is_shown = |communicated: &CommunicatedDecision| {
                let mut same = there.iter().filter(|one| one.id == communicated.submission);
                same.any(|one| shows(one, mail, communicated))
            };
            let (shown, deleted): (Vec<_>, Vec<_>) = communicated.into_iter().partition(is_shown);
            let is_deleted = |id| deleted.iter().any(|deleted| deleted.submission == id);
            ends.ended.retain(|ended| !is_deleted(ended.submission.id));
            mails.retain(|mail| !is_deleted(Id::new(mail.about)));
            communicated = shown;
            later = there;
        }
        // A worker that was stopped may come after one that sent a later mail.
        let is_last = |communicated: &CommunicatedDecision| {
            let mut same = later.iter().filter(|one| one.id == communicated.submission);
            same.all(|one| {
                one.mailed
                    .as_ref()
                    .is_none_or(|mailed| mailed.order <= communicated.order)
            })
        };
        let mut writes = vec![result.record(mail)];
        writes.extend(match &mail.decision {
            Some(_) => {
                communicated_writes(mail, communicated, (result.to, result.now), &ends, is_last)
            }
            None => owner_writes(mail, result.to, result.now),
        });
        for mail in &mails {
            // If the slot changed meanwhile, this file has the number of that change.
            writes.push(Write::put(mail)?.if_new().or(Refusal::Superseded));
        }
        self.transact(writes).await
    }
}
