//! Tags, badges, schools and majors where other objects show them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::http::{ApiError, Load, PathIds, User};
use crate::ids::Id;
use crate::lookups::Entries;
use crate::models::{Applicant, Badge, Club, Lookup, LookupKind, Major, School};
use crate::state::{App, Shared};
use crate::table::TableError;

/// A tag, a school or a major, where something else shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NamedBody {
    #[schema(value_type = u64)]
    id: Id<NamedBody>,
    name: String,
}

impl<T: LookupKind> From<&Lookup<T>> for NamedBody {
    fn from(lookup: &Lookup<T>) -> Self {
        Self {
            id: Id::new(lookup.id.get()),
            name: lookup.value.name().to_owned(),
        }
    }
}

/// A badge that clubs may have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BadgeBody {
    #[schema(value_type = u64)]
    id: Id<Badge>,
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
#[derive(Debug, Clone, Default)]
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
    pub fn bodies(&self, ids: &[Id<Badge>]) -> Vec<BadgeBody> {
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
    pub fn has_school(&self, id: Id<School>) -> bool {
        self.schools.get(id).is_some()
    }

    /// Whether there is a major with this id.
    pub fn has_major(&self, id: Id<Major>) -> bool {
        self.majors.get(id).is_some()
    }

    /// These schools, by name.
    pub fn schools(&self, ids: &[Id<School>]) -> Vec<NamedBody> {
        self.schools
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }

    /// These majors, by name.
    pub fn majors(&self, ids: &[Id<Major>]) -> Vec<NamedBody> {
        self.majors
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }
}

impl Load for Studies {
    async fn load(app: &Shared, _: &User, _: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(Some(Self::now(app).await?))
    }
}
