use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A later end of an application for one person (A9).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Extension {
    /// Derived from the application and the person.
    pub id: Id<of::Extension>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Code of the club. Extensions of earlier releases do not have it.
    #[serde(default)]
    pub club: Option<ClubCode>,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// Their user name; a copy that is updated with the profile.
    pub username: String,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// A new value with every change.
    pub version: u64,
    /// Until when the person may submit.
    pub end: Timestamp,
}
