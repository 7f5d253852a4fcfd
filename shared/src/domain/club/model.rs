use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::domain::image::Image;
use crate::domain::reference::model::{Badge, Tag};
use crate::ids::Id;
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// A club. Counters are updated in place; the other fields are replaced only if the version is
/// unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Club {
    /// Code, which never changes.
    pub code: ClubCode,
    /// Changes with every change of the fields below it.
    pub version: u64,
    /// The fields that officers edit.
    pub profile: ClubProfile,
    /// Logo; none if the club has none.
    pub image: Option<Image>,
    /// Ids of the badges that admins gave to the club, in ascending order.
    #[serde(default)]
    pub badges: Vec<Id<Badge>>,
    /// None until an admin has decided.
    pub approved: Option<bool>,
    /// Deleted: the code stays in use, and everything under the club is invisible.
    pub archived: bool,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of memberships.
    pub members: i64,
    /// Number of memberships with the role of owner; at least one.
    pub owners: i64,
    /// Number of favorites.
    pub favorites: i64,
    /// Number of events, including those that have ended.
    pub events: i64,
    /// When its officers were last notified of membership requests.
    pub requests_notified_at: Option<Timestamp>,
    /// The times of its applications that have not ended, and of some that ended lately, by
    /// application id. They show whether the club accepts members and what its officers are working
    /// on, without reading the applications.
    pub windows: BTreeMap<String, Window>,
    /// When the results of its applications are released, by application id: of those that were
    /// released lately, and of the next ones, [`Window::MAX_RELEASES`] in all. The calendars of
    /// applicants need them (V22). Clubs of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub releases: BTreeMap<String, Timestamp>,
    /// Number of its applications. Clubs of earlier releases do not count them.
    #[serde(default)]
    pub applications: i64,
    /// Whether an import created it without an owner. It may get one later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_owner: bool,
}

/// The fields of a club that officers edit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClubProfile {
    /// Name shown to people.
    pub name: String,
    /// A single line below the name.
    pub subtitle: String,
    /// Clean HTML: the whole description, or only its beginning if `has_more` is true.
    pub description: String,
    /// Whether the whole description is stored separately ([`ClubText`]).
    pub has_more: bool,
    /// Contact address of the club; replies to its mails go there.
    pub email: Email,
    /// Home page; an http(s) URL.
    pub website: Option<String>,
    /// Ids of its tags, in ascending order.
    #[serde(default)]
    pub tags: Vec<Id<Tag>>,
    /// Whether an application is required to join: a number from 1 to 5.
    pub application_required: u8,
    /// Whether the club is active at present.
    pub active: bool,
    /// What the logo shows, for people who do not see it; empty if nobody has said it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub image_alt: String,
}

/// The whole description of a club, if it is too long for lists. Lists read only the clubs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClubText {
    /// Code of the club.
    pub club: ClubCode,
    /// Clean HTML.
    pub description: String,
}

/// The time in which an active application accepts submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The name of the application, cut at [`Window::NAME`] characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// When it opens.
    pub start: Timestamp,
    /// When it closes.
    pub end: Timestamp,
    /// Whether the application is switched on.
    #[serde(default = "switched_on", skip_serializing_if = "Clone::clone")]
    pub is_active: bool,
    /// The names of its first [`Window::COMMITTEES`] committees, cut at [`Window::NAME`]
    /// characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub committees: Vec<String>,
}

/// Windows of earlier releases are those of active applications.
fn switched_on() -> bool {
    true
}

impl Window {
    /// How many characters of the name of an application a club keeps.
    pub const NAME: usize = 60;
    /// How many names of committees of an application a club keeps.
    pub const COMMITTEES: usize = 10;
    /// For how many days a club keeps the window of an application that has ended.
    pub const KEPT_DAYS: i64 = 60;
    /// How many windows of applications that have ended a club keeps.
    pub const MAX_ENDED: usize = 5;
    /// How many times of release a club keeps.
    pub const MAX_RELEASES: usize = 20;

    /// Returns whether the application takes submissions at `now`.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.is_active && self.start.moment() <= now && now <= self.end.moment()
    }
}
