//! Drafts that were begun: whom the timer may have to remind (G2).

use std::collections::HashSet;

use futures::stream::{self, StreamExt, TryStreamExt};

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Key, PARALLEL, Table, TableError, Write};
use crate::domain::draft::keys;
use crate::domain::draft::model::BegunDraft;
use crate::ids::{Id, made_at, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for BegunDraft {
    const KIND: Kind = Kind::BegunDraft;

    fn key(&self) -> Key {
        keys::begun_draft(self.application, self.person, self.committee)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Table {
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

    /// Keeps what is noted about a draft until then, in seconds since 1970, if it is there: 1
    /// write. A write that arrives late does not shorten that time.
    pub async fn keep_begun(
        &self,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
        expires: i64,
    ) -> Result<(), TableError> {
        let key = keys::begun_draft(application, person, committee);
        let write = Write::update(key).set("expires", &expires);
        let write = write.if_below("expires", &expires);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Removes what was noted until then about a person's drafts to these applications: 1 query for
    /// each, and 1 batch write per 25.
    pub(crate) async fn forget_begun(
        &self,
        person: Id<of::Person>,
        applications: HashSet<Id<of::Application>>,
        until: u64,
    ) -> Result<(), TableError> {
        let until = Timestamp::at(made_at(until));
        let begun = stream::iter(applications)
            .map(|application| self.begun_drafts_of(application, person))
            .buffer_unordered(PARALLEL);
        let begun: Vec<Vec<BegunDraft>> = begun.try_collect().await?;
        let begun = begun.iter().flatten();
        let keys = begun.filter(|one| one.begun_at <= until).map(Entity::key);
        self.delete_many(keys.collect()).await
    }
}
