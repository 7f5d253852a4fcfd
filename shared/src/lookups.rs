//! The collections that admins keep, in memory, and how others show their entries.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::catalogue::{Catalogue, Listed};
use crate::models::{
    Applicant, Badge, Club, Fair, Kind, Lookup, Major, Registration, School, Tag, Year,
};
use crate::state::App;
use crate::table::{Table, TableError, Versions, keys};

/// Every collection.
#[derive(Default)]
pub struct Lookups {
    tags: Catalogue<Lookup<Tag>>,
    badges: Catalogue<Lookup<Badge>>,
    schools: Catalogue<Lookup<School>>,
    majors: Catalogue<Lookup<Major>>,
    years: Catalogue<Lookup<Year>>,
    fairs: Catalogue<Lookup<Fair>>,
    registrations: Catalogue<Registration>,
}

impl<T: Kind> Listed for Lookup<T> {
    type Stored = Self;
    const LASTS: TimeDelta = TimeDelta::minutes(15);

    fn new(stored: Self) -> Self {
        stored
    }

    fn size(&self) -> usize {
        serde_json::to_vec(self).map_or(0, |json| json.len()) + 100
    }
}

impl Listed for Registration {
    type Stored = Self;
    const LASTS: TimeDelta = TimeDelta::minutes(15);

    fn new(stored: Self) -> Self {
        stored
    }

    fn size(&self) -> usize {
        self.club.len() + 100
    }
}

/// What has a collection of its own here.
pub trait InMemory: Kind {
    /// The collection.
    fn catalogue(all: &Lookups) -> &Catalogue<Lookup<Self>>;
}

macro_rules! in_memory {
    ($($kind:ident $field:ident),+ $(,)?) => {
        $(impl InMemory for $kind {
            fn catalogue(all: &Lookups) -> &Catalogue<Lookup<Self>> {
                &all.$field
            }
        })+
    };
}

in_memory! { Tag tags, Badge badges, School schools, Major majors, Year years, Fair fairs }

/// The entries of a collection, by id.
#[derive(Debug, Clone)]
pub struct Entries<T>(Arc<Vec<Lookup<T>>>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Kind> Entries<T> {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Lookup<T>> {
        self.0.iter()
    }

    /// The entry with this id.
    pub fn get(&self, id: u64) -> Option<&Lookup<T>> {
        let position = self.0.binary_search_by_key(&id, |lookup| lookup.id).ok()?;
        self.0.get(position)
    }

    /// The entries with these ids, by name.
    pub fn named(&self, ids: &[u64]) -> Vec<&Lookup<T>> {
        let mut found: Vec<&Lookup<T>> = ids.iter().filter_map(|id| self.get(*id)).collect();
        found.sort_by_cached_key(|lookup| (crate::text::fold(lookup.value.name()), lookup.id));
        found
    }
}

impl Lookups {
    /// A collection as it was at `versions`: nothing is read if it did not change since it was read
    /// last.
    pub async fn all<T: InMemory>(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Entries<T>, TableError> {
        let parts = T::catalogue(self)
            .parts(table, versions, &[T::PART.to_owned()], now)
            .await?;
        Ok(Entries(parts.items.into_iter().next().unwrap_or_default()))
    }

    /// The clubs that are registered for fairs, by fair.
    pub async fn registrations(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Arc<Vec<Registration>>, TableError> {
        let parts = self
            .registrations
            .parts(table, versions, &[keys::REGISTRATIONS.to_owned()], now)
            .await?;
        Ok(parts.items.into_iter().next().unwrap_or_default())
    }
}

impl App {
    /// A collection as it was at `versions`.
    pub async fn entries<T: InMemory>(
        &self,
        versions: &Versions,
    ) -> Result<Entries<T>, TableError> {
        self.lookups
            .all(&self.table, versions, self.clock.now())
            .await
    }
}

/// A tag, a school or a major, where something else shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NamedBody {
    id: u64,
    name: String,
}

impl<T: Kind> From<&Lookup<T>> for NamedBody {
    fn from(lookup: &Lookup<T>) -> Self {
        Self {
            id: lookup.id,
            name: lookup.value.name().to_owned(),
        }
    }
}

/// A badge that clubs may have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BadgeBody {
    id: u64,
    label: String,
    /// What kind of badge it is.
    purpose: String,
    /// Plain text.
    description: String,
    /// `#rrggbb`, or empty.
    color: String,
}

impl From<&Lookup<Badge>> for BadgeBody {
    fn from(Lookup { id, value, .. }: &Lookup<Badge>) -> Self {
        let Badge {
            label,
            purpose,
            description,
            color,
        } = value.clone();
        Self {
            id: *id,
            label,
            purpose,
            description,
            color,
        }
    }
}

/// The badges of clubs.
#[derive(Debug, Clone)]
pub struct Badges(pub Entries<Badge>);

impl Badges {
    /// Those that a club may have, as of now: 1 read when none changed, nothing if the club has
    /// none.
    pub async fn of(app: &App, club: &Club) -> Result<Self, TableError> {
        if club.badges.is_empty() {
            return Ok(Self(Entries::default()));
        }
        Ok(Self(app.entries(&app.table.versions().await?).await?))
    }

    /// These badges, by label.
    pub fn bodies(&self, ids: &[u64]) -> Vec<BadgeBody> {
        self.0.named(ids).into_iter().map(BadgeBody::from).collect()
    }
}

/// The schools and majors that people say of themselves.
#[derive(Debug, Clone, Default)]
pub struct Studies {
    schools: Entries<School>,
    majors: Entries<Major>,
}

impl Studies {
    /// Those that these people say of themselves, as of now: 1 read when none changed, nothing if
    /// nobody says any.
    pub async fn of<'a>(
        app: &App,
        mut people: impl Iterator<Item = &'a Applicant>,
    ) -> Result<Self, TableError> {
        if people.any(|person| !person.school.is_empty() || !person.major.is_empty()) {
            return Self::now(app).await;
        }
        Ok(Self::default())
    }

    /// As of now: 1 read when none changed.
    pub async fn now(app: &App) -> Result<Self, TableError> {
        let versions = app.table.versions().await?;
        let (schools, majors) = futures::try_join!(app.entries(&versions), app.entries(&versions))?;
        Ok(Self { schools, majors })
    }

    /// Whether there is a school with this id.
    pub fn has_school(&self, id: u64) -> bool {
        self.schools.get(id).is_some()
    }

    /// Whether there is a major with this id.
    pub fn has_major(&self, id: u64) -> bool {
        self.majors.get(id).is_some()
    }

    /// These schools, by name.
    pub fn schools(&self, ids: &[u64]) -> Vec<NamedBody> {
        self.schools
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }

    /// These majors, by name.
    pub fn majors(&self, ids: &[u64]) -> Vec<NamedBody> {
        self.majors
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }
}
