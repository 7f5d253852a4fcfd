//! The collections that admins edit, cached in memory, and their entries in responses.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::db::{Table, TableError};
use crate::domain::catalogue::memory::{Catalogue, Items, Listed};
use crate::domain::catalogue::versions::Versions;
use crate::domain::reference::keys;
use crate::domain::reference::model::{
    Badge, Fair, Major, ReferenceEntry, ReferenceKind, Registration, School, Tag, Year,
};
use crate::ids::Id;

/// The caches of all collections.
#[derive(Default)]
pub struct ReferenceData {
    tags: Catalogue<ReferenceEntry<Tag>>,
    badges: Catalogue<ReferenceEntry<Badge>>,
    schools: Catalogue<ReferenceEntry<School>>,
    majors: Catalogue<ReferenceEntry<Major>>,
    years: Catalogue<ReferenceEntry<Year>>,
    fairs: Catalogue<ReferenceEntry<Fair>>,
    registrations: Catalogue<Registration>,
}

impl<T: ReferenceKind> Listed for ReferenceEntry<T> {
    type Stored = Self;

    fn new(stored: Self) -> Self {
        stored
    }

    fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |json| json.len()) + 100
    }
}

impl Listed for Registration {
    type Stored = Self;

    fn new(stored: Self) -> Self {
        stored
    }

    fn size(&self) -> usize {
        self.club.len() + 100
    }
}

/// A kind of entry whose collection is cached here.
pub trait InMemory: ReferenceKind {
    /// Returns the cache of the collection.
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>>;
}

impl InMemory for Tag {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.tags
    }
}

impl InMemory for Badge {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.badges
    }
}

impl InMemory for School {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.schools
    }
}

impl InMemory for Major {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.majors
    }
}

impl InMemory for Year {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.years
    }
}

impl InMemory for Fair {
    fn catalogue(all: &ReferenceData) -> &Catalogue<ReferenceEntry<Self>> {
        &all.fairs
    }
}

/// The entries of a collection, ordered by id.
#[derive(Debug, Clone)]
pub struct Entries<T>(Items<ReferenceEntry<T>>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: ReferenceKind> Entries<T> {
    /// Returns all entries, ordered by id.
    pub fn iter(&self) -> impl Iterator<Item = &ReferenceEntry<T>> {
        self.0.iter()
    }

    /// Returns the entry with this id.
    pub fn get(&self, id: Id<T>) -> Option<&ReferenceEntry<T>> {
        let position = self
            .0
            .binary_search_by_key(&id, |reference| reference.id)
            .ok()?;
        self.0.get(position)
    }

    /// Returns the entries with these ids, ordered by name.
    pub fn named(&self, ids: &[Id<T>]) -> Vec<&ReferenceEntry<T>> {
        let mut found: Vec<&ReferenceEntry<T>> =
            ids.iter().filter_map(|id| self.get(*id)).collect();
        found.sort_by_cached_key(|reference| {
            (crate::text::fold(reference.value.name()), reference.id)
        });
        found
    }
}

impl ReferenceData {
    /// Returns a collection as it was at `versions`. Nothing is read if the collection did not
    /// change since it was last read.
    pub async fn all<T: InMemory>(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Entries<T>, TableError> {
        let segments = T::catalogue(self)
            .segments(table, versions, &[T::SEGMENT.to_owned()], now)
            .await?;
        Ok(Entries(segments.into_iter().next().unwrap_or_default()))
    }

    /// Returns the registrations of clubs for fairs, ordered by fair.
    pub async fn registrations(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Items<Registration>, TableError> {
        let segments = self
            .registrations
            .segments(table, versions, &[keys::REGISTRATIONS.to_owned()], now)
            .await?;
        Ok(segments.into_iter().next().unwrap_or_default())
    }
}
