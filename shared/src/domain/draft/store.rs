//! Drafts: the answers that a person has typed but not submitted.

use crate::db::error::ignore_refusal;
use crate::db::execute::MOST_WRITES;
use crate::db::read::Range;
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write, each};
use crate::domain::draft::keys;
use crate::domain::draft::model::{BegunDraft, DraftAnswer};
use crate::domain::submission::model::Submission;
use crate::domain::submission::store::StoredSubmission;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

impl Entity for DraftAnswer {
    const KIND: Kind = Kind::Draft;

    fn key(&self) -> Key {
        keys::draft_answer(self.application, self.person, self.committee, self.question)
    }

    fn index_key(&self) -> Option<Key> {
        let (person, application) = (self.person, self.application);
        Some(keys::own_answer(
            person,
            application,
            self.committee,
            self.question,
        ))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// A change of one answer of a draft.
#[derive(Debug, Clone)]
pub struct DraftWrite {
    /// The answer as it is stored after the change.
    pub answer: DraftAnswer,
    /// The version of the stored item that it replaces; none if there is no item.
    pub replaces: Option<u32>,
}

impl DraftWrite {
    fn write(&self) -> Result<Write, TableError> {
        let write = Write::put(&self.answer)?;
        Ok(match &self.replaces {
            None => write.if_new_or_tombstone(self.answer.received),
            Some(version) => write.if_equals("version", version),
        })
    }
}

/// What a save means for the entry that tells that the draft has answers.
#[derive(Debug, Clone, Copy)]
pub enum DraftEntry<'a> {
    /// It had none before.
    Begins(&'a BegunDraft),
    /// It has none any more.
    Ends(&'a BegunDraft),
}

impl Table {
    /// Returns the stored answers of all drafts of a person in an application, also those that were
    /// removed or belong to a draft that ended: 1 query.
    pub async fn drafts(
        &self,
        application: Id<of::Application>,
        person: Id<of::Person>,
    ) -> Result<Vec<DraftAnswer>, TableError> {
        let (pk, prefix) = keys::drafts_of(application, person);
        self.query(pk, Range::Prefix(prefix)).await
    }

    /// Returns whether a person has a draft for this committee that was neither submitted nor
    /// removed: 1 query and 1 read.
    pub async fn has_draft(
        &self,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
        now: Timestamp,
    ) -> Result<bool, TableError> {
        let sort_key = Submission::id_of(application, person, committee);
        let (stored, answers) = futures::try_join!(
            self.stored_submission(application, sort_key),
            self.drafts(application, person)
        )?;
        let submitted = stored.last_submitted();
        let is_live = |answer: &DraftAnswer| {
            answer.committee == committee && !answer.is_removed() && answer.is_live(submitted, now)
        };
        let is_submitted = matches!(stored, StoredSubmission::Present(_));
        Ok(!is_submitted && answers.iter().any(is_live))
    }

    /// Stores answers of a draft, all or none. Refused if one of them changed after it was read.
    ///
    /// With the first answers of a draft its entry is stored, and with the last one it is removed.
    pub async fn save_draft(
        &self,
        answers: &[DraftWrite],
        entry: Option<DraftEntry<'_>>,
    ) -> Result<(), TableError> {
        let mut writes: Vec<Write> = answers
            .iter()
            .map(DraftWrite::write)
            .collect::<Result<_, _>>()?;
        let entry = match entry {
            Some(DraftEntry::Begins(draft)) => Some(Write::put(draft)?),
            Some(DraftEntry::Ends(draft)) => Some(Write::delete(draft.key())),
            None => None,
        };
        if writes.len() < MOST_WRITES {
            writes.extend(entry);
        } else if let Some(entry) = entry {
            // One without answers is right again with the repeat of this request.
            self.write(entry).await?;
        }
        match writes.len() {
            0 => Ok(()),
            1 => self.write(writes.remove(0)).await.map(drop),
            _ => self.transact(writes).await,
        }
    }

    /// Removes each of these answers from the table, unless it changed after it was read. A late
    /// repeat of an earlier request does not bring them back. `when` is the order number of the
    /// deletion and its time.
    pub async fn delete_draft(
        &self,
        answers: Vec<DraftAnswer>,
        when: RequestTime,
    ) -> Result<(), TableError> {
        each(answers, async |answer| {
            let tombstone = Write::put(&Tombstone::new(answer.key(), when))?;
            // Versions begin anew after a deletion, order numbers do not.
            let tombstone = tombstone
                .if_equals("version", &answer.version)
                .if_equals("received", &answer.received);
            ignore_refusal(self.write(tombstone).await)
        })
        .await
    }
}
