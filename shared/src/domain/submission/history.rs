//! The history of decisions: who changed what, and when (D2). A change of only the status is kept
//! in the submission itself, which has room for two: the write of the decision is then the only
//! one. Any other change has an item of its own.

use crate::db::error::{check_memory_budget, ignore_refusal};
use crate::db::read::Fetch;
use crate::db::{Entity, Key, Table, TableError, Write, each};
use crate::domain::submission::keys;
use crate::domain::submission::model::{DecisionChange, OldAndNew, StatusChange, Submission};
use crate::ids::{Id, made_at, of};
use crate::kind::Kind;
use crate::time::Timestamp;

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
