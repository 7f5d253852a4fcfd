//! The erasure of a person (P14, P15, P17).

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::error::ignore_refusal;
use crate::db::{Entity, Table, TableError, Write, each};
use crate::domain::application::model::Application;
use crate::domain::bookmark::store::{Bookmark, Bookmarks};
use crate::domain::club::model::Club;
use crate::domain::file::model::Upload;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::notice::model::ScheduledTask;
use crate::domain::person::model::Person;
use crate::domain::personal_data::PersonalData;
use crate::domain::submission::model::{Status, Submission};
use crate::domain::submission::submit::WithdrawOutcome;
use crate::domain::submission::withdrawal::Withdrawal;
use crate::ids::{Id, order_number};
use crate::time::{Clock, RequestTime};

/// Why a person cannot be erased: these clubs would have no owner.
#[derive(Debug, Clone)]
pub struct OnlyOwner(pub Vec<Club>);

/// The pause between the two passes of an erasure. Writes that were running when the erasure began
/// can finish in this time.
const PAUSE_BEFORE_LAST_LOOK: Duration = Duration::from_secs(1);

/// Returns the last order number of the millisecond of `now`.
fn last_of(now: DateTime<Utc>) -> u64 {
    order_number(now + TimeDelta::milliseconds(1)) - 1
}

impl Table {
    /// Erases a person. Deletes memberships, requests, drafts, extensions, invites, mails,
    /// favorites, subscriptions, idempotency records, and the profile. Pending
    /// submissions are withdrawn. Decided submissions lose everything except their status.
    ///
    /// The profile is marked first, so that no more data of the person is stored. It is deleted
    /// last, so that an interrupted erasure can be repeated. In between there are two passes, with
    /// a pause. The second pass finds writes that were running when the erasure began, and items
    /// that the index did not show yet.
    ///
    /// Refused while the person is the only owner of a club that is not archived.
    pub async fn erase(
        &self,
        person: &Person,
        when: RequestTime,
        clock: &dyn Clock,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let owned = self.owned_clubs(person.id).await?;
        let clubs = self.clubs(&owned).await?;
        let alone: Vec<Club> = clubs
            .into_values()
            .filter(|club| club.owners <= 1 && !club.archived)
            .collect();
        if !alone.is_empty() {
            if person.erasing {
                // An earlier erasure was interrupted, and the other owners have left since then.
                self.flag_erasing(person, false).await?;
            }
            return Ok(Err(OnlyOwner(alone)));
        }
        match self.flag_erasing(person, true).await {
            Err(TableError::Refused(_)) => return Ok(Ok(())),
            done => done?,
        }
        self.erase_flagged(person, when, clock)
            .await
            .map_err(TableError::after_write)
    }

    /// Continues the erasure after the profile is marked.
    async fn erase_flagged(
        &self,
        person: &Person,
        when: RequestTime,
        clock: &dyn Clock,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let mut until = when.received;
        for last_look in [false, true] {
            until = until.max(last_of(clock.now()));
            let all = self.personal_data(person).await?;
            // Only now: what was read before is of this profile, and not of one that came back.
            if !self.is_being_erased(person).await? {
                return Ok(Ok(()));
            }
            let erased = self.erase_personal_data(person, all, (when, until), last_look);
            if let Err(refusal) = erased.await? {
                self.flag_erasing(person, false).await?;
                return Ok(Err(refusal));
            }
            if !last_look {
                tokio::time::sleep(PAUSE_BEFORE_LAST_LOOK).await;
                self.wait_for_index(person.id, when.at).await?;
            }
        }
        self.remove_own_attachments(person.id, until, when).await?;
        self.end_tokens(person.id, until).await?;
        self.delete_person(person).await?;
        Ok(Ok(()))
    }

    /// Erases what was read. If this process was slow, another one may have finished the erasure,
    /// and the person may have come back: what was received after `until` is theirs and stays. Only
    /// their idempotency records, the entries of where they hold interviews, and the notes of where
    /// they submitted in the last hour may be lost then.
    async fn erase_personal_data(
        &self,
        person: &Person,
        all: PersonalData,
        (when, until): (RequestTime, u64),
        last_look: bool,
    ) -> Result<Result<(), OnlyOwner>, TableError> {
        let applied_to = all.applied_to();
        // Clubs that the person owns come first. If another owner leaves at the same moment, the
        // refusal happens here.
        let mut memberships = all.memberships;
        memberships.sort_by_key(|membership| membership.role);
        for membership in memberships {
            if let Err(refusal) = self.leave(membership).await? {
                return Ok(Err(refusal));
            }
        }
        each(all.submissions.clone(), |submission| {
            self.erase_submission(submission, when, until)
        })
        .await?;
        let noted = all.recent.iter();
        let noted = noted.map(|recent| (recent.application, recent.submission));
        let submitted = all.submissions.iter().map(|one| (one.application, one.id));
        let withdrawn = all.withdrawals.iter().map(|one| (one.application, one.id));
        let submitted_keys = submitted.chain(withdrawn).chain(noted).collect();
        self.erase_answers(submitted_keys, &all.uploads, (when, until))
            .await?;
        // The same keys may be used again, so each item is deleted only if it is unchanged.
        each(all.requests, async |request| {
            ignore_refusal(self.delete_request(&request).await)
        })
        .await?;
        each(all.extensions, async |extension| {
            ignore_refusal(self.erase_extension(&extension).await)
        })
        .await?;
        self.erase_withdrawn(&all.withdrawals, until).await?;
        self.forget_begun(person.id, applied_to, until).await?;
        self.delete_draft(all.drafts, when).await?;
        each(all.reviews, async |review| {
            self.anonymise_review(&review).await
        })
        .await?;
        for used in &all.link_uses {
            self.forget_link_use(used).await?;
        }
        let recent = |id| keys::recent_submission(person.id, id);
        let submitted = all.submissions.iter().map(|submission| submission.id);
        let withdrawn = all.withdrawals.iter().map(|withdrawal| withdrawal.id);
        let noted = all.recent.iter().map(|recent| recent.submission);
        let submitted_keys: HashSet<Key> = submitted
            .chain(withdrawn)
            .chain(noted)
            .map(recent)
            .collect();
        self.delete_with_tombstone(submitted_keys.into_iter().collect(), when)
            .await?;
        each(all.invites, async |invite| {
            ignore_refusal(self.delete_invite(&invite).await)
        })
        .await?;
        let mails = all.mails.iter().map(Entity::key).chain(all.mail_keys);
        self.delete_many(mails.collect()).await?;
        self.forget_interviews(person.id, until).await?;
        let Bookmarks {
            favorites,
            subscriptions,
        } = all.bookmarks;
        each(favorites, |favorite| self.lose(favorite)).await?;
        each(subscriptions, |subscription| self.lose(subscription)).await?;
        self.forget_idempotency(person.id).await?;
        if last_look {
            self.unlist(&all.submissions, &all.withdrawals, until)
                .await?;
        }
        Ok(Ok(()))
    }

    /// Removes all answers of the person, also those whose submission was never stored, and all
    /// files: from the bucket, and then from the table.
    async fn erase_answers(
        &self,
        submitted_keys: HashSet<(Id<Application>, Id<Submission>)>,
        uploads: &[Upload],
        (when, until): (RequestTime, u64),
    ) -> Result<(), TableError> {
        let last = RequestTime {
            received: until + 1,
            ..when
        };
        each(submitted_keys, async |(application, id)| {
            self.delete_answers(application, id, last).await.map(drop)
        })
        .await?;
        if uploads.is_empty() {
            return Ok(());
        }
        let objects: Vec<String> = uploads.iter().map(Upload::object).collect();
        self.files().store()?.delete(&objects).await?;
        // A form that was signed before takes the bytes for some minutes more, and as long as they
        // need.
        let late = when.at.plus(Upload::ARRIVED_WITHIN);
        let again: Vec<ScheduledTask> = uploads
            .iter()
            .map(|one| one.task_at(late, when.at))
            .collect();
        each(again, async |task| {
            self.write(Write::put(&task)?).await.map(drop)
        })
        .await?;
        // The places are used again by whoever comes back.
        each(uploads.to_vec(), async |upload| {
            self.end_upload(&upload, when).await
        })
        .await
    }

    async fn lose<I: Bookmark>(&self, bookmark: I) -> Result<(), TableError> {
        ignore_refusal(self.erase_bookmark(&bookmark).await)
    }

    /// Removes the index keys of submissions. Until now the index listed them under the person.
    async fn unlist(
        &self,
        submissions: &[Submission],
        withdrawals: &[Withdrawal],
        until: u64,
    ) -> Result<(), TableError> {
        let unlisted = |key| {
            Write::update(key)
                .set("person", &None::<u64>)
                .remove(keys::GSI1PK)
                .remove(keys::GSI1SK)
                .if_exists()
                // A withdrawal by an erasure has the number after that of its submission.
                .if_at_most("received", &(until + 1))
        };
        let withdrawn = withdrawals.iter().map(Entity::key);
        let all = submissions.iter().map(Entity::key).chain(withdrawn);
        // A plain write could arrive late. The token of a transaction prevents that.
        let lost = all.map(|key| self.transact(vec![unlisted(key)]));
        let mut done = futures::future::join_all(lost).await.into_iter();
        done.try_for_each(ignore_refusal)
    }

    /// Withdraws a submission, or takes everything personal out of it. An interview is cancelled
    /// without a mail. Returns false if the submission changed after it was read.
    async fn erase_once(
        &self,
        submission: &Submission,
        when: &mut RequestTime,
    ) -> Result<bool, TableError> {
        // Withdraws the latest version too: the person can no longer submit.
        when.received = when.received.max(submission.received + 1);
        if submission.status == Status::Pending {
            let withdrawn = self.withdraw_as("erased", submission, *when, false, None);
            return Ok(withdrawn.await? == WithdrawOutcome::Done);
        }
        let anonymous = Self::anonymous(submission)?;
        let done = if submission.booked().is_none() {
            self.write(anonymous).await.map(drop)
        } else {
            let mut writes = Submission::release_bookings([submission]);
            writes.push(anonymous);
            self.transact(writes).await
        };
        match done {
            Err(TableError::Refused(_)) => Ok(false),
            done => done.map(|()| true),
        }
    }

    async fn erase_submission(
        &self,
        mut submission: Submission,
        mut when: RequestTime,
        until: u64,
    ) -> Result<(), TableError> {
        let mut retries = self.retries();
        // An officer may book, move or cancel the interview at the same moment.
        while !self.erase_once(&submission, &mut when).await? {
            retries.next().await?;
            let (application, id) = (submission.application, submission.id);
            match self.submission(application, id).await? {
                Some(current) if current.received <= until => submission = current,
                _ => break,
            }
        }
        self.erase_judgements(submission.application, submission.id, until)
            .await
    }

    /// Removes what officers wrote about withdrawn submissions. A review may have been left by a
    /// withdrawal that was interrupted, and the history of decisions stays after each withdrawal.
    async fn erase_withdrawn(
        &self,
        withdrawals: &[Withdrawal],
        until: u64,
    ) -> Result<(), TableError> {
        let withdrawn = withdrawals.iter().map(|one| (one.application, one.id));
        each(withdrawn.collect::<Vec<_>>(), |(application, id)| {
            self.erase_judgements(application, id, until)
        })
        .await
    }

    /// Removes what officers wrote about a submission until then: reviews, and reasons in the
    /// history.
    async fn erase_judgements(
        &self,
        application: Id<Application>,
        submission: Id<Submission>,
        until: u64,
    ) -> Result<(), TableError> {
        self.delete_reviews(application, submission, until + 1)
            .await?;
        self.forget_reasons(application, submission, until).await
    }
}
