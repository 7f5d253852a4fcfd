use serde::{Deserialize, Serialize};

use crate::domain::person::model::Applicant;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A favorite club of a person. Its id is derived from the club and the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Favorite {
    /// Id of the favorite.
    pub id: Id<Favorite>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A club whose news a person subscribes to. Its id is derived from the club and the person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Subscription {
    /// Id of the subscription.
    pub id: Id<Subscription>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// The subscriber; a copy that is updated with the profile.
    pub applicant: Applicant,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
}
