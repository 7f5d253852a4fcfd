//! Decisions on submissions, and their history: who changed what, and when (D2). A change of only
//! the status is kept in the submission itself, which has room for two: the write of the decision
//! is then the only one. Any other change has an item of its own.

use std::collections::HashMap;

use futures::stream;
use futures::stream::{StreamExt, TryStreamExt};

use crate::db::error::{check_memory_budget, ignore_refusal};
use crate::db::execute::MOST_WRITES;
use crate::db::read::Fetch;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write, each};
use crate::domain::application::model::Application;
use crate::domain::application::store::first_decision;
use crate::domain::status::Status;
use crate::domain::submission::keys;
use crate::domain::submission::model::{DecisionChange, OldAndNew, StatusChange, Submission};
use crate::ids::{Id, made_at, of};
use crate::kind::Kind;
use crate::time::Timestamp;

/// An officer's decision on one submission. A field that is `None` stays unchanged.
#[derive(Debug, Clone)]
pub struct DecisionWrite {
    /// The submission as it was read.
    pub submission: Submission,
    /// The new status.
    pub status: Option<Status>,
    /// Whether it is left alone if it has neither this status nor the new one, with the new
    /// reason if there is one, by then.
    pub was: Option<Status>,
    /// The new reason.
    pub reason: Option<String>,
    /// If true, the decision is refused when the submission changed after it was read. If false,
    /// the submission is read again and the decision is retried.
    pub only_as_read: bool,
}

impl DecisionWrite {
    /// Returns whether the submission has the status that it must have, or is as this makes it.
    fn is_meant(&self) -> bool {
        let current = self.submission.status;
        let has_reason = |reason: &String| *reason == self.submission.reason;
        let is_done = self.status == Some(current) && self.reason.as_ref().is_none_or(has_reason);
        self.was.is_none_or(|was| current == was || is_done)
    }

    /// Returns whether it makes the submission a decided one.
    fn is_decision(&self) -> bool {
        self.status.is_some_and(|status| status != Status::Pending)
    }

    /// The number of writes that it needs at most: the submission, and the entry of the history if
    /// the submission cannot keep the change itself.
    fn writes(&self) -> usize {
        let keeps_it = self.reason.is_none() && self.submission.has_room_for_change();
        if keeps_it { 1 } else { 2 }
    }
}

/// Divides decisions into those of one transaction each, with room for one more write. DynamoDB
/// allows 100 writes and 4 MB: a submission and its history entry hold up to four reasons of 20 KB.
fn transactions(decisions: Vec<DecisionWrite>) -> Vec<Vec<DecisionWrite>> {
    let mut all: Vec<Vec<DecisionWrite>> = vec![];
    let mut room = 0;
    for decision in decisions {
        let writes = decision.writes();
        if let Some(last) = all.last_mut().filter(|_| writes <= room) {
            room -= writes;
            last.push(decision);
        } else {
            room = MOST_WRITES - 1 - writes;
            all.push(vec![decision]);
        }
    }
    all
}

impl Table {
    /// Writes decisions with their history, at most 99 in one transaction. Returns the submissions
    /// as they are now. With the first decision of an application, this is noted there (D7).
    ///
    /// A submission that changed after it was read is read again; the history then shows the old
    /// values from the second read.
    pub async fn decide(
        &self,
        application: &Application,
        decisions: Vec<DecisionWrite>,
        by: Id<of::Person>,
        at: Timestamp,
        next_id: impl Fn() -> u64 + Sync,
    ) -> Result<Vec<Submission>, TableError> {
        let is_noted = application.is_decided || !decisions.iter().any(DecisionWrite::is_decision);
        let mut chunks = transactions(decisions);
        let is_one = chunks.len() <= 1;
        // Of several transactions, some may be stored already, or may still be.
        let in_part = |error| match error {
            error if is_one => error,
            TableError::Refused(why) => TableError::Unknown(format!("in part refused: {why:?}")),
            error => error.after_write(),
        };
        let mut decided = vec![];
        if !is_noted && !chunks.is_empty() {
            let first = chunks.remove(0);
            let first = self.decide_chunk(first, Some(application), by, at, &next_id);
            decided.extend(first.await.map_err(in_part)?);
        }
        let others: Result<Vec<Vec<Submission>>, TableError> = stream::iter(chunks)
            .map(|chunk| self.decide_chunk(chunk, None, by, at, &next_id))
            .buffered(8)
            .try_collect()
            .await;
        decided.extend(others.map_err(in_part)?.into_iter().flatten());
        Ok(decided)
    }

    async fn decide_chunk(
        &self,
        mut decisions: Vec<DecisionWrite>,
        mut first_of: Option<&Application>,
        by: Id<of::Person>,
        at: Timestamp,
        next_id: &(impl Fn() -> u64 + Sync),
    ) -> Result<Vec<Submission>, TableError> {
        let mut done = vec![];
        let mut retries = self.retries();
        let mut is_again = false;
        loop {
            retries.next().await?;
            decisions.retain(DecisionWrite::is_meant);
            let Planned {
                mut writes,
                decided,
            } = plan(&decisions, is_again, by, at, next_id)?;
            if !writes.is_empty() {
                writes.extend(first_of.map(first_decision));
            }
            let refused = match self.store_decisions(writes).await {
                Err(error @ TableError::Refused(_)) => error,
                stored => {
                    stored?;
                    done.extend(decided);
                    return Ok(done);
                }
            };
            if let Some(application) = first_of {
                let (club, id) = (&application.club, application.id);
                let now = self.application(club, id).await?;
                // Another decision was the first.
                first_of = first_of.filter(|_| now.is_some_and(|now| !now.is_decided));
            }
            let again = self.read_again(&decisions).await?;
            let mut again: HashMap<_, _> = again.into_iter().map(|one| (one.id, one)).collect();
            // If the answer of a write without a transaction was lost, others may have decided
            // after it. Then it is not made again.
            for (decision, tried) in decisions.iter().zip(decided) {
                let is_new = tried.last_change != decision.submission.last_change;
                let change = tried.last_change.filter(|_| is_new);
                let is_done =
                    |current: &Submission| change.is_some_and(|change| current.keeps(change));
                if again.get(&tried.id).is_some_and(is_done) {
                    done.extend(again.remove(&tried.id));
                }
            }
            // Submissions that were withdrawn in the meantime are left out.
            decisions.retain_mut(|decision| {
                let current = again.remove(&decision.submission.id);
                let is_there = current.is_some();
                decision.submission = current.unwrap_or_else(|| decision.submission.clone());
                is_there
            });
            if decisions.iter().any(|decision| decision.only_as_read) {
                return Err(refused);
            }
            is_again = true;
        }
    }

    /// Stores decisions. One write alone is no transaction, which would cost twice as much; the
    /// change that it stores shows whether it was applied.
    async fn store_decisions(&self, mut writes: Vec<Write>) -> Result<(), TableError> {
        match writes.len() {
            0 => Ok(()),
            1 => self.write(writes.remove(0)).await.map(drop),
            _ => self.transact(writes).await,
        }
    }

    /// Reads submissions that changed since they were read. Refused if the applicant of one was
    /// erased in the meantime (D5).
    async fn read_again(&self, decisions: &[DecisionWrite]) -> Result<Vec<Submission>, TableError> {
        let Some(first) = decisions.first() else {
            return Ok(vec![]);
        };
        let all = decisions.iter().map(|decision| &decision.submission);
        let ids: Vec<Id<of::Submission>> = all.map(|submission| submission.id).collect();
        let application = first.submission.application;
        let again = self.submissions_by_id(application, &ids).await?;
        if again.iter().any(|submission| submission.person.is_none()) {
            return Err(TableError::Refused(Refusal::ApplicantErased));
        }
        Ok(again)
    }
}

/// The writes of decisions, and the submissions as they are after them.
struct Planned {
    writes: Vec<Write>,
    decided: Vec<Submission>,
}

/// Plans what decisions write: nothing where nothing changes.
fn plan(
    decisions: &[DecisionWrite],
    is_again: bool,
    by: Id<of::Person>,
    at: Timestamp,
    next_id: &impl Fn() -> u64,
) -> Result<Planned, TableError> {
    let (mut writes, mut decided) = (Vec::new(), Vec::new());
    for DecisionWrite {
        submission: old,
        status,
        reason,
        only_as_read,
        ..
    } in decisions
    {
        let mut new = old.clone();
        new.status = status.unwrap_or(old.status);
        new.reason
            .clone_from(reason.as_ref().unwrap_or(&old.reason));
        new.note_decided_revision(*status);
        let change = DecisionChange::between(Id::new(next_id()), old, &new, by, at);
        if let Some(change) = change {
            // The number of writes was counted before. A submission that was read again may have
            // less room than then, so it keeps one change more.
            let keeps_it = is_again || old.has_room_for_change();
            let kept = change.as_status_change().filter(|_| keeps_it);
            let is_kept = kept.is_some();
            new.decided_after(old, at);
            new.changes.extend(kept);
            new.last_change = Some(change.id);
            writes.push(decision(old, &new, *only_as_read));
            if !is_kept {
                writes.push(Write::put(&change)?.if_new());
            }
        } else if new.decided_revision != old.decided_revision {
            let write = Write::update(old.key())
                .set("decided_revision", &new.decided_revision)
                .if_equals("status", &old.status);
            writes.push(if_as_read(write, old, *only_as_read));
        }
        decided.push(new);
    }
    Ok(Planned { writes, decided })
}

impl Submission {
    /// Notes of which revision `status` was set. A status that stays is set anew for the answers of
    /// now; if only the reason is set, nothing is noted (D6).
    fn note_decided_revision(&mut self, status: Option<Status>) {
        match status {
            Some(Status::Pending) => self.decided_revision = 0,
            Some(_) => self.decided_revision = self.revision,
            None => {}
        }
    }

    /// Notes when it was decided, and since when it is a rejection.
    fn decided_after(&mut self, old: &Self, at: Timestamp) {
        let stays = old.status.is_rejection() && self.status.is_rejection();
        let rejected_at = old.rejected_at.unwrap_or(old.updated_at);
        self.rejected_at = stays.then_some(rejected_at);
        self.updated_at = at;
    }
}

/// Returns the write of a decision.
fn decision(old: &Submission, new: &Submission, only_as_read: bool) -> Write {
    let write = Write::update(old.key())
        .set("status", &new.status)
        .set("updated_at", &new.updated_at)
        .set("last_change", &new.last_change)
        .by_actor();
    let write = if new.decided_revision == old.decided_revision {
        write
    } else {
        write.set("decided_revision", &new.decided_revision)
    };
    // A reason that stays is not sent again: it may have 20 KB.
    let write = if new.reason == old.reason {
        write
    } else {
        write.set("reason", &new.reason)
    };
    let write = match new.changes.as_slice() {
        [] => write,
        changes => write.set("changes", &changes),
    };
    let write = match new.rejected_at {
        Some(rejected_at) => write.set("rejected_at", &rejected_at),
        None => write.remove("rejected_at"),
    };
    let write = write
        .if_equals("status", &old.status)
        .if_equals("reason", &old.reason)
        .if_equals("updated_at", &old.updated_at)
        // If this arrives late, others may have made the same decision and taken it back.
        .if_is("last_change", old.last_change.as_ref());
    if_as_read(write, old, only_as_read)
}

/// Refuses a write if the submission is another one than that which was read, if its status was set
/// for other answers since, or with `only_as_read`, if it was submitted again.
fn if_as_read(write: Write, old: &Submission, only_as_read: bool) -> Write {
    let write = write
        .if_absent_or_equals("decided_revision", &old.decided_revision)
        .if_equals("sequence", &old.sequence)
        .if_equals("person", &old.person);
    if only_as_read {
        write.if_equals("received", &old.received)
    } else {
        write
    }
}

impl Entity for DecisionChange {
    const KIND: Kind = Kind::Change;

    fn key(&self) -> Key {
        keys::history_item(self.application, self.submission, self.id)
    }
}

impl DecisionChange {
    /// Returns the change that turns `old` into `new`; none if the decision stays as it is.
    pub(crate) fn between(
        id: Id<of::DecisionChange>,
        old: &Submission,
        new: &Submission,
        by: Id<of::Person>,
        at: Timestamp,
    ) -> Option<Self> {
        let status = (new.status != old.status).then_some(OldAndNew {
            old: old.status,
            new: new.status,
        });
        let reason = (new.reason != old.reason).then(|| OldAndNew {
            old: old.reason.clone(),
            new: new.reason.clone(),
        });
        let is_one = status.is_some() || reason.is_some();
        is_one.then_some(Self {
            id,
            application: old.application,
            submission: old.id,
            at,
            by,
            status,
            reason,
        })
    }

    /// Returns it as the submission can keep it; none if more than the status changed.
    pub(crate) fn as_status_change(&self) -> Option<StatusChange> {
        let OldAndNew { old, new } = self.status.clone()?;
        let is_short = self.reason.is_none();
        is_short.then_some(StatusChange(self.id, self.by, old, new))
    }

    /// Returns about how many bytes of memory it needs.
    fn memory_used(&self) -> usize {
        let reason = self.reason.as_ref();
        reason.map_or(0, |reason| reason.old.len() + reason.new.len()) + 200
    }
}

impl Submission {
    /// How many changes of the status a submission keeps. More would make many submissions larger
    /// than 1 KB, and then each write of them costs twice as much.
    const STATUS_CHANGES: usize = 2;

    /// Returns whether it can keep another change of its status.
    pub(crate) fn has_room_for_change(&self) -> bool {
        self.changes.len() < Self::STATUS_CHANGES
    }

    /// Returns whether it keeps this change itself.
    pub(crate) fn keeps(&self, change: Id<of::DecisionChange>) -> bool {
        self.changes
            .iter()
            .any(|StatusChange(id, ..)| *id == change)
    }

    /// The changes of its decision that it keeps itself.
    fn own_changes(&self) -> impl Iterator<Item = DecisionChange> {
        let of = |&StatusChange(id, by, old, new): &StatusChange| DecisionChange {
            id,
            application: self.application,
            submission: self.id,
            at: Timestamp::at(made_at(id.get())),
            by,
            status: Some(OldAndNew { old, new }),
            reason: None,
        };
        self.changes.iter().map(of)
    }
}

impl Table {
    /// Returns the changes of a submission's decision, oldest first: 1 query. Fails with
    /// [`TableError::TooMuch`] if they are larger than the memory limit.
    pub async fn changes(
        &self,
        submission: &Submission,
    ) -> Result<Vec<DecisionChange>, TableError> {
        let (pk, range) = keys::history_of(submission.application, submission.id);
        let mut all: Vec<DecisionChange> = submission.own_changes().collect();
        let mut memory_used = 0;
        let take = |page: Vec<DecisionChange>| {
            memory_used += page.iter().map(DecisionChange::memory_used).sum::<usize>();
            all.extend(page);
            check_memory_budget(memory_used).map(|()| true)
        };
        self.each_page(false, pk, range, Fetch::Items, take).await?;
        all.sort_by_key(|change| change.id);
        Ok(all)
    }

    /// Removes the reasons that were given until then from the history of a submission: 1 query,
    /// and 1 write for each. Each only once, also if this is repeated: there may be many.
    pub(crate) async fn forget_reasons(
        &self,
        application: Id<of::Application>,
        submission: Id<of::Submission>,
        until: u64,
    ) -> Result<(), TableError> {
        let mut pending: Vec<Key> = vec![];
        let take = |page: Vec<DecisionChange>| {
            let is_pending =
                |change: &&DecisionChange| change.reason.is_some() && change.id.get() <= until;
            let changes = page.iter().filter(is_pending);
            pending.extend(changes.map(Entity::key));
            Ok(true)
        };
        let (pk, range) = keys::history_of(application, submission);
        self.each_page(false, pk, range, Fetch::Items, take).await?;
        each(pending, async |key| {
            let write = Write::update(key).set("reason", &None::<()>);
            ignore_refusal(self.write(write.if_exists()).await)
        })
        .await
    }
}
