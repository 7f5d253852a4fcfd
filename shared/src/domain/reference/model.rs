use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ids::Id;
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// An entry of a collection that admins edit and other objects refer to (L2, L3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "T: ReferenceKind")]
pub struct ReferenceEntry<T> {
    /// Id, unique in its collection.
    pub id: Id<T>,
    /// Changes with every change of the value.
    pub version: u64,
    /// How many clubs or people refer to it, including archived clubs. Updated in place, in the
    /// transactions of those clubs and people.
    pub uses: i64,
    /// The fields that admins edit.
    pub value: T,
}

/// A kind of entry, such as tags or schools.
pub trait ReferenceKind:
    Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static
{
    /// What an entry is in the table.
    const KIND: Kind;
    /// The partition of the table, and segment of the catalogue, that contains the entries.
    const SEGMENT: &'static str;
    /// The name of the field that must be unique. Case and diacritics are ignored.
    const UNIQUE: &'static str;

    /// Returns the value of that field.
    fn name(&self) -> &str;

    /// Returns the year by which people refer to the entry; none if they refer to it by its id.
    fn graduates(&self) -> Option<u16> {
        None
    }
}

/// A topic that clubs are tagged with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Name; contains at least one letter.
    pub name: String,
}

/// An award that admins give to clubs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// Name of the badge.
    pub label: String,
    /// Kind of badge.
    pub purpose: String,
    /// Plain text.
    pub description: String,
    /// `#rrggbb`, or empty.
    pub color: String,
}

/// A school of the university.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct School {
    /// Name of the school.
    pub name: String,
    /// Whether the school is for graduate students.
    pub is_graduate: bool,
}

/// A field of study.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Major {
    /// Name of the major.
    pub name: String,
}

/// A class of students, identified by its year of graduation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Year {
    /// Name of the class.
    pub name: String,
    /// Year of graduation; profiles refer to the class by it.
    pub year: u16,
}

/// A fair at which clubs present themselves. Its `uses` counts the registered clubs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fair {
    /// Name of the fair.
    pub name: String,
    /// Who organises it.
    pub organization: String,
    /// Contact for questions.
    pub contact: String,
    /// Clean HTML.
    pub information: String,
    /// Start.
    pub start: Timestamp,
    /// End.
    pub end: Timestamp,
    /// When registration opens for officers; none if it has always been open.
    pub registration_start: Option<Timestamp>,
    /// When registration closes; none if it closes at the end of the fair.
    pub registration_end: Option<Timestamp>,
    /// Whether the fair is held online.
    #[serde(rename = "virtual")]
    pub is_virtual: bool,
}

impl Fair {
    /// Returns whether the fair has ended.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.end < now
    }

    /// Returns whether the fair takes place at `now`.
    pub fn is_on(&self, now: Timestamp) -> bool {
        self.start <= now && !self.is_over(now)
    }

    /// Returns whether clubs can be registered at `now`.
    pub fn takes_clubs(&self, now: Timestamp) -> bool {
        self.registration_start.is_none_or(|start| start <= now)
            && now <= self.registration_end.unwrap_or(self.end)
    }
}

/// A club that is registered for a fair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Id of the fair.
    pub fair: Id<Fair>,
    /// Code of the club.
    pub club: ClubCode,
    /// When the club was registered.
    pub created_at: Timestamp,
    /// The order number of the request that registered it.
    pub received: u64,
}

impl ReferenceKind for Tag {
    const KIND: Kind = Kind::Tag;
    const SEGMENT: &'static str = "TAGS";
    const UNIQUE: &'static str = "name";

    fn name(&self) -> &str {
        &self.name
    }
}

impl ReferenceKind for Badge {
    const KIND: Kind = Kind::Badge;
    const SEGMENT: &'static str = "BADGES";
    const UNIQUE: &'static str = "label";

    fn name(&self) -> &str {
        &self.label
    }
}

impl ReferenceKind for School {
    const KIND: Kind = Kind::School;
    const SEGMENT: &'static str = "SCHOOLS";
    const UNIQUE: &'static str = "name";

    fn name(&self) -> &str {
        &self.name
    }
}

impl ReferenceKind for Major {
    const KIND: Kind = Kind::Major;
    const SEGMENT: &'static str = "MAJORS";
    const UNIQUE: &'static str = "name";

    fn name(&self) -> &str {
        &self.name
    }
}

impl ReferenceKind for Year {
    const KIND: Kind = Kind::Year;
    const SEGMENT: &'static str = "YEARS";
    const UNIQUE: &'static str = "name";

    fn name(&self) -> &str {
        &self.name
    }

    fn graduates(&self) -> Option<u16> {
        Some(self.year)
    }
}

impl ReferenceKind for Fair {
    const KIND: Kind = Kind::Fair;
    const SEGMENT: &'static str = "FAIRS";
    const UNIQUE: &'static str = "name";

    fn name(&self) -> &str {
        &self.name
    }
}
