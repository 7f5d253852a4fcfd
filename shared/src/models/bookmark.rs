use serde::{Deserialize, Serialize};

use super::{Applicant, ClubCode, Person};
use crate::ids::Id;
use crate::time::Timestamp;

/// A club that somebody keeps at hand. Its id is derived from both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Favorite {
    /// Favorite id.
    pub id: Id<Favorite>,
    /// Club code.
    pub club: ClubCode,
    /// User id.
    pub person: Id<Person>,
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// Since when.
    pub created_at: Timestamp,
}

/// A club that somebody wants to hear of. Its id is derived from both.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Subscription {
    /// Subscription id.
    pub id: Id<Subscription>,
    /// Club code.
    pub club: ClubCode,
    /// User id.
    pub person: Id<Person>,
    /// Who it is; kept equal to the profile.
    pub applicant: Applicant,
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// Since when.
    pub created_at: Timestamp,
}
