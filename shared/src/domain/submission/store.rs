//! Submissions: how they are stored and read. `submit.rs` writes them, `decide.rs` decides on them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::db::error::check_memory_budget;
use crate::db::read::{Fetch, Range};
use crate::db::response::{AnyItem, Stored};
use crate::db::{Entity, Key, Table, TableError, Tombstone};
use crate::domain::submission::answers::Answers;
use crate::domain::submission::keys;
use crate::domain::submission::model::{Answered, Submission, SubmissionAnswers, is_zero};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for Submission {
    const KIND: Kind = Kind::Submission;

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

/// The key by which submissions are sorted. Lower ones come first.
pub type SortKey<'a> = dyn Fn(&Submission) -> Vec<u64> + Sync + 'a;

/// Which submissions of an application to read, and in which order.
pub struct SubmissionQuery<'a> {
    /// Only submissions for which it returns true.
    pub matches: &'a (dyn Fn(&Submission) -> bool + Sync),
    /// Only submissions older than this sequence number and id.
    pub before: Option<(u64, u64)>,
    /// The maximum number of submissions; no limit if `None`.
    pub limit: Option<usize>,
    /// The order, if the newest is not the first.
    pub order: Option<&'a SortKey<'a>>,
}

impl SubmissionQuery<'_> {
    /// Selects all submissions, the newest first.
    pub const ALL: Self = Self {
        matches: &|_| true,
        before: None,
        limit: None,
        order: None,
    };
}

/// The submissions that a query found.
#[derive(Debug)]
pub struct FoundSubmissions {
    /// Those that match, in their order.
    pub submissions: Vec<Submission>,
    /// How many were looked at.
    pub examined: usize,
}

/// What is stored at the key of a submission.
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
    Deleted(Tombstone),
}

impl StoredSubmission {
    pub(crate) fn of(item: Option<impl AnyItem>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::Nothing);
        };
        Ok(match item.kind() {
            Withdrawal::TYPE => Self::Withdrawn(item.entity()?),
            Tombstone::TYPE => Self::Deleted(item.entity()?),
            _ => Self::Present(Box::new(item.entity()?)),
        })
    }

    /// Returns the order number of the last write; none if nothing is stored.
    pub fn received(&self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::Present(submission) => Some(submission.received),
            Self::Withdrawn(withdrawal) => Some(withdrawal.received),
            Self::Deleted(deleted) => Some(deleted.received),
        }
    }

    /// Returns how often it was submitted.
    pub fn revision(&self) -> u32 {
        match self {
            Self::Nothing | Self::Deleted(_) => 0,
            Self::Present(submission) => submission.revision,
            Self::Withdrawn(withdrawal) => withdrawal.revision,
        }
    }

    /// Returns the last revision that was withdrawn; 0 if none was.
    pub fn withdrawn(&self) -> u32 {
        match self {
            Self::Nothing | Self::Deleted(_) => 0,
            Self::Present(submission) => submission.withdrawn,
            Self::Withdrawn(withdrawal) => withdrawal.withdrawn,
        }
    }

    /// Returns the last revision that an erasure withdrew; 0 if none did.
    pub fn erased(&self) -> u32 {
        match self {
            Self::Nothing | Self::Deleted(_) => 0,
            Self::Present(submission) => submission.erased,
            Self::Withdrawn(withdrawal) => withdrawal.erased,
        }
    }

    /// Returns when submissions were confirmed by mail, also those that were withdrawn.
    pub fn confirmations(&self) -> &[Timestamp] {
        match self {
            Self::Nothing | Self::Deleted(_) => &[],
            Self::Present(submission) => &submission.confirmations,
            Self::Withdrawn(withdrawal) => &withdrawal.confirmations,
        }
    }

    /// Returns the order number of the last submission; 0 if there was none.
    pub fn last_submitted(&self) -> u64 {
        match self {
            Self::Nothing | Self::Deleted(_) => 0,
            Self::Present(submission) => submission.received,
            Self::Withdrawn(withdrawal) => withdrawal.submitted,
        }
    }
}

/// Page size (items) of a query that stops at the first matching item.
const FIRST_MATCH_PAGE: i32 = 20;
impl Table {
    /// Returns what is stored at the key of a submission: 1 read.
    pub async fn stored_submission(
        &self,
        application: Id<of::Application>,
        id: Id<of::Submission>,
    ) -> Result<StoredSubmission, TableError> {
        StoredSubmission::of(self.read(keys::submission(application, id)).await?)
    }

    /// Returns the answers of what is stored at the key of a submission, if there is one: 1 read.
    pub async fn answers_of(
        &self,
        stored: &StoredSubmission,
    ) -> Result<Option<Answers>, TableError> {
        let StoredSubmission::Present(submission) = stored else {
            return Ok(None);
        };
        let found = self.answered(vec![Submission::clone(submission)]).await?;
        Ok(found.into_iter().next().map(|found| found.answers))
    }

    /// Like [`Table::load`], for submissions with their answers.
    pub async fn load_answered(&self, all: &[Answered]) -> Result<(), TableError> {
        let submission_answers: Vec<SubmissionAnswers> =
            all.iter().map(Answered::submission_answers).collect();
        self.load(&submission_answers).await?;
        let submissions: Vec<Submission> = all.iter().map(|one| one.submission.clone()).collect();
        self.load(&submissions).await
    }

    /// Returns what is stored at these keys: 1 batch read per 100.
    pub async fn stored_submissions(
        &self,
        application: Id<of::Application>,
        ids: impl IntoIterator<Item = Id<of::Submission>>,
    ) -> Result<HashMap<Id<of::Submission>, StoredSubmission>, TableError> {
        let ids: Vec<Id<of::Submission>> = ids.into_iter().collect();
        let requested = ids.iter().map(|id| keys::submission(application, *id));
        let mut found = self.get_many(requested.collect()).await?;
        let stored = |id: Id<of::Submission>| {
            let item = found.take_item(&keys::submission(application, id));
            Ok((id, StoredSubmission::of(item)?))
        };
        ids.into_iter().map(stored).collect()
    }

    /// Returns a submission by its id: 1 read.
    pub async fn submission(
        &self,
        application: Id<of::Application>,
        id: Id<of::Submission>,
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
        application: Id<of::Application>,
        ids: &[Id<of::Submission>],
    ) -> Result<Vec<Submission>, TableError> {
        let requested: Vec<Key> = ids
            .iter()
            .map(|id| keys::submission(application, *id))
            .collect();
        let mut found = self.get_entities(requested.clone()).await?;
        Ok(requested
            .iter()
            .filter_map(|key| found.remove(key))
            .collect())
    }

    /// Returns submissions of an application, without their answers.
    ///
    /// The newest ones, with a limit, are read in the order of the index by time, unless too few of
    /// them match. In all other cases the partitions are read in parallel, page by page, and no
    /// more than a few times the limit is held. Without a limit, it fails with
    /// [`TableError::TooMuch`] if the submissions are larger than the memory limit.
    pub async fn submissions(
        &self,
        application: Id<of::Application>,
        requested: &SubmissionQuery<'_>,
    ) -> Result<FoundSubmissions, TableError> {
        match (requested.limit, requested.order) {
            (Some(limit), None) => self.newest_submissions(application, requested, limit).await,
            _ => self.best_submissions(application, requested).await,
        }
    }

    /// Reads all submissions of an application, and returns the first ones in the order.
    pub(crate) async fn best_submissions(
        &self,
        application: Id<of::Application>,
        requested: &SubmissionQuery<'_>,
    ) -> Result<FoundSubmissions, TableError> {
        let (memory_used, examined) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let sort = |found: &mut Vec<Submission>| {
            match requested.order {
                Some(sort_key) => found.sort_by_cached_key(sort_key),
                None => found.sort_by_key(|one| std::cmp::Reverse(one.sort_key())),
            }
            found.truncate(requested.limit.unwrap_or(usize::MAX));
        };
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut found: Vec<Submission> = Vec::new();
            let pk = keys::submissions(application, part);
            self.each_page(
                false,
                pk,
                Range::All,
                Fetch::Items,
                |page: Vec<Submission>| {
                    examined.fetch_add(page.len(), Ordering::Relaxed);
                    let matches = |one: &Submission| {
                        requested
                            .before
                            .is_none_or(|before| one.sort_key() < before)
                            && (requested.matches)(one)
                    };
                    found.extend(page.into_iter().filter(matches));
                    if requested.limit.is_some() {
                        sort(&mut found);
                        return Ok(true);
                    }
                    let more: usize = found.iter().map(Submission::memory_used).sum();
                    check_memory_budget(memory_used.load(Ordering::Relaxed) + more).map(|()| true)
                },
            )
            .await?;
            memory_used.fetch_add(
                found.iter().map(Submission::memory_used).sum(),
                Ordering::Relaxed,
            );
            Ok::<_, TableError>(found)
        });
        let found = futures::future::try_join_all(parts).await?;
        let mut submissions: Vec<Submission> = found.into_iter().flatten().collect();
        sort(&mut submissions);
        Ok(FoundSubmissions {
            submissions,
            examined: examined.into_inner(),
        })
    }

    /// Returns whether an application has submissions: one query per partition, in parallel, with a
    /// few items per page.
    pub async fn has_submissions(
        &self,
        application: Id<of::Application>,
    ) -> Result<bool, TableError> {
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
        application: Id<of::Application>,
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
        application: Id<of::Application>,
    ) -> Result<HashSet<Id<of::Committee>>, TableError> {
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut used = HashSet::new();
            let take = |page: Vec<Submission>| {
                used.extend(page.into_iter().filter_map(|one| one.committee));
                Ok(true)
            };
            let pk = keys::submissions(application, part);
            self.each_page(false, pk, Range::All, Fetch::Items, take)
                .await?;
            Ok::<_, TableError>(used)
        });
        let used = futures::future::try_join_all(parts).await?;
        Ok(used.into_iter().flatten().collect())
    }
}

/// What remains of a withdrawn submission, at the same key. It prevents late repeats of older
/// requests from storing the submission again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Id of the submission.
    pub id: Id<of::Submission>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the user; none after erasure. An erasure finds what belongs to it, such as reviews.
    #[serde(default)]
    pub person: Option<Id<of::Person>>,
    /// The order number of the withdrawal.
    pub received: u64,
    /// The order number of the submission that was withdrawn.
    #[serde(default)]
    pub submitted: u64,
    /// As in [`Submission`].
    pub revision: u32,
    /// As in [`Submission`].
    #[serde(default)]
    pub withdrawn: u32,
    /// As in [`Submission`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased: u32,
    /// As in [`Submission`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmations: Vec<Timestamp>,
    /// When it was withdrawn.
    pub withdrawn_at: Timestamp,
}

/// A withdrawal has the same key as its submission: it replaces the submission.
impl Entity for Withdrawal {
    const KIND: Kind = Kind::Withdrawal;

    fn key(&self) -> Key {
        keys::submission(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        self.person
            .map(|person| keys::own_submission(person, self.id))
    }
}
