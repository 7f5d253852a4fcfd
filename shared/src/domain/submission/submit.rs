//! Writes of the applicant: to submit, to submit again, and to withdraw.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::db;
use crate::db::error::ignore_refusal;
use crate::db::execute::WriteResult;
use crate::db::parts::parts;
use crate::db::read::Range;
use crate::db::response::{AnyItem as _, readable};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write, each};
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::{EmailStatus, MailKind};
use crate::domain::submission::keys;
use crate::domain::submission::model::{Answered, RecentSubmission, Submission, SubmissionAnswers};
use crate::domain::submission::store::{StoredSubmission, Withdrawal};
use crate::domain::{outbox, person};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

impl Entity for RecentSubmission {
    const KIND: Kind = Kind::RecentSubmission;

    fn key(&self) -> Key {
        keys::recent_submission(self.person, self.submission)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// The result of a request to withdraw a submission.
#[derive(Debug, PartialEq, Eq)]
pub enum WithdrawOutcome {
    /// The submission that existed when the request was received no longer exists.
    Done,
    /// The submission changed after it was read: it was decided or mailed, its interview was
    /// booked, moved or cancelled, its slot was changed, or, if the request wants it as it was,
    /// anything else. Nothing was withdrawn.
    Changed,
}

parts! {
    Submission => (SUBMITTED, WITHDRAWN, ERASED) {
        id: (Written, Kept, Kept),
        club: (Written, Removed, Kept),
        application: (Written, Kept, Kept),
        person: (Written, Kept, Written),
        applicant: (Written, Removed, Written),
        committee: (Written, Removed, Kept),
        committee_name: (Written, Removed, Kept),
        answers_at: (Written, Removed, Written),
        answers_hash: (Written, Removed, Written),
        answers: (Written, Removed, Written),
        files: (Written, Removed, Written),
        status: (Once, Removed, Kept),
        decided_revision: (Kept, Removed, Kept),
        rejected_at: (Once, Removed, Kept),
        reason: (Once, Removed, Written),
        sequence: (Once, Removed, Kept),
        received: (Written, Kept, Kept),
        revision: (Written, Kept, Kept),
        withdrawn: (Once, Kept, Kept),
        erased: (Once, Kept, Kept),
        changes: (Once, Kept, Kept),
        last_change: (Once, Kept, Kept),
        reviews: (Once, Removed, Written),
        keys: (Written, Removed, Written),
        confirmations: (Written, Kept, Kept),
        created_at: (Once, Removed, Kept),
        submitted_at: (Written, Removed, Kept),
        updated_at: (Written, Removed, Kept),
        notified: (Once, Removed, Kept),
        acceptance_mail: (Once, Removed, Kept),
        rejection_mail: (Once, Removed, Kept),
        interview_mail: (Once, Removed, Kept),
        mailed: (Once, Removed, Written),
        interview: (Once, Removed, Written),
        calendar_file: (Kept, Kept, Kept),
        undelivered: (Once, Removed, Removed),
    } and {
        TYPE: (Written, Kept, Kept),
        CHANGED_BY: (Kept, Removed, Removed),
        GSI1PK: (Written, Kept, Kept),
        GSI1SK: (Written, Kept, Kept),
        GSI2PK: (Once, Removed, Kept),
        GSI2SK: (Once, Removed, Kept),
    }
}

/// The interview that is cancelled by a withdrawal.
pub struct CancelledInterview {
    /// The number of the next calendar file, also if no mail has it.
    pub file: i64,
    /// The mail that tells the applicant. None if the interview is over, or if they have no
    /// address.
    pub mail: Option<Mail>,
}

impl Submission {
    /// Refuses a write if the decision, or what the applicant was told of it, changed after the
    /// submission was read.
    fn if_as_decided(&self, write: Write) -> Write {
        write
            .if_equals("status", &self.status)
            .if_is("mailed", self.mailed.as_ref())
    }

    /// The number of the last calendar file, when it is withdrawn with this cancellation.
    fn last_calendar_file(&self, cancelled: Option<&CancelledInterview>) -> u32 {
        let noted = self.interview().map(|interview| interview.file);
        let last = cancelled.map(|cancelled| cancelled.file).or(noted);
        let last = last.and_then(|file| u32::try_from(file).ok());
        last.unwrap_or(0).max(self.calendar_file)
    }
}

/// What a withdrawal has to know of a review.
#[derive(Deserialize)]
struct ReviewVersion {
    sequence: u64,
    version: u64,
}

impl Table {
    /// Submits, or submits again: one write of the answers, then one conditional write of the
    /// submission, which names them. With a mail that confirms the submission, the second write is
    /// a transaction.
    ///
    /// Refused if the place is not as it was read (`earlier`). So nothing that was received later
    /// is replaced, and a write that arrives late replaces nothing at all.
    pub async fn submit(
        &self,
        answered: &Answered,
        earlier: &StoredSubmission,
        mail: Option<&Mail>,
    ) -> Result<(), TableError> {
        self.store_submission_answers(&answered.submission_answers())
            .await?;
        let write = Write::update(answered.submission.key())
            .parts(&answered.submission, &SUBMITTED)?
            .remove("submitted")
            .remove("withdrawn_at");
        let write = match earlier.received() {
            None => write.if_new(),
            Some(received) => write.if_equals("received", &received),
        };
        let write = match earlier {
            // The applicant may have been told a decision since then.
            StoredSubmission::Present(read) => read.if_as_decided(write),
            _ => write,
        };
        match mail {
            None => self.write(write).await.map(drop),
            Some(mail) => self.transact(vec![write, Write::put(mail)?.if_new()]).await,
        }
    }

    /// Stores answers. It is no error if this request has stored them before. Refused if the key
    /// has others: two processes may give the same order number to two requests of one
    /// millisecond.
    async fn store_submission_answers(
        &self,
        submission_answers: &SubmissionAnswers,
    ) -> Result<(), TableError> {
        let put = Write::put(submission_answers)?.if_new();
        let WriteResult::Refused(stored) = self.try_write(put).await? else {
            return Ok(());
        };
        let stored = stored.and_then(|stored| stored.entity::<SubmissionAnswers>().ok());
        if stored.is_some_and(|stored| stored.answers == submission_answers.answers) {
            return Ok(());
        }
        Err(TableError::Refused(Refusal::Changed))
    }

    /// Notes that the same answers were submitted again: the order number of the request and its
    /// key, and nothing that anybody sees. Refused if the submission changed after it was read.
    pub async fn submit_same(
        &self,
        submission: &Submission,
        read: &Submission,
    ) -> Result<(), TableError> {
        let write = Write::update(submission.key())
            .set("received", &submission.received)
            .set("keys", &submission.keys)
            .if_equals("received", &read.received);
        self.write(read.if_as_decided(write)).await.map(drop)
    }

    /// Notes for an hour where a person has submitted, because the index may be behind: 1 write.
    /// A write that arrives after the person was erased changes nothing.
    pub async fn note_recent_submission(
        &self,
        recent: &RecentSubmission,
    ) -> Result<(), TableError> {
        let note =
            Write::put(recent)?.if_new_or(|write| write.if_below("received", &recent.received));
        ignore_refusal(self.write(note).await.map(drop))
    }

    /// Returns where a person has submitted within the last hour: 1 query.
    pub(crate) async fn recent_submissions(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<RecentSubmission>, TableError> {
        let range = Range::Prefix(keys::RECENT_SUBMISSIONS.into());
        self.query(person::keys::own(person), range).await
    }

    pub(crate) async fn recent_submission(
        &self,
        person: Id<of::Person>,
        id: Id<of::Submission>,
    ) -> Result<Option<RecentSubmission>, TableError> {
        let found = self.read(keys::recent_submission(person, id)).await?;
        Ok(readable(found).pop())
    }

    /// Withdraws the submission that this request has just stored, and deletes its confirmation if
    /// that is not being sent. If somebody else changed the submission in the meantime, it stays.
    pub async fn take_back(
        &self,
        submission: &Submission,
        at: Timestamp,
    ) -> Result<(), TableError> {
        let confirmation = outbox::keys::outbox(
            submission.id.get(),
            submission.sequence,
            MailKind::Confirmation,
            submission.revision,
        );
        let mail = Write::delete(confirmation).if_equals("status", &EmailStatus::Queued);
        ignore_refusal(self.write(mail).await)?;
        let when = RequestTime {
            received: submission.received + 1,
            at,
        };
        self.withdraw_as("withdrawn", submission, when, true, None)
            .await
            .map(drop)
    }

    /// Withdraws a submission that was received before this request, of the time `when`, with its
    /// decision. A submission that was received later stays, and so does one whose decision or
    /// interview changed after it was read, and with `only_as_read` one of which anything did. If
    /// an interview is booked, its place is given back in the same write, with the mail of
    /// `cancelled`.
    pub async fn withdraw(
        &self,
        submission: &Submission,
        when: RequestTime,
        only_as_read: bool,
        cancelled: Option<&CancelledInterview>,
    ) -> Result<WithdrawOutcome, TableError> {
        self.withdraw_as("withdrawn", submission, when, only_as_read, cancelled)
            .await
    }

    /// Like [`Table::withdraw`]. `field` is the attribute that remembers the revision.
    pub(crate) async fn withdraw_as(
        &self,
        field: &str,
        submission: &Submission,
        RequestTime { received, at }: RequestTime,
        only_as_read: bool,
        cancelled: Option<&CancelledInterview>,
    ) -> Result<WithdrawOutcome, TableError> {
        let write = Write::update(submission.key())
            .parts(submission, &WITHDRAWN)?
            .set(db::keys::TYPE, &Withdrawal::TYPE)
            .set("received", &received)
            .set_from("submitted", "received")
            .set_from(field, "revision")
            .set("withdrawn_at", &at)
            .if_is("interview", submission.interview.as_ref())
            .if_below("received", &received);
        let write = submission.if_as_decided(write);
        let write = if only_as_read {
            write.if_equals("received", &submission.received)
        } else {
            write
        };
        let write = match submission.last_calendar_file(cancelled) {
            0 => write,
            last => write.set("calendar_file", &last),
        };
        let cancellation = cancelled.and_then(|cancelled| cancelled.mail.as_ref());
        if self
            .write_withdrawal(write, submission, cancellation)
            .await?
        {
            let when = RequestTime { received, at };
            let key = (submission.application, submission.id);
            self.finish_withdrawal(key, submission.person, when).await?;
            return Ok(WithdrawOutcome::Done);
        }
        let stored = self.submission(submission.application, submission.id);
        let Some(stored) = stored.await? else {
            return Ok(WithdrawOutcome::Done);
        };
        let is_later = stored.received >= received;
        Ok(if is_later && !only_as_read {
            WithdrawOutcome::Done
        } else {
            WithdrawOutcome::Changed
        })
    }

    /// Writes a withdrawal, and gives back the place in a slot that is booked. Returns whether it
    /// was not refused.
    async fn write_withdrawal(
        &self,
        write: Write,
        submission: &Submission,
        cancellation: Option<&Mail>,
    ) -> Result<bool, TableError> {
        if submission.booked().is_none() {
            let written = self.try_write(write).await?;
            return Ok(!matches!(written, WriteResult::Refused(_)));
        }
        let mut writes = vec![write];
        writes.extend(Submission::release_bookings([submission]));
        if let Some(mail) = cancellation {
            writes.push(Write::put(mail)?.if_new());
        }
        match self.transact(writes).await {
            Err(TableError::Refused(_)) => Ok(false),
            done => done.map(|()| true),
        }
    }

    /// The write that takes everything personal out of a submission. It changes nothing if the
    /// submission no longer exists.
    pub(crate) fn anonymous(submission: &Submission) -> Result<Write, TableError> {
        let anonymous = Submission {
            person: None,
            applicant: None,
            answers_at: 0,
            answers_hash: String::new(),
            answers: None,
            files: vec![],
            reason: String::new(),
            mailed: None,
            interview: None,
            reviews: BTreeMap::new(),
            // They have a hash of what was answered.
            keys: vec![],
            ..submission.clone()
        };
        let write = Write::update(submission.key()).parts(&anonymous, &ERASED)?;
        let write = write.if_is("interview", submission.interview.as_ref());
        // A decision that was taken back makes it pending: then it is withdrawn.
        Ok(write.if_equals("status", &submission.status))
    }

    /// Removes what a withdrawal leaves behind if its process dies. Safe to repeat.
    pub async fn withdraw_again(&self, withdrawal: &Withdrawal) -> Result<(), TableError> {
        let when = RequestTime {
            received: withdrawal.received,
            at: withdrawal.withdrawn_at,
        };
        let key = (withdrawal.application, withdrawal.id);
        self.finish_withdrawal(key, withdrawal.person, when).await
    }

    /// Deletes the reviews of a submission that was withdrawn or erased: 1 query. Those of one that
    /// was made later, with the order number `end` or a larger one, stay.
    pub(crate) async fn delete_reviews(
        &self,
        application: Id<of::Application>,
        submission: Id<of::Submission>,
        end: u64,
    ) -> Result<(), TableError> {
        let (pk, prefix) = keys::reviews_of(application, submission);
        let found = self.items(pk, Range::Prefix(prefix)).await?;
        let pending = found.into_iter().filter_map(|item| {
            let review: ReviewVersion = item.read().ok()?;
            (review.sequence < end).then(|| (item.key(), review.version))
        });
        each(pending, async |(key, version)| {
            let delete = Write::delete(key).if_equals("version", &version);
            ignore_refusal(self.write(delete).await)
        })
        .await
    }

    /// Removes the reviews, and the answers that were sent before the withdrawal with their files.
    async fn finish_withdrawal(
        &self,
        (application, id): (Id<of::Application>, Id<of::Submission>),
        person: Option<Id<of::Person>>,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let reviews = self.delete_reviews(application, id, when.received);
        let answers = async {
            let attachments = self.delete_answers(application, id, when).await?;
            match person {
                Some(person) => self.release_uploads(person, &attachments, when.at).await,
                None => Ok(()),
            }
        };
        futures::try_join!(reviews, answers)
            .map(drop)
            .map_err(TableError::after_write)
    }
}
