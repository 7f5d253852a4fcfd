//! Which drafts have answers: for lists of their person, and for reminders (G2).

use std::collections::HashMap;

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::response::Stored;
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::draft::keys;
use crate::domain::draft::model::BegunDraft;
use crate::domain::person;
use crate::ids::{Id, of};
use crate::kind::Kind;

impl Entity for BegunDraft {
    const KIND: Kind = Kind::BegunDraft;

    fn key(&self) -> Key {
        keys::begun_draft(self.application, self.person, self.committee)
    }

    fn index_key(&self) -> Option<Key> {
        let (person, application) = (self.person, self.application);
        Some(keys::own_draft(person, application, self.committee))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// Where the entries of a person's drafts are, by application.
pub type DraftKeys = HashMap<Id<of::Application>, Vec<Key>>;

impl Table {
    /// Returns where the entries of a person's drafts are: 1 query of the index, which may be a
    /// moment old.
    pub async fn draft_keys(&self, person: Id<of::Person>) -> Result<DraftKeys, TableError> {
        let range = Range::Prefix(keys::OWN_DRAFTS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let mut found = DraftKeys::new();
        for entry in entries {
            let sort_key = entry.index_sort_key();
            let id = sort_key.and_then(|sort_key| keys::application_of_draft(&sort_key));
            if let Some(id) = id {
                found.entry(id).or_default().push(Stored::key(&entry));
            }
        }
        Ok(found)
    }

    /// Returns the entry of a draft: 1 read.
    pub async fn begun_draft(
        &self,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
    ) -> Result<Option<BegunDraft>, TableError> {
        self.get(keys::begun_draft(application, person, committee))
            .await
    }

    /// Returns these entries: 1 batch read per 100.
    pub async fn drafts_at(&self, keys: Vec<Key>) -> Result<Vec<BegunDraft>, TableError> {
        Ok(self.get_many(keys).await?.into_entities())
    }

    /// Removes the entry of a draft whose last answer was removed: 1 write.
    pub async fn end_draft(
        &self,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
    ) -> Result<(), TableError> {
        let key = keys::begun_draft(application, person, committee);
        self.write(Write::delete(key)).await.map(drop)
    }

    /// Stores the entry of a draft again, if there is none: 1 write.
    pub async fn begin_draft(&self, draft: &BegunDraft) -> Result<(), TableError> {
        ignore_refusal(self.write(Write::put(draft)?.if_new()).await.map(drop))
    }

    /// Returns the drafts of an application that were begun: 1 query.
    pub async fn begun_drafts(
        &self,
        application: Id<of::Application>,
    ) -> Result<Vec<BegunDraft>, TableError> {
        self.query(keys::begun_drafts(application), Range::All)
            .await
    }

    /// Returns the drafts that a person has begun for an application: 1 query.
    pub async fn begun_drafts_of(
        &self,
        application: Id<of::Application>,
        person: Id<of::Person>,
    ) -> Result<Vec<BegunDraft>, TableError> {
        let Key { pk, sk } = keys::begun_draft(application, person, None);
        let own = sk.split_once('#').map_or("", |(person, _)| person);
        self.query(pk, Range::Prefix(format!("{own}#"))).await
    }
}
