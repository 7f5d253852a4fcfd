//! Drafts: the answers that a person has typed but not submitted.

use std::collections::{HashMap, HashSet};

use crate::db::error::ignore_refusal;
use crate::db::execute::MOST_WRITES;
use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write, each};
use crate::domain::draft::keys;
use crate::domain::draft::model::{BegunDraft, DraftAnswer};
use crate::domain::submission::model::Submission;
use crate::domain::submission::store::StoredSubmission;
use crate::domain::{person, submission};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

impl Entity for DraftAnswer {
    const KIND: Kind = Kind::Draft;

    fn key(&self) -> Key {
        keys::draft_answer(self.application, self.person, self.committee, self.question)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_draft(
            self.is_removed(),
            self.person,
            self.application,
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

    /// Returns the answers of a person's drafts in these applications, without those that were
    /// removed: 1 query of the index, which may be a moment old, and 1 batch read per 100.
    pub async fn own_drafts(
        &self,
        person: Id<of::Person>,
        applications: &HashSet<Id<of::Application>>,
    ) -> Result<Vec<DraftAnswer>, TableError> {
        let range = Range::Prefix(keys::OWN_DRAFTS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let matches = |entry: &&Stored| {
            let sort_key = entry.index_sort_key();
            let id = sort_key.and_then(|sort_key| keys::application_of_draft(&sort_key));
            id.is_some_and(|id| applications.contains(&id))
        };
        let requested = entries.iter().filter(matches).map(Stored::key);
        Ok(self.get_many(requested.collect()).await?.into_entities())
    }

    /// Returns the applications to which a person has drafts: 1 query of the index.
    pub async fn drafted(
        &self,
        person: Id<of::Person>,
    ) -> Result<HashSet<Id<of::Application>>, TableError> {
        let range = Range::Prefix(keys::OWN_DRAFTS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let id = |entry: &Stored| keys::application_of_draft(&entry.index_sort_key()?);
        Ok(entries.iter().filter_map(id).collect())
    }

    /// Returns the order number of the last submission in each of these places, also of one that
    /// was withdrawn: 1 batch read per 100.
    pub async fn last_submitted(
        &self,
        submissions: impl IntoIterator<Item = (Id<of::Application>, Id<of::Submission>)>,
    ) -> Result<HashMap<Id<of::Submission>, u64>, TableError> {
        let submissions: Vec<_> = submissions.into_iter().collect();
        let key = |(application, id): &(_, _)| submission::keys::submission(*application, *id);
        let mut found = self.get_many(submissions.iter().map(key).collect()).await?;
        let last = |sort_key: &(Id<of::Application>, Id<of::Submission>)| {
            let stored = StoredSubmission::of(found.take_item(&key(sort_key)))?;
            Ok((sort_key.1, stored.last_submitted()))
        };
        submissions.iter().map(last).collect()
    }

    /// Stores answers of a draft, all or none. Refused if one of them changed after it was read.
    ///
    /// With the first answers of a draft, it is noted that it was `begun`.
    pub async fn save_draft(
        &self,
        answers: &[DraftWrite],
        begun: Option<&BegunDraft>,
    ) -> Result<(), TableError> {
        let mut writes: Vec<Write> = answers
            .iter()
            .map(DraftWrite::write)
            .collect::<Result<_, _>>()?;
        let begun = begun.filter(|_| !writes.is_empty());
        let begun = begun.map(Write::put).transpose()?;
        if writes.len() < MOST_WRITES {
            writes.extend(begun);
        } else if let Some(begun) = begun {
            // A draft that was begun and has no answers is no draft.
            self.write(begun).await?;
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
