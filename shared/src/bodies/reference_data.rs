//! Response bodies for tags, badges, schools and majors inside other objects.

use serde::Serialize;
use utoipa::ToSchema;

use crate::db::TableError;
use crate::domain::{
    Applicant, Badge, Club, Entries, Major, ReferenceEntry, ReferenceKind, School,
};
use crate::ids::Id;
use crate::state::Context;
use crate::web::{ApiError, Load, PathIds, User};

/// A tag, a school or a major inside another object.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct NamedBody {
    /// Id of the entry.
    #[schema(value_type = u64)]
    id: Id<NamedBody>,
    /// One line.
    name: String,
}

impl<T: ReferenceKind> From<&ReferenceEntry<T>> for NamedBody {
    fn from(reference: &ReferenceEntry<T>) -> Self {
        Self {
            id: Id::new(reference.id.get()),
            name: reference.value.name().to_owned(),
        }
    }
}

/// A badge that a club may have.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BadgeBody {
    /// Id of the badge.
    #[schema(value_type = u64)]
    id: Id<Badge>,
    /// Text of the badge.
    label: String,
    /// Kind of badge.
    purpose: String,
    /// Plain text.
    description: String,
    /// `#rrggbb`, or empty.
    color: String,
}

impl From<&ReferenceEntry<Badge>> for BadgeBody {
    fn from(ReferenceEntry { id, value, .. }: &ReferenceEntry<Badge>) -> Self {
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

/// The badges that clubs may have.
#[derive(Debug, Clone, Default)]
pub struct Badges(pub Entries<Badge>);

impl Badges {
    /// Returns the current badges. Costs 1 read if no badge changed, and none if the club has no
    /// badges.
    pub async fn of(app: &Context, club: &Club) -> Result<Self, TableError> {
        if club.badges.is_empty() {
            return Ok(Self(Entries::default()));
        }
        Ok(Self(app.entries(&app.table.versions().await?).await?))
    }

    /// Returns the badges with these ids, by label.
    pub fn bodies(&self, ids: &[Id<Badge>]) -> Vec<BadgeBody> {
        self.0.named(ids).into_iter().map(BadgeBody::from).collect()
    }
}

/// The schools and majors in people's profiles.
#[derive(Debug, Clone, Default)]
pub struct Studies {
    schools: Entries<School>,
    majors: Entries<Major>,
}

impl Studies {
    /// Returns the current schools and majors. Costs 1 read if none changed, and none if no profile
    /// of these people contains a school or major.
    pub async fn of<'a>(
        app: &Context,
        mut people: impl Iterator<Item = &'a Applicant>,
    ) -> Result<Self, TableError> {
        if people.any(|person| !person.school.is_empty() || !person.major.is_empty()) {
            return Self::now(app).await;
        }
        Ok(Self::default())
    }

    /// Returns the current schools and majors. Costs 1 read if none changed.
    pub async fn now(app: &Context) -> Result<Self, TableError> {
        let versions = app.table.versions().await?;
        let (schools, majors) = futures::try_join!(app.entries(&versions), app.entries(&versions))?;
        Ok(Self { schools, majors })
    }

    /// Returns whether a school has this id.
    pub fn has_school(&self, id: Id<School>) -> bool {
        self.schools.get(id).is_some()
    }

    /// Returns whether a major has this id.
    pub fn has_major(&self, id: Id<Major>) -> bool {
        self.majors.get(id).is_some()
    }

    /// Returns the schools with these ids, by name.
    pub fn schools(&self, ids: &[Id<School>]) -> Vec<NamedBody> {
        self.schools
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }

    /// Returns the majors with these ids, by name.
    pub fn majors(&self, ids: &[Id<Major>]) -> Vec<NamedBody> {
        self.majors
            .named(ids)
            .into_iter()
            .map(NamedBody::from)
            .collect()
    }
}

impl Load for Studies {
    async fn load(app: &Context, _: &User, _: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(Some(Self::now(app).await?))
    }
}
