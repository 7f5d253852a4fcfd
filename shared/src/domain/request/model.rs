use serde::{Deserialize, Serialize};

use crate::domain::person::model::Applicant;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A person's request to join a club. Its id is derived from the club and the person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MembershipRequest {
    /// Id of the request.
    pub id: Id<of::MembershipRequest>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// The person; a copy that is updated with the profile.
    pub applicant: Applicant,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
}
