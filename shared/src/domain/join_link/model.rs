use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A link with which anybody can join a club as a member (J1). Its token is derived, not stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JoinLink {
    /// Id of the link.
    pub id: Id<of::JoinLink>,
    /// Code of the club.
    pub club: ClubCode,
    /// A new value with every change, but not with a use.
    pub version: u64,
    /// The id of the request that created it ([`crate::web::NewId`]).
    pub creation: u64,
    /// Title of those who join with it.
    pub title: String,
    /// A note of the officers.
    pub note: String,
    /// Until when it can be used.
    pub expires_at: Timestamp,
    /// How often it can be used; no limit if none.
    pub max_uses: Option<u32>,
    /// How often it was used.
    pub uses: u32,
    /// Id of the officer who created it.
    pub created_by: Id<of::Person>,
    /// The membership of that officer: the link works while it is one of an officer (J7). None if
    /// an admin created it.
    #[serde(default)]
    pub by: Option<Id<of::Membership>>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl JoinLink {
    /// Days until a link expires, if the officer does not say otherwise.
    pub const DAYS: i64 = 30;
    /// The most days until a link expires.
    pub const MOST_DAYS: i64 = 366;
    /// Days for which an expired link remains visible and can be made valid again.
    pub const KEPT_DAYS: i64 = 90;

    /// Returns whether somebody can join with it at `now`: for the first time, or again.
    pub fn is_usable(&self, now: Timestamp, is_again: bool) -> bool {
        let is_left = self.max_uses.is_none_or(|most| self.uses < most);
        now < self.expires_at && (is_left || is_again)
    }
}

/// That a person joined with a link. Joining again does not use the link up (J7).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinkUse {
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the link.
    pub link: Id<of::JoinLink>,
    /// Id of the person.
    pub person: Id<of::Person>,
    /// When the table may delete this item, in seconds since 1970.
    pub expires: i64,
}
