//! Submissions, their decisions and the history of these.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{self, StreamExt, TryStreamExt};

use super::execute::WriteResult;
use super::read::{Fetch, readable};
use super::{
    Entity, Item, Key, Range, Retries, Table, TableError, Write, from_item, keys, type_of,
};
use crate::ids::Id;
use crate::limits;
use crate::models::{
    Application, Committee, DecisionChange, OldAndNew, Person, Status, Submission, Withdrawal,
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
}

/// Stands where the submission stood.
impl Entity for Withdrawal {
    const TYPE: &'static str = "Withdrawal";

    fn key(&self) -> Key {
        keys::submission(self.application, self.id)
    }
}

impl Entity for DecisionChange {
    const TYPE: &'static str = "Change";

    fn key(&self) -> Key {
        keys::history_item(self.application, self.submission, self.id)
    }
}

/// Which submissions of an application to read; newest first.
pub struct SubmissionQuery<F> {
    /// Those that match.
    pub matches: F,
    /// Only those older than this sequence number and id.
    pub before: Option<(u64, u64)>,
    /// At most so many.
    pub limit: Option<usize>,
    /// Without their answers, which are most of what there is to hold.
    pub without_answers: bool,
}

impl<F> SubmissionQuery<F> {
    /// All that match, answers included.
    pub fn all(matches: F) -> Self {
        Self {
            matches,
            before: None,
            limit: None,
            without_answers: false,
        }
    }
}

/// What an officer decided of one submission: what is none stays as it is.
#[derive(Debug, Clone)]
pub struct DecisionWrite {
    /// The submission as it was read.
    pub submission: Submission,
    /// New status.
    pub status: Option<Status>,
    /// New reason.
    pub reason: Option<String>,
    /// Whether it holds only for the submission as it was read.
    pub only_as_read: bool,
}

/// What became of a request to submit.
#[derive(Debug)]
pub enum SubmitOutcome {
    /// It is stored: a new submission, or one that replaced these answers.
    Stored(Option<Box<Submission>>),
    /// An attempt whose answer was lost has stored it, or an earlier request with its idempotency
    /// key; as it is now.
    Already(Box<Submission>),
    /// A request that was received later has written it; as it is now.
    Later(Box<Submission>),
    /// It is decided.
    Decided,
    /// It was withdrawn by a request that was received later, or after a first request with its
    /// idempotency key (true).
    WithdrawOutcome(bool),
}

/// What became of a request to withdraw a submission.
#[derive(Debug, PartialEq, Eq)]
pub enum WithdrawOutcome {
    /// What the applicant had submitted when the request was received is no longer there.
    Done,
    /// It is decided.
    Decided,
}

/// What stays as it is when somebody submits again.
const KEPT: [&str; 8] = [
    "created_at",
    "sequence",
    "status",
    "reason",
    "notified",
    "acceptance_mail",
    "rejection_mail",
    "mailed",
];
/// What stays of a submission that is withdrawn.
const LEFT: [&str; 6] = [
    keys::TYPE,
    "id",
    "application",
    "received",
    "revision",
    "key",
];
/// Items of a page of which the first that counts is wanted.
const FEW: i32 = 20;
/// Verdicts of one transaction: each is two writes, and 100 are allowed.
const VERDICTS: usize = 50;
/// Bytes of one transaction, well below the 4 MB that are allowed.
const VERDICT_BYTES: usize = 2_500_000;
/// What a submission takes besides its answers, with its history and both reasons.
const SMALL_ITEM: usize = 32_000;

impl Table {
    /// Submits, or submits again: one conditional write, which touches no other item. It replaces
    /// what was received earlier and is not decided; of two requests the one that was received
    /// later is kept, in whatever order they are written. A key counts if it came at `key_since` or
    /// later.
    pub async fn submit(
        &self,
        submission: &Submission,
        key_since: u64,
    ) -> Result<SubmitOutcome, TableError> {
        let (received, key) = (submission.received, submission.key.as_ref());
        let write = Write::update(submission.key())
            .set_entity(submission, &KEPT, &["revision"])?
            .add("revision", 1)
            .remove("withdrawn_at");
        let write = write.if_new_or(|write| {
            let write = write
                .if_below("received", &received)
                .if_absent_or_equals("status", &Status::Pending);
            match key {
                Some(key) => write.if_differs_or_below("key", key, "received", key_since),
                None => write,
            }
        });
        let stored = match self.try_write(write).await? {
            WriteResult::Now(before) => {
                let before = before.filter(|item| type_of(item) == Submission::TYPE);
                return before
                    .map(from_item)
                    .transpose()
                    .map(|before| SubmitOutcome::Stored(before.map(Box::new)));
            }
            WriteResult::Before(stored) | WriteResult::Refused(stored) => {
                stored.unwrap_or_default()
            }
        };
        let same_key = |stored: &Option<String>, at: u64| {
            key.is_some() && stored.as_ref() == key && at >= key_since
        };
        if type_of(&stored) == Withdrawal::TYPE {
            let withdrawal: Withdrawal = from_item(stored)?;
            return Ok(SubmitOutcome::WithdrawOutcome(same_key(
                &withdrawal.key,
                withdrawal.received,
            )));
        }
        let stored: Submission = from_item(stored)?;
        Ok(
            if stored.received == received || same_key(&stored.key, stored.received) {
                SubmitOutcome::Already(Box::new(stored))
            } else if stored.status != Status::Pending {
                SubmitOutcome::Decided
            } else {
                SubmitOutcome::Later(Box::new(stored))
            },
        )
    }

    /// A submission by its id: 1 read.
    pub async fn submission(
        &self,
        application: Id<Application>,
        id: Id<Submission>,
    ) -> Result<Option<Submission>, TableError> {
        let found = self.read(keys::submission(application, id)).await?;
        found
            .filter(|item| type_of(item) == Submission::TYPE)
            .map(from_item)
            .transpose()
    }

    /// Takes back what this very request has stored. Somebody else may have changed it since: then
    /// it stays.
    pub async fn take_back(&self, submission: &Submission) -> Result<(), TableError> {
        let delete = Write::delete(submission.key())
            .if_equals("received", &submission.received)
            .if_equals("status", &Status::Pending);
        super::error::ignore_refusal(self.write(delete).await)
    }

    /// Submissions by their ids, those that exist: 1 batch read per 100.
    pub async fn submissions_by_id(
        &self,
        application: Id<Application>,
        ids: &[Id<Submission>],
    ) -> Result<Vec<Submission>, TableError> {
        let wanted: Vec<Key> = ids
            .iter()
            .map(|id| keys::submission(application, *id))
            .collect();
        let mut found = self.get_many(wanted.clone()).await?;
        wanted
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Submissions of an application, newest first: the pages of its parts, side by side, and no
    /// more than `limit` of each part in memory.
    pub async fn submissions<F: Fn(&Submission) -> bool>(
        &self,
        application: Id<Application>,
        wanted: SubmissionQuery<F>,
    ) -> Result<Vec<Submission>, TableError> {
        let limit = wanted.limit.unwrap_or(usize::MAX);
        let held = AtomicUsize::new(0);
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut newest: Vec<Submission> = Vec::new();
            self.each_page(
                false,
                keys::submissions(application, part),
                Range::All,
                Fetch::Items,
                |page| {
                    for mut submission in readable::<Submission>(page) {
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
                    newest.sort_by_key(|submission| std::cmp::Reverse(submission.place()));
                    for gone in newest.drain(limit.min(newest.len())..) {
                        held.fetch_sub(size(&gone), Ordering::Relaxed);
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
        all.truncate(limit);
        Ok(all)
    }

    /// Whether an application has submissions: one query a part, side by side, of few items each.
    pub async fn has_submissions(&self, application: Id<Application>) -> Result<bool, TableError> {
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut any = false;
            self.each_page(
                false,
                keys::submissions(application, part),
                Range::All,
                Fetch::Pages(FEW),
                |page| {
                    any |= page.iter().any(|item| type_of(item) == Submission::TYPE);
                    Ok(!any)
                },
            )
            .await?;
            Ok::<_, TableError>(any)
        });
        Ok(futures::future::try_join_all(parts).await?.contains(&true))
    }

    /// What is left of the withdrawn submissions of an application.
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

    /// The committees that have submissions.
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

    /// A person's own submissions, newest first: 1 query of the index.
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

    /// One of a person's own submissions: 1 query of the index.
    pub async fn submission_of(
        &self,
        person: Id<Person>,
        id: Id<Submission>,
    ) -> Result<Option<Submission>, TableError> {
        let Key { pk, sk } = keys::own_submission(person, id);
        Ok(self.query_index(pk, Range::Prefix(sk)).await?.pop())
    }

    /// Withdraws what was submitted before the request with this order number. What was submitted
    /// later stays, and so does what is decided.
    pub async fn withdraw(
        &self,
        submission: &Submission,
        received: u64,
        at: Timestamp,
    ) -> Result<WithdrawOutcome, TableError> {
        let write = Write::update(submission.key())
            .remove_entity(submission, &LEFT)?
            .set(keys::TYPE, &Withdrawal::TYPE)
            .set("received", &received)
            .set("withdrawn_at", &at)
            .if_equals("status", &Status::Pending)
            .if_below("received", &received);
        let stored: Option<Item> = match self.try_write(write).await? {
            WriteResult::Now(_) | WriteResult::Before(_) => return Ok(WithdrawOutcome::Done),
            WriteResult::Refused(stored) => stored,
        };
        let Some(stored) = stored.filter(|item| type_of(item) == Submission::TYPE) else {
            return Ok(WithdrawOutcome::Done);
        };
        let stored: Submission = from_item(stored)?;
        Ok(if stored.status == Status::Pending {
            WithdrawOutcome::Done
        } else {
            WithdrawOutcome::Decided
        })
    }

    /// Writes decisions, each with its history, 50 a transaction. A submission that changed since
    /// it was read is read again, and its history tells what it was then. Answers the submissions
    /// as they are now.
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
        // One of several may be busy when others are stored.
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
            // What was withdrawn meanwhile is left out.
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
        Err(TableError::Busy("decisions changed all the time".into()))
    }

    /// The changes of a submission's decision, oldest first: 1 query.
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

/// About how many bytes the texts of a submission take.
fn size(submission: &Submission) -> usize {
    let answers = submission
        .answers
        .iter()
        .map(|answer| answer.text.as_ref().map_or(0, String::len) + 100);
    answers.sum::<usize>() + submission.reason.len() + 1_000
}

/// Verdicts in portions that fit a transaction: 100 writes, and 4 MB of the items that they change.
fn in_transactions(verdicts: Vec<DecisionWrite>) -> Vec<Vec<DecisionWrite>> {
    let mut portions: Vec<Vec<DecisionWrite>> = Vec::new();
    let mut bytes = 0;
    for verdict in verdicts {
        let answers: usize = verdict
            .submission
            .answers
            .iter()
            .filter_map(|answer| answer.text.as_ref())
            .map(String::len)
            .sum();
        let size = answers + SMALL_ITEM;
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
