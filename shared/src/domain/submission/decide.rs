//! Decisions on submissions.

use futures::stream::{self, StreamExt, TryStreamExt};

use crate::db::error::ignore_refusal;
use crate::db::read::Fetch;
use crate::db::{Entity, Key, PARALLEL, Refusal, Retries, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::keys;
use crate::domain::person::model::Person;
use crate::domain::submission::model::{DecisionChange, OldAndNew, Status, Submission};
use crate::ids::Id;
use crate::time::Timestamp;

/// An officer's decision on one submission. A field that is `None` stays unchanged.
#[derive(Debug, Clone)]
pub struct DecisionWrite {
    /// The submission as it was read.
    pub submission: Submission,
    /// The new status.
    pub status: Option<Status>,
    /// Whether it is left alone if it has neither this status nor the new one by then.
    pub was: Option<Status>,
    /// The new reason.
    pub reason: Option<String>,
    /// If true, the decision is refused when the submission changed after it was read. If false,
    /// the submission is read again and the decision is retried.
    pub only_as_read: bool,
}

impl DecisionWrite {
    /// Returns whether the submission has the status that it must have.
    fn is_meant(&self) -> bool {
        let now = self.submission.status;
        self.was
            .is_none_or(|was| now == was || self.status == Some(now))
    }
}

/// Maximum decisions in one transaction. Each needs two writes, and DynamoDB allows 100 writes and
/// 4 MB. A submission and its history entry hold up to four reasons of 20 KB.
const MAX_DECISIONS_PER_TRANSACTION: usize = 45;

impl Table {
    /// Removes the reasons that were given until then from the history of a submission: 1 query,
    /// and 1 write for each. Each only once, also if this is repeated: there may be many.
    pub(crate) async fn forget_reasons(
        &self,
        application: Id<Application>,
        submission: Id<Submission>,
        until: u64,
    ) -> Result<(), TableError> {
        let mut due: Vec<Key> = vec![];
        let take = |page: Vec<DecisionChange>| {
            let is_due =
                |change: &&DecisionChange| change.reason.is_some() && change.id.get() <= until;
            let changes = page.iter().filter(is_due);
            due.extend(changes.map(Entity::key));
            Ok(true)
        };
        let (pk, range) = keys::history_of(application, submission);
        self.each_page(false, pk, range, Fetch::Items, take).await?;
        let writes = stream::iter(due).map(async |key| {
            let write = Write::update(key).set("reason", &None::<()>);
            ignore_refusal(self.write(write.if_exists()).await)
        });
        writes.buffer_unordered(PARALLEL).try_collect().await
    }

    /// Writes decisions, each with its history entry, at most 45 per transaction. Returns the
    /// submissions as they are now.
    ///
    /// A submission that changed after it was read is read again; its history entry then shows the
    /// old values from the second read.
    pub async fn decide(
        &self,
        decisions: Vec<DecisionWrite>,
        by: Id<Person>,
        at: Timestamp,
        next_id: impl Fn() -> u64 + Sync,
    ) -> Result<Vec<Submission>, TableError> {
        let is_one = decisions.len() <= MAX_DECISIONS_PER_TRANSACTION;
        // Of several transactions, some may be stored already, or may still be.
        let in_part = |error| match error {
            error if is_one => error,
            TableError::Refused(why) => TableError::Unknown(format!("in part refused: {why:?}")),
            error => error.after_write(),
        };
        let mut rest = decisions.into_iter();
        let chunks = std::iter::from_fn(|| {
            let chunk: Vec<_> = rest.by_ref().take(MAX_DECISIONS_PER_TRANSACTION).collect();
            (!chunk.is_empty()).then_some(chunk)
        });
        let decided: Result<Vec<Vec<Submission>>, TableError> = stream::iter(chunks)
            .map(|chunk| self.decide_chunk(chunk, by, at, &next_id))
            .buffered(8)
            .try_collect()
            .await;
        Ok(decided.map_err(in_part)?.into_iter().flatten().collect())
    }

    async fn decide_chunk(
        &self,
        mut decisions: Vec<DecisionWrite>,
        by: Id<Person>,
        at: Timestamp,
        next_id: &(impl Fn() -> u64 + Sync),
    ) -> Result<Vec<Submission>, TableError> {
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            decisions.retain(DecisionWrite::is_meant);
            let (mut writes, mut decided) = (Vec::new(), Vec::new());
            for DecisionWrite {
                submission: old,
                status,
                reason,
                only_as_read,
                ..
            } in &decisions
            {
                let mut new = old.clone();
                new.status = status.unwrap_or(old.status);
                new.reason
                    .clone_from(reason.as_ref().unwrap_or(&old.reason));
                let change = change(Id::new(next_id()), old, &new, by, at);
                if change.status.is_some() || change.reason.is_some() {
                    new.decided_after(old, at);
                    writes.push(decision(old, &new, *only_as_read));
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
                    if decisions.iter().all(|decision| !decision.only_as_read) => {}
                Err(error) => return Err(error),
            }
            let Some(application) = decisions
                .first()
                .map(|decision| decision.submission.application)
            else {
                break;
            };
            let ids: Vec<Id<Submission>> = decisions
                .iter()
                .map(|decision| decision.submission.id)
                .collect();
            let mut again = self.submissions_by_id(application, &ids).await?;
            // The applicant was erased in the meantime (D5).
            if again.iter().any(|submission| submission.person.is_none()) {
                return Err(TableError::Refused(Refusal::ApplicantErased));
            }
            // Submissions that were withdrawn in the meantime are left out.
            decisions.retain_mut(|decision| {
                match again
                    .iter()
                    .position(|found| found.id == decision.submission.id)
                {
                    Some(position) => {
                        decision.submission = again.swap_remove(position);
                        true
                    }
                    None => false,
                }
            });
        }
        Err(TableError::Busy("too many changes of decisions".into()))
    }
}

/// The entry of the history for a decision that turns `old` into `new`.
fn change(
    id: Id<DecisionChange>,
    old: &Submission,
    new: &Submission,
    by: Id<Person>,
    at: Timestamp,
) -> DecisionChange {
    DecisionChange {
        id,
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
    }
}

impl Submission {
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
        .set("reason", &new.reason)
        .set("updated_at", &new.updated_at)
        .by_actor();
    let write = match new.rejected_at {
        Some(rejected_at) => write.set("rejected_at", &rejected_at),
        None => write.remove("rejected_at"),
    };
    let write = write
        .if_equals("status", &old.status)
        .if_equals("reason", &old.reason)
        // If this arrives late, others may have made the same decision and taken it back.
        .if_equals("updated_at", &old.updated_at)
        .if_equals("sequence", &old.sequence)
        .if_equals("person", &old.person);
    if only_as_read {
        write.if_equals("received", &old.received)
    } else {
        write
    }
}
