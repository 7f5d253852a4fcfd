//! Submissions: how they are stored and read. `submit.rs` writes them, `decide.rs` decides on them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::db::answer::{AnyItem, Stored};
use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Table, TableError};
use crate::domain::application::model::{Application, Committee};
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::submission::model::{DecisionChange, Submission, Withdrawal};
use crate::domain::tombstones::Gone;
use crate::ids::Id;
use crate::limits;
use crate::time::Timestamp;

impl Entity for Submission {
    const TYPE: &'static str = "Submission";

    fn key(&self) -> Key {
        keys::submission(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        self.person
            .map(|person| keys::own_submission(person, self.id))
    }

    fn time_key(&self) -> Option<Key> {
        Some(keys::submission_by_time(
            self.application,
            self.id,
            self.sequence,
        ))
    }
}

/// A withdrawal has the same key as its submission: it replaces the submission.
impl Entity for Withdrawal {
    const TYPE: &'static str = "Withdrawal";

    fn key(&self) -> Key {
        keys::submission(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        self.person
            .map(|person| keys::own_submission(person, self.id))
    }
}

impl Entity for DecisionChange {
    const TYPE: &'static str = "Change";

    fn key(&self) -> Key {
        keys::history_item(self.application, self.submission, self.id)
    }
}

/// Selects which submissions of an application to read. The result is sorted newest first.
pub struct SubmissionQuery<F> {
    /// A predicate: only submissions for which it returns true.
    pub matches: F,
    /// Only submissions older than this sequence number and id.
    pub before: Option<(u64, u64)>,
    /// The maximum number of submissions; no limit if `None`.
    pub limit: Option<usize>,
    /// Whether to leave out the answers. They are the largest part of a submission in memory.
    pub without_answers: bool,
}

impl<F> SubmissionQuery<F> {
    /// Selects all submissions for which `matches` returns true, with their answers.
    pub fn all(matches: F) -> Self {
        Self {
            matches,
            before: None,
            limit: None,
            without_answers: false,
        }
    }
}

/// What is stored in the place of a submission.
#[derive(Debug, Default)]
pub enum StoredSubmission {
    /// Nothing: the person never submitted.
    #[default]
    Nothing,
    /// A submission.
    Present(Box<Submission>),
    /// What remains of a withdrawn submission.
    Withdrawn(Withdrawal),
    /// What remains of a submission whose application was deleted.
    Gone(Gone),
}

impl StoredSubmission {
    pub(crate) fn of(item: Option<impl AnyItem>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::Nothing);
        };
        Ok(match item.kind() {
            Withdrawal::TYPE => Self::Withdrawn(item.entity()?),
            Gone::TYPE => Self::Gone(item.entity()?),
            _ => Self::Present(Box::new(item.entity()?)),
        })
    }

    /// Returns the order number of the last write; none if nothing is stored.
    pub fn received(&self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::Present(submission) => Some(submission.received),
            Self::Withdrawn(withdrawal) => Some(withdrawal.received),
            Self::Gone(gone) => Some(gone.received),
        }
    }

    /// Returns how often it was submitted.
    pub fn revision(&self) -> u32 {
        match self {
            Self::Nothing | Self::Gone(_) => 0,
            Self::Present(submission) => submission.revision,
            Self::Withdrawn(withdrawal) => withdrawal.revision,
        }
    }

    /// Returns the last revision that was withdrawn; 0 if none was.
    pub fn withdrawn(&self) -> u32 {
        match self {
            Self::Nothing | Self::Gone(_) => 0,
            Self::Present(submission) => submission.withdrawn,
            Self::Withdrawn(withdrawal) => withdrawal.withdrawn,
        }
    }

    /// Returns the last revision that an erasure withdrew; 0 if none did.
    pub fn erased(&self) -> u32 {
        match self {
            Self::Nothing | Self::Gone(_) => 0,
            Self::Present(submission) => submission.erased,
            Self::Withdrawn(withdrawal) => withdrawal.erased,
        }
    }

    /// Returns when submissions were confirmed by mail, also those that were withdrawn.
    pub fn confirmations(&self) -> &[Timestamp] {
        match self {
            Self::Nothing | Self::Gone(_) => &[],
            Self::Present(submission) => &submission.confirmations,
            Self::Withdrawn(withdrawal) => &withdrawal.confirmations,
        }
    }

    /// Returns the order number of the last submission; 0 if there was none.
    pub fn last_submitted(&self) -> u64 {
        match self {
            Self::Nothing | Self::Gone(_) => 0,
            Self::Present(submission) => submission.received,
            Self::Withdrawn(withdrawal) => withdrawal.submitted,
        }
    }
}

/// Page size (items) of a query that stops at the first matching item.
const FIRST_MATCH_PAGE: i32 = 20;
impl Table {
    /// Returns what is stored in the place of a submission: 1 read.
    pub async fn stored_submission(
        &self,
        application: Id<Application>,
        id: Id<Submission>,
    ) -> Result<StoredSubmission, TableError> {
        StoredSubmission::of(self.read(keys::submission(application, id)).await?)
    }

    /// Returns what is stored in these places: 1 batch read per 100.
    pub async fn stored_submissions(
        &self,
        application: Id<Application>,
        ids: impl IntoIterator<Item = Id<Submission>>,
    ) -> Result<HashMap<Id<Submission>, StoredSubmission>, TableError> {
        let ids: Vec<Id<Submission>> = ids.into_iter().collect();
        let wanted = ids.iter().map(|id| keys::submission(application, *id));
        let mut found = self.get_many(wanted.collect()).await?;
        let stored = |id: Id<Submission>| {
            let item = found.take_item(&keys::submission(application, id));
            Ok((id, StoredSubmission::of(item)?))
        };
        ids.into_iter().map(stored).collect()
    }

    /// Returns a submission by its id: 1 read.
    pub async fn submission(
        &self,
        application: Id<Application>,
        id: Id<Submission>,
    ) -> Result<Option<Submission>, TableError> {
        let found = self.read(keys::submission(application, id)).await?;
        found
            .filter(|item| item.kind() == Submission::TYPE)
            .map(AnyItem::entity)
            .transpose()
    }

    /// Returns submissions by their ids; ids that do not exist are skipped: 1 batch read per 100.
    pub async fn submissions_by_id(
        &self,
        application: Id<Application>,
        ids: &[Id<Submission>],
    ) -> Result<Vec<Submission>, TableError> {
        let wanted: Vec<Key> = ids
            .iter()
            .map(|id| keys::submission(application, *id))
            .collect();
        let mut found = self.get_entities(wanted.clone()).await?;
        Ok(wanted.iter().filter_map(|key| found.remove(key)).collect())
    }

    /// Returns submissions of an application, newest first.
    ///
    /// With a limit, only these are read, in the order of the index by time. Without one, the
    /// partitions are read in parallel, page by page. Fails with [`TableError::TooMuch`] if the
    /// submissions are larger than the memory limit.
    pub async fn submissions<F: Fn(&Submission) -> bool>(
        &self,
        application: Id<Application>,
        wanted: SubmissionQuery<F>,
    ) -> Result<Vec<Submission>, TableError> {
        if let Some(limit) = wanted.limit {
            return self.newest_submissions(application, &wanted, limit).await;
        }
        let held = AtomicUsize::new(0);
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut newest: Vec<Submission> = Vec::new();
            self.each_page(
                false,
                keys::submissions(application, part),
                Range::All,
                Fetch::Items,
                |page: Vec<Submission>| {
                    for mut submission in page {
                        if wanted
                            .before
                            .is_none_or(|before| submission.place() < before)
                            && (wanted.matches)(&submission)
                        {
                            if wanted.without_answers {
                                submission.answers.drop_texts();
                            }
                            held.fetch_add(size(&submission), Ordering::Relaxed);
                            newest.push(submission);
                        }
                    }
                    if held.load(Ordering::Relaxed) > limits::MAX_HELD_BYTES {
                        return Err(TableError::TooMuch);
                    }
                    Ok(true)
                },
            )
            .await?;
            Ok::<_, TableError>(newest)
        });
        let mut all: Vec<Submission> = futures::future::try_join_all(parts)
            .await?
            .into_iter()
            .flatten()
            .collect();
        all.sort_by_key(|submission| std::cmp::Reverse(submission.place()));
        Ok(all)
    }

    /// Returns whether an application has submissions: one query per partition, in parallel, with a
    /// few items per page.
    pub async fn has_submissions(&self, application: Id<Application>) -> Result<bool, TableError> {
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut any = false;
            self.each_page(
                false,
                keys::submissions(application, part),
                Range::All,
                Fetch::Pages(FIRST_MATCH_PAGE),
                |page: Vec<Stored>| {
                    any |= page.iter().any(|item| item.kind() == Submission::TYPE);
                    Ok(!any)
                },
            )
            .await?;
            Ok::<_, TableError>(any)
        });
        Ok(futures::future::try_join_all(parts).await?.contains(&true))
    }

    /// Returns the records of the withdrawn submissions of an application.
    pub(crate) async fn withdrawals(
        &self,
        application: Id<Application>,
    ) -> Result<Vec<Withdrawal>, TableError> {
        let parts = (0..keys::SUBMISSION_PARTS)
            .map(|part| self.query(keys::submissions(application, part), Range::All));
        Ok(futures::future::try_join_all(parts)
            .await?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Returns the committees that have submissions.
    pub async fn committees_in_use(
        &self,
        application: Id<Application>,
    ) -> Result<HashSet<Id<Committee>>, TableError> {
        let all = SubmissionQuery {
            without_answers: true,
            ..SubmissionQuery::all(|_: &_| true)
        };
        Ok(self
            .submissions(application, all)
            .await?
            .into_iter()
            .filter_map(|submission| submission.committee)
            .collect())
    }

    /// Returns the changes of a submission's decision, oldest first: 1 query.
    pub async fn changes(
        &self,
        submission: &Submission,
    ) -> Result<Vec<DecisionChange>, TableError> {
        self.query(
            keys::history(submission.application),
            Range::Prefix(keys::history_prefix(submission.id)),
        )
        .await
    }
}

/// Returns the approximate size of a submission in memory, in bytes.
pub(crate) fn size(submission: &Submission) -> usize {
    submission.answers.held() + submission.reason.len() + 1_000
}
