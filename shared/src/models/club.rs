use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Applicant, Image, Personal, integer_enum};
use crate::time::Timestamp;

integer_enum! {
    /// What somebody is in a club; the smaller the number, the more they may.
    Role {
        /// May do everything in the club.
        Owner = 0,
        /// Runs it.
        Officer = 10,
        /// Belongs to it.
        Member = 20,
    }
}

/// A club (decisions.md §3). Counters are changed where they stand; the rest is replaced under a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Club {
    /// Its code, which never changes.
    pub code: String,
    /// Moves with every change of the fields below it.
    pub version: u64,
    /// What officers write.
    pub profile: ClubProfile,
    /// Logo.
    pub image: Option<Image>,
    /// Ids of the badges that admins awarded it, in order.
    #[serde(default)]
    pub badges: Vec<u64>,
    /// None while it waits for an admin.
    pub approved: Option<bool>,
    /// Deleted: the code stays taken, all under it is gone from sight.
    pub archived: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// Memberships.
    pub members: i64,
    /// Memberships with the role of owner; never less than one.
    pub owners: i64,
    /// Favorites.
    pub favorites: i64,
    /// When its officers were last told of membership requests.
    pub told_of_requests_at: Option<Timestamp>,
    /// The windows of its active applications, by their ids: is it accepting members?
    pub windows: BTreeMap<String, Window>,
}

/// What officers write of a club.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClubProfile {
    /// Display name.
    pub name: String,
    /// One line.
    pub subtitle: String,
    /// HTML, cleaned.
    pub description: String,
    /// Where to reach it; replies to its mails go there.
    pub email: String,
    /// Home page.
    pub website: Option<String>,
    /// Ids of its tags, in order.
    #[serde(default)]
    pub tags: Vec<u64>,
    /// 1–5.
    pub application_required: u8,
    /// Whether it is active at present.
    pub active: bool,
}

/// The time in which an active application takes submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Opens.
    pub start: Timestamp,
    /// Closes.
    pub end: Timestamp,
}

/// A person's membership of a club. Its id is derived from both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Membership id.
    pub id: u64,
    /// Club code.
    pub club: String,
    /// User id.
    pub person: u64,
    /// Role.
    pub role: Role,
    /// Position in the club.
    pub title: String,
    /// Bio, plain text.
    pub description: String,
    /// Whether others see who it is.
    pub public: bool,
    /// Whether the member is active at present.
    pub active: bool,
    /// Who it is; kept equal to the profile.
    pub personal: Personal,
    /// Their picture; kept equal to the profile.
    pub image_url: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
}

/// Somebody who asks to join a club. Its id is derived from both.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MembershipRequest {
    /// Request id.
    pub id: u64,
    /// Club code.
    pub club: String,
    /// User id.
    pub person: u64,
    /// Who it is; kept equal to the profile.
    pub applicant: Applicant,
    /// When they asked.
    pub created_at: Timestamp,
}

/// An invitation to join a club (decisions.md §7): there as long as it was neither used nor revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invite {
    /// Letters and digits.
    pub id: String,
    /// Club code.
    pub club: String,
    /// The address invited, in lower case.
    pub email: String,
    /// Role granted.
    pub role: Role,
    /// Title granted.
    pub title: String,
    /// Goes into the token, and is never given twice: links of older versions do not work.
    pub version: u64,
    /// The membership of the officer who gives the role; none for admins, and for the accepted.
    pub by: Option<u64>,
    /// Checked at use.
    pub expires_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}
