use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ClubCode;
use crate::ids::Id;
use crate::time::Timestamp;

/// An entry of a collection that admins keep and others refer to (L2, L3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "T: LookupKind")]
pub struct Lookup<T> {
    /// Its id, in its collection.
    pub id: Id<T>,
    /// Moves with every change of the value.
    pub version: u64,
    /// How many clubs or people refer to it, archived clubs included: changed where it stands, in
    /// their transactions.
    pub uses: i64,
    /// What admins write.
    pub value: T,
}

/// What a collection holds.
pub trait LookupKind:
    Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static
{
    /// What an entry is called in the table.
    const TYPE: &'static str;
    /// The partition, and the part of the catalogue, that they stand in.
    const PART: &'static str;
    /// The field that is unique, whatever its case and diacritics.
    const UNIQUE: &'static str;

    /// What that field says.
    fn name(&self) -> &str;

    /// The year by which people refer to it, if they do not by its id.
    fn graduates(&self) -> Option<u16> {
        None
    }
}

/// A subject that clubs have to do with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Holds at least one letter.
    pub name: String,
}

/// A distinction that admins award to clubs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// Its name.
    pub label: String,
    /// What kind of badge it is.
    pub purpose: String,
    /// Plain text.
    pub description: String,
    /// `#rrggbb`, or empty.
    pub color: String,
}

/// A school of the university.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct School {
    /// Its name.
    pub name: String,
    /// Whether it is for graduates.
    pub is_graduate: bool,
}

/// A field of study.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Major {
    /// Its name.
    pub name: String,
}

/// A class, by the year in which it graduates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Year {
    /// Its name.
    pub name: String,
    /// The year; people refer to it by their year of graduation.
    pub year: u16,
}

/// A fair at which clubs present themselves. Its uses are the registered clubs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fair {
    /// Its name.
    pub name: String,
    /// Who holds it.
    pub organization: String,
    /// Whom to ask.
    pub contact: String,
    /// HTML, cleaned.
    pub information: String,
    /// Begins.
    pub start: Timestamp,
    /// Ends.
    pub end: Timestamp,
    /// Since when officers register their clubs; none: since ever.
    pub registration_start: Option<Timestamp>,
    /// Until when; none: until the fair ends.
    pub registration_end: Option<Timestamp>,
    /// Whether it is held online.
    #[serde(rename = "virtual")]
    pub is_virtual: bool,
}

impl Fair {
    /// Whether it is over.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.end < now
    }

    /// Whether it is on.
    pub fn is_on(&self, now: Timestamp) -> bool {
        self.start <= now && !self.is_over(now)
    }

    /// Whether clubs register.
    pub fn takes_clubs(&self, now: Timestamp) -> bool {
        self.registration_start.is_none_or(|start| start <= now)
            && now <= self.registration_end.unwrap_or(self.end)
    }
}

/// A club that is registered for a fair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Fair id.
    pub fair: Id<Fair>,
    /// Club code.
    pub club: ClubCode,
    /// Since when.
    pub created_at: Timestamp,
}

macro_rules! kinds {
    ($($kind:ident $type:literal $part:literal $unique:ident { $($more:tt)* }),+ $(,)?) => {
        $(impl LookupKind for $kind {
            const TYPE: &'static str = $type;
            const PART: &'static str = $part;
            const UNIQUE: &'static str = stringify!($unique);

            fn name(&self) -> &str {
                &self.$unique
            }

            $($more)*
        })+
    };
}

kinds! {
    Tag "Tag" "TAGS" name {},
    Badge "Badge" "BADGES" label {},
    School "School" "SCHOOLS" name {},
    Major "Major" "MAJORS" name {},
    Year "Year" "YEARS" name {
        fn graduates(&self) -> Option<u16> {
            Some(self.year)
        }
    },
    Fair "Fair" "FAIRS" name {},
}
