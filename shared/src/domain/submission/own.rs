//! The submissions of one person (S10). The index may be behind, so what was submitted within the
//! last hour is also found by the recent submissions that were noted.

use crate::db::Key;
use crate::domain::application;
use crate::domain::person;
use crate::domain::submission::keys;
use std::collections::BTreeSet;

use crate::db::error::check_memory_budget;
use crate::db::read::{MAX_BATCH_KEYS, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity as _, Table, TableError};
use crate::domain::submission::model::{Answered, Submission};
use crate::domain::submission::store::StoredSubmission;
use crate::domain::submission::withdrawal::Withdrawal;
use crate::ids::{Id, of};
use crate::limits;
use crate::text::ClubCode;

impl Table {
    /// Returns whether a person has applied to a club: 1 query of the index, then 1 batch read per
    /// 100 applications of theirs.
    pub async fn has_applied(
        &self,
        person: Id<of::Person>,
        club: &ClubCode,
    ) -> Result<bool, TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let applications: BTreeSet<Id<of::Application>> = entries
            .iter()
            .filter_map(|entry| keys::application_of_submission(&entry.key()))
            .collect();
        let requested = applications
            .iter()
            .map(|id| application::keys::application(club, *id));
        Ok(!self.get_many(requested.collect()).await?.is_empty())
    }

    /// Returns a person's own submissions with their answers, newest first, as
    /// [`Table::applied_of`] finds them: 1 batch read per 100 more.
    ///
    /// Fails with [`TableError::TooMuch`] if they are larger than the memory limit.
    pub async fn submissions_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<Answered>, TableError> {
        let (own, _) = self.applied_of(person).await?;
        self.answered(own).await
    }

    /// Returns a person's own submissions, newest first, and what remains of the withdrawn ones: 1
    /// query of the index, 1 query of the person's partition, and 1 batch read per 100.
    pub async fn applied_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<(Vec<Submission>, Vec<Withdrawal>), TableError> {
        let requested = self.own_keys(person).await?;
        self.own_summaries(person, requested).await
    }

    /// Returns a person's own submissions to one application, newest first: 1 query of the index, 1
    /// query of the person's partition, and 1 batch read if there are any.
    pub async fn submitted_to(
        &self,
        person: Id<of::Person>,
        application: Id<of::Application>,
    ) -> Result<Vec<Submission>, TableError> {
        let mut requested = self.own_keys(person).await?;
        requested.retain(|key| keys::application_of_submission(key) == Some(application));
        let (own, _) = self.own_summaries(person, requested).await?;
        Ok(own)
    }

    /// The keys of a person's submissions, also of withdrawn ones.
    async fn own_keys(&self, person: Id<of::Person>) -> Result<Vec<Key>, TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let (entries, one) = futures::try_join!(
            self.index_entries(person::keys::own(person), range),
            self.recent_submissions(person)
        )?;
        let one = one
            .iter()
            .map(|one| keys::submission(one.application, one.submission));
        let keys: BTreeSet<Key> = entries.iter().map(Stored::key).chain(one).collect();
        Ok(keys.into_iter().collect())
    }

    async fn own_summaries(
        &self,
        person: Id<of::Person>,
        requested: Vec<Key>,
    ) -> Result<(Vec<Submission>, Vec<Withdrawal>), TableError> {
        let (mut own, mut withdrawn): (Vec<Submission>, Vec<Withdrawal>) = (vec![], vec![]);
        for batch in requested.chunks(MAX_BATCH_KEYS) {
            let found = self.get_many(batch.to_vec()).await?.into_items();
            let (deleted, found): (Vec<Stored>, Vec<Stored>) = found
                .into_iter()
                .partition(|item| item.kind() == Withdrawal::TYPE);
            withdrawn.extend(readable::<Withdrawal>(deleted));
            let mut found: Vec<Submission> = readable(found);
            found.retain(|submission| submission.person == Some(person));
            own.extend(found);
            check_memory_budget(own.iter().map(Submission::memory_used).sum())?;
        }
        own.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        withdrawn.retain(|withdrawal| withdrawal.person == Some(person));
        Ok((own, withdrawn))
    }

    /// Returns what is stored at the key of one of a person's own submissions: 1 query of the
    /// index and 1 batch read. If the index does not know it, 2 reads.
    pub async fn own_submission(
        &self,
        person: Id<of::Person>,
        id: Id<of::Submission>,
    ) -> Result<StoredSubmission, TableError> {
        let Key { pk, sk } = keys::own_submission(person, id);
        if let Some(item) = self.index_items(pk, Range::Prefix(sk)).await?.pop() {
            return StoredSubmission::of(Some(item));
        }
        let Some(one) = self.recent_submission(person, id).await? else {
            return Ok(StoredSubmission::Nothing);
        };
        let stored = self.stored_submission(one.application, id).await?;
        let is_own = match &stored {
            StoredSubmission::Present(submission) => submission.person == Some(person),
            StoredSubmission::Withdrawn(withdrawal) => withdrawal.person == Some(person),
            StoredSubmission::Deleted(_) | StoredSubmission::Nothing => false,
        };
        Ok(if is_own {
            stored
        } else {
            StoredSubmission::Nothing
        })
    }

    /// Returns how many submissions a person has, and how many with withdrawn ones beside: 1
    /// query of the index. With more than half of what is allowed, also 1 query of the person's
    /// partition, for submissions that the index does not have yet.
    pub async fn count_submissions(
        &self,
        person: Id<of::Person>,
    ) -> Result<(usize, usize), TableError> {
        let range = Range::Prefix(keys::OWN_SUBMISSIONS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let is_there = |entry: &&Stored| entry.kind() == Submission::TYPE;
        let (submissions, one) = (entries.iter().filter(is_there).count(), entries.len());
        if submissions < limits::SUBMISSIONS / 2 && one < limits::SUBMISSIONS_WITH_WITHDRAWN / 2 {
            return Ok((submissions, one));
        }
        let indexed: BTreeSet<Key> = entries.iter().map(Stored::key).collect();
        let noted = self.recent_submissions(person).await?;
        let new = noted
            .iter()
            .map(|one| keys::submission(one.application, one.submission))
            .filter(|key| !indexed.contains(key))
            .count();
        Ok((submissions + new, one + new))
    }
}
