//! Submissions, the decisions on them, and the history of those decisions.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{self, StreamExt, TryStreamExt};

use super::answer::{AnyItem, Stored};
use super::error::ignore_refusal;
use super::execute::WriteResult;
use super::read::Fetch;
use super::{Entity, Item, Key, Range, Retries, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::limits;
use crate::models::{
    Application, Committee, DecisionChange, EmailStatus, Mail, MailKind, OldAndNew, Person, Status,
    Submission, Withdrawal,
};
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

/// An officer's decision on one submission. A field that is `None` stays unchanged.
#[derive(Debug, Clone)]
pub struct DecisionWrite {
    /// The submission as it was read.
    pub submission: Submission,
    /// The new status.
    pub status: Option<Status>,
    /// The new reason.
    pub reason: Option<String>,
    /// If true, the decision is refused when the submission changed after it was read. If false,
    /// the submission is read again and the decision is retried.
    pub only_as_read: bool,
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
}

impl StoredSubmission {
    fn of(item: Option<impl AnyItem>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::Nothing);
        };
        if item.kind() == Withdrawal::TYPE {
            return Ok(Self::Withdrawn(item.entity()?));
        }
        Ok(Self::Present(Box::new(item.entity()?)))
    }

    /// Returns how often it was submitted.
    pub fn revision(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Present(submission) => submission.revision,
            Self::Withdrawn(withdrawal) => withdrawal.revision,
        }
    }

    /// Returns the last revision that was withdrawn; 0 if none was.
    pub fn withdrawn(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Present(submission) => submission.withdrawn,
            Self::Withdrawn(withdrawal) => withdrawal.withdrawn,
        }
    }

    /// Returns the last revision that an erasure withdrew; 0 if none did.
    pub fn erased(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Present(submission) => submission.erased,
            Self::Withdrawn(withdrawal) => withdrawal.erased,
        }
    }

    /// Returns the order number of the last submission; 0 if there was none.
    pub fn last_submitted(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Present(submission) => submission.received,
            Self::Withdrawn(withdrawal) => withdrawal.submitted,
        }
    }
}

/// The result of a request to submit.
#[derive(Debug)]
pub enum SubmitOutcome {
    /// The submission is stored. Contains what it replaced.
    Stored(StoredSubmission),
    /// The submission was stored before: by an earlier attempt whose response was lost, or by an
    /// earlier request with the same idempotency key. Contains the submission as it is stored now.
    Already(Box<Submission>),
    /// A request that was received later has stored a newer submission. Contains the submission as
    /// it is stored now.
    Later(Box<Submission>),
    /// The submission is already decided, so it cannot be replaced.
    Decided,
    /// The submission was withdrawn. True if the withdrawn submission had the same idempotency key;
    /// false if the withdrawal was received later than this request.
    Withdrawn(bool),
}

/// The result of a request to withdraw a submission.
#[derive(Debug, PartialEq, Eq)]
pub enum WithdrawOutcome {
    /// The submission that existed when the request was received no longer exists.
    Done,
    /// The submission is already decided, so it cannot be withdrawn.
    Decided,
}

/// Attributes that keep their values when somebody submits again.
const KEPT: [&str; 13] = [
    "created_at",
    "sequence",
    "withdrawn",
    "erased",
    "reviews",
    keys::GSI2PK,
    keys::GSI2SK,
    "status",
    "reason",
    "notified",
    "acceptance_mail",
    "rejection_mail",
    "mailed",
];
/// Attributes that a submission has only after a mail.
const MAIL_STATES: [&str; 3] = ["acceptance_mail", "rejection_mail", "mailed"];
/// Attributes that remain when a submission is withdrawn.
const LEFT: [&str; 11] = [
    keys::TYPE,
    keys::GSI1PK,
    keys::GSI1SK,
    "person",
    "id",
    "application",
    "received",
    "revision",
    "withdrawn",
    "erased",
    "key",
];
/// Page size (items) of a query that stops at the first matching item.
const FEW: i32 = 20;
/// Maximum decisions in one transaction. Each needs two writes, and DynamoDB allows 100 writes.
const VERDICTS: usize = 50;
/// Maximum bytes of one transaction. This is well below DynamoDB's limit of 4 MB.
const VERDICT_BYTES: usize = 2_500_000;
/// Estimated bytes of a submission without its answers, but with its history entry and both
/// reasons.
const SMALL_ITEM: usize = 32_000;

impl Table {
    /// Submits, or submits again: one conditional write, which changes no other item.
    ///
    /// The write replaces a submission that was received earlier and is not decided. Of two
    /// requests, the one that was received later is kept, in whatever order they are written. An
    /// idempotency key counts only if the stored request was received at `key_since` or later.
    pub async fn submit(
        &self,
        submission: &Submission,
        key_since: u64,
    ) -> Result<SubmitOutcome, TableError> {
        let stored = match self.try_write(submit_write(submission, key_since)?).await? {
            WriteResult::Now(before) => {
                return Ok(SubmitOutcome::Stored(StoredSubmission::of(before)?));
            }
            WriteResult::Before(stored) | WriteResult::Refused(stored) => {
                StoredSubmission::of(stored)?
            }
        };
        refused(submission, key_since, stored)
            .ok_or_else(|| TableError::Busy("the submission changed".to_owned()))
    }

    /// Like [`Table::submit`], and queues the mail that confirms the submission in the same
    /// transaction. `earlier` is what was read in its place: the mail tells its revision. Returns
    /// none if somebody changed it since then.
    pub async fn submit_confirmed(
        &self,
        submission: &Submission,
        key_since: u64,
        earlier: StoredSubmission,
        mail: &Mail,
    ) -> Result<Option<SubmitOutcome>, TableError> {
        let write = submit_write(submission, key_since)?;
        let write = match &earlier {
            StoredSubmission::Nothing => write.if_new(),
            earlier => write.if_equals("revision", &earlier.revision()),
        };
        match self.transact(vec![write, Write::put(mail)?.if_new()]).await {
            Ok(()) => Ok(Some(SubmitOutcome::Stored(earlier))),
            Err(TableError::Refused(_)) => {
                let stored = self
                    .stored_submission(submission.application, submission.id)
                    .await?;
                Ok(refused(submission, key_since, stored))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns what is stored in the place of a submission: 1 read.
    pub async fn stored_submission(
        &self,
        application: Id<Application>,
        id: Id<Submission>,
    ) -> Result<StoredSubmission, TableError> {
        StoredSubmission::of(self.read(keys::submission(application, id)).await?)
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

    /// Deletes the submission that this request has just stored, and its confirmation if that is
    /// not being sent. If somebody else changed the submission in the meantime, it stays.
    pub async fn take_back(&self, submission: &Submission) -> Result<(), TableError> {
        let confirmation = keys::outbox(
            submission.id.get(),
            submission.sequence,
            MailKind::Confirmation,
            submission.revision,
        );
        let mail = Write::delete(confirmation).if_equals("status", &EmailStatus::Queued);
        ignore_refusal(self.write(mail).await)?;
        let delete = Write::delete(submission.key())
            .if_equals("received", &submission.received)
            .if_equals("status", &Status::Pending);
        ignore_refusal(self.write(delete).await)
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
                                submission.answers.clear();
                            }
                            held.fetch_add(size(&submission), Ordering::Relaxed);
                            newest.push(submission);
                        }
                    }
                    if held.load(Ordering::Relaxed) > limits::HELD {
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
                Fetch::Pages(FEW),
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
    pub(super) async fn withdrawals(
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

    /// Returns a person's own submissions, newest first: 1 query of the index.
    pub async fn submissions_of(&self, person: Id<Person>) -> Result<Vec<Submission>, TableError> {
        let mut own: Vec<Submission> = self
            .query_index(
                keys::own(person),
                Range::Prefix(keys::OWN_SUBMISSIONS.into()),
            )
            .await?;
        own.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        Ok(own)
    }

    /// Returns one of a person's own submissions: 1 query of the index.
    pub async fn submission_of(
        &self,
        person: Id<Person>,
        id: Id<Submission>,
    ) -> Result<Option<Submission>, TableError> {
        let Key { pk, sk } = keys::own_submission(person, id);
        Ok(self.query_index(pk, Range::Prefix(sk)).await?.pop())
    }

    /// Withdraws a submission that was received before this request. `received` is the order number
    /// of this request. A submission that was received later stays, and so does a decided one.
    pub async fn withdraw(
        &self,
        submission: &Submission,
        received: u64,
        at: Timestamp,
    ) -> Result<WithdrawOutcome, TableError> {
        self.withdraw_as("withdrawn", submission, received, at)
            .await
    }

    /// Like [`Table::withdraw`]. `mark` is the attribute that remembers the revision.
    pub(super) async fn withdraw_as(
        &self,
        mark: &str,
        submission: &Submission,
        received: u64,
        at: Timestamp,
    ) -> Result<WithdrawOutcome, TableError> {
        let write = Write::update(submission.key())
            .remove_entity(submission, &MAIL_STATES, &LEFT)?
            .set(keys::TYPE, &Withdrawal::TYPE)
            .set("received", &received)
            .set_from("submitted", "received")
            .set_from(mark, "revision")
            .set("withdrawn_at", &at)
            .if_equals("status", &Status::Pending)
            .if_below("received", &received);
        let stored: Option<Item> = match self.try_write(write).await? {
            WriteResult::Now(_) | WriteResult::Before(_) => {
                self.delete_reviews(submission.application, submission.id)
                    .await
                    .map_err(TableError::after_write)?;
                return Ok(WithdrawOutcome::Done);
            }
            WriteResult::Refused(stored) => stored,
        };
        let Some(stored) = stored.filter(|item| item.kind() == Submission::TYPE) else {
            return Ok(WithdrawOutcome::Done);
        };
        let stored: Submission = stored.entity()?;
        Ok(if stored.status == Status::Pending {
            WithdrawOutcome::Done
        } else {
            WithdrawOutcome::Decided
        })
    }

    /// Writes decisions, each with its history entry, at most 50 per transaction. Returns the
    /// submissions as they are now.
    ///
    /// A submission that changed after it was read is read again; its history entry then shows the
    /// old values from the second read.
    pub async fn decide(
        &self,
        verdicts: Vec<DecisionWrite>,
        by: Id<Person>,
        at: Timestamp,
        next_id: impl Fn() -> u64 + Sync,
    ) -> Result<Vec<Submission>, TableError> {
        let chunks = in_transactions(verdicts);
        let is_one = chunks.len() == 1;
        let decided: Result<Vec<Vec<Submission>>, TableError> = stream::iter(chunks)
            .map(|chunk| self.decide_chunk(chunk, by, at, &next_id))
            .buffered(8)
            .try_collect()
            .await;
        // With several transactions, one may be busy although others are stored.
        let decided = decided.map_err(|error| if is_one { error } else { error.after_write() })?;
        Ok(decided.into_iter().flatten().collect())
    }

    async fn decide_chunk(
        &self,
        mut verdicts: Vec<DecisionWrite>,
        by: Id<Person>,
        at: Timestamp,
        next_id: &(impl Fn() -> u64 + Sync),
    ) -> Result<Vec<Submission>, TableError> {
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            let (mut writes, mut decided) = (Vec::new(), Vec::new());
            for DecisionWrite {
                submission: old,
                status,
                reason,
                only_as_read,
            } in &verdicts
            {
                let mut new = old.clone();
                new.status = status.unwrap_or(old.status);
                new.reason
                    .clone_from(reason.as_ref().unwrap_or(&old.reason));
                let change = DecisionChange {
                    id: Id::new(next_id()),
                    application: old.application,
                    submission: old.id,
                    at,
                    by,
                    status: (new.status != old.status).then_some(OldAndNew {
                        old: old.status,
                        new: new.status,
                    }),
                    reason: (new.reason != old.reason).then(|| OldAndNew {
                        old: old.reason.clone(),
                        new: new.reason.clone(),
                    }),
                };
                if change.status.is_some() || change.reason.is_some() {
                    new.updated_at = at;
                    let write = Write::update(old.key())
                        .set("status", &new.status)
                        .set("reason", &new.reason)
                        .set("updated_at", &at);
                    let write = write
                        .if_equals("status", &old.status)
                        .if_equals("reason", &old.reason)
                        .if_equals("sequence", &old.sequence);
                    writes.push(if *only_as_read {
                        write.if_equals("received", &old.received)
                    } else {
                        write
                    });
                    writes.push(Write::put(&change)?.if_new());
                }
                decided.push(new);
            }
            if writes.is_empty() {
                return Ok(decided);
            }
            match self.transact(writes).await {
                Ok(()) => return Ok(decided),
                Err(TableError::Refused(_))
                    if verdicts.iter().all(|verdict| !verdict.only_as_read) => {}
                Err(error) => return Err(error),
            }
            let Some(application) = verdicts
                .first()
                .map(|verdict| verdict.submission.application)
            else {
                break;
            };
            let ids: Vec<Id<Submission>> = verdicts
                .iter()
                .map(|verdict| verdict.submission.id)
                .collect();
            let mut again = self.submissions_by_id(application, &ids).await?;
            // Submissions that were withdrawn in the meantime are left out.
            verdicts.retain_mut(|verdict| {
                match again
                    .iter()
                    .position(|found| found.id == verdict.submission.id)
                {
                    Some(position) => {
                        verdict.submission = again.swap_remove(position);
                        true
                    }
                    None => false,
                }
            });
        }
        Err(TableError::Busy("too many changes of decisions".into()))
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

/// The write of a submission, with the conditions that do not depend on what was read.
fn submit_write(submission: &Submission, key_since: u64) -> Result<Write, TableError> {
    let write = Write::update(submission.key())
        .set_entity(submission, &KEPT, &["revision"])?
        .add("revision", 1)
        .remove("submitted")
        .remove("withdrawn_at");
    Ok(write.if_new_or(|write| {
        let write = write
            .if_below("received", &submission.received)
            .if_absent_or_equals("status", &Status::Pending);
        match &submission.key {
            Some(key) => write.if_differs_or_below("key", key, "received", key_since),
            None => write,
        }
    }))
}

/// Returns why a submission was not stored, from what is stored in its place. None if that would
/// not prevent it.
fn refused(
    submission: &Submission,
    key_since: u64,
    stored: StoredSubmission,
) -> Option<SubmitOutcome> {
    let (received, key) = (submission.received, submission.key.as_ref());
    let same_key = |stored: &Option<String>, at: u64| {
        key.is_some() && stored.as_ref() == key && at >= key_since
    };
    match stored {
        StoredSubmission::Nothing => None,
        StoredSubmission::Withdrawn(withdrawal) => {
            let same = same_key(&withdrawal.key, withdrawal.received);
            (same || withdrawal.received >= received).then_some(SubmitOutcome::Withdrawn(same))
        }
        StoredSubmission::Present(stored)
            if stored.received == received || same_key(&stored.key, stored.received) =>
        {
            Some(SubmitOutcome::Already(stored))
        }
        StoredSubmission::Present(stored) if stored.status != Status::Pending => {
            Some(SubmitOutcome::Decided)
        }
        StoredSubmission::Present(stored) => {
            (stored.received > received).then_some(SubmitOutcome::Later(stored))
        }
    }
}

/// Returns the approximate size of a submission in memory, in bytes.
pub(super) fn size(submission: &Submission) -> usize {
    submission.answers.size() + submission.reason.len() + 1_000
}

/// Splits decisions into groups that fit one transaction. DynamoDB allows 100 writes, and 4 MB for
/// the changed items.
fn in_transactions(verdicts: Vec<DecisionWrite>) -> Vec<Vec<DecisionWrite>> {
    let mut portions: Vec<Vec<DecisionWrite>> = Vec::new();
    let mut bytes = 0;
    for verdict in verdicts {
        let size = verdict.submission.answers.size() + SMALL_ITEM;
        if let Some(portion) = portions
            .last_mut()
            .filter(|portion| portion.len() < VERDICTS && bytes + size <= VERDICT_BYTES)
        {
            bytes += size;
            portion.push(verdict);
        } else {
            bytes = size;
            portions.push(vec![verdict]);
        }
    }
    portions
}
