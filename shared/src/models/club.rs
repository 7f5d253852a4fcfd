use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Applicant, Badge, ClubCode, Email, Image, Membership, Person, Submission, Tag};
use crate::ids::Id;
use crate::time::Timestamp;

crate::models::enums::integer_enum! {
    /// The role of a member in a club. A smaller number has more rights.
    Role {
        /// Has all rights in the club.
        Owner = 0,
        /// Manages the club.
        Officer = 10,
        /// A member without management rights.
        Member = 20,
    }
}

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
    /// The id of the request that created it ([`crate::http::NewId`]). A repeated request
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
    pub told_of_requests_at: Option<Timestamp>,
    /// The times of its applications that have not ended, and of some that ended lately, by
    /// application id. They show whether the club accepts members and what its officers are working
    /// on, without reading the applications.
    pub windows: BTreeMap<String, Window>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// When it opens.
    pub start: Timestamp,
    /// When it closes.
    pub end: Timestamp,
    /// Whether the application is switched on.
    #[serde(default = "switched_on", skip_serializing_if = "Clone::clone")]
    pub is_active: bool,
}

/// Windows of earlier releases are those of active applications.
fn switched_on() -> bool {
    true
}

impl Window {
    /// For how many days a club keeps the window of an application that has ended.
    pub const KEPT_DAYS: i64 = 60;
    /// How many windows of applications that have ended a club keeps.
    pub const KEPT: usize = 5;

    /// Returns whether the application takes submissions at `now`.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.is_active && self.start.moment() <= now && now <= self.end.moment()
    }
}

/// A person's request to join a club. Its id is derived from the club and the person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MembershipRequest {
    /// Id of the request.
    pub id: Id<MembershipRequest>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the user.
    pub person: Id<Person>,
    /// The person; a copy that is updated with the profile.
    pub applicant: Applicant,
    /// The id of the request that created it ([`crate::http::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A link with which anybody can join a club as a member (J1). Its token is derived, not stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JoinLink {
    /// Id of the link.
    pub id: Id<JoinLink>,
    /// Code of the club.
    pub club: ClubCode,
    /// A new value with every change, but not with a use.
    pub version: u64,
    /// The id of the request that created it ([`crate::http::NewId`]).
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
    pub created_by: Id<Person>,
    /// The membership of that officer: the link works while it is one of an officer (J7). None if
    /// an admin created it.
    #[serde(default)]
    pub by: Option<Id<Membership>>,
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
    pub link: Id<JoinLink>,
    /// Id of the person.
    pub person: Id<Person>,
    /// When the table may delete this item, in seconds since 1970.
    pub expires: i64,
}

/// The invitations that a club sent recently, including those sent again (I13, I14).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InvitationLog {
    /// Code of the club.
    pub club: ClubCode,
    /// A new value with every change; 0 before the first.
    pub version: u64,
    /// The invitations of the last 24 hours, and the people who were added.
    pub sent: DailyCount,
    /// The people of the last 24 hours who were added one by one, and neither asked nor applied.
    #[serde(default)]
    pub strangers: DailyCount,
    /// Which invites were sent at which second; covers the last 10 minutes.
    pub recent: Vec<SentInvites>,
    /// When the table may delete this item, in seconds since 1970.
    pub expires: i64,
}

/// How often something happened in the last 24 hours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DailyCount(Vec<SentCount>);

impl DailyCount {
    const DAY: i64 = 24 * 3_600;

    /// Returns the entries of the last 24 hours.
    fn last_day(&self, now: i64) -> impl Iterator<Item = &SentCount> {
        self.0.iter().filter(move |sent| now < sent.at + Self::DAY)
    }

    /// Returns the seconds until `more` are within the limit of a day; 0 if they are now. If `more`
    /// alone is above the limit, the result is a day.
    pub fn wait_for(&self, more: usize, limit: usize, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let mut count: usize = self.last_day(now).map(|sent| sent.count).sum();
        if count + more <= limit {
            return 0;
        }
        for sent in self.last_day(now) {
            count -= sent.count;
            if count + more <= limit {
                return u64::try_from(sent.at + Self::DAY - now).unwrap_or(1);
            }
        }
        u64::try_from(Self::DAY).unwrap_or(1)
    }

    /// Returns how many more are within the limit of a day.
    pub fn allowed(&self, limit: usize, now: Timestamp) -> usize {
        let last_day = self.last_day(now.epoch_seconds());
        let count: usize = last_day.map(|sent| sent.count).sum();
        limit.saturating_sub(count)
    }

    /// Returns the count with `more` at `now`.
    #[must_use]
    pub fn with(&self, more: usize, now: Timestamp) -> Self {
        let at = now.epoch_seconds();
        let mut sent: Vec<SentCount> = self.last_day(at).cloned().collect();
        match sent.last_mut() {
            Some(last) if last.at == at => last.count += more,
            _ if more == 0 => {}
            _ => sent.push(SentCount { at, count: more }),
        }
        Self(sent)
    }
}

/// How often something happened in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCount {
    /// The second, in seconds since 1970.
    pub at: i64,
    /// How often.
    pub count: usize,
}

/// The invites that were sent in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentInvites {
    /// The second, in seconds since 1970.
    pub at: i64,
    /// Ids of invites, or of memberships whose members were notified that they were added.
    pub ids: Vec<String>,
}

impl InvitationLog {
    /// How many invitations a club may send in 24 hours, and how many people it may add.
    pub const DAILY: usize = 300;
    /// How many people who neither asked nor applied may be added one by one in 24 hours.
    pub const STRANGERS: usize = 50;
    /// Seconds until the same invite may be sent again.
    const PAUSE: i64 = 600;

    /// Returns the entries of the last ten minutes.
    fn last_minutes(&self, now: i64) -> impl Iterator<Item = &SentInvites> {
        self.recent
            .iter()
            .filter(move |sent| now < sent.at + Self::PAUSE)
    }

    /// Returns the seconds until `more` invitations may be sent; 0 if they may be sent now.
    pub fn wait_for(&self, more: usize, now: Timestamp) -> u64 {
        self.sent.wait_for(more, Self::DAILY, now)
    }

    /// Returns how many invitations may be sent now.
    pub fn allowed(&self, now: Timestamp) -> usize {
        self.sent.allowed(Self::DAILY, now)
    }

    /// Returns the seconds until this invite may be sent again; 0 if it may be sent now.
    pub fn wait_for_resend(&self, invite: &str, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let has_it = |sent: &&SentInvites| sent.ids.iter().any(|id| id == invite);
        let sent = self.last_minutes(now).filter(has_it);
        let last = sent.map(|sent| sent.at + Self::PAUSE - now).max();
        last.map_or(0, |seconds| u64::try_from(seconds).unwrap_or(0))
    }

    /// Returns how often this invite was sent in the last ten minutes.
    pub fn times(&self, invite: &str, now: Timestamp) -> usize {
        let sent = self.last_minutes(now.epoch_seconds());
        sent.flat_map(|sent| &sent.ids)
            .filter(|id| *id == invite)
            .count()
    }

    /// Returns the log with one more person who was added and neither asked nor applied.
    #[must_use]
    pub fn with_stranger(self, now: Timestamp) -> Self {
        Self {
            strangers: self.strangers.with(1, now),
            ..self
        }
    }

    /// Returns the log with these invites added as sent now.
    #[must_use]
    pub fn with<'a>(
        &self,
        club: &ClubCode,
        invites: impl Iterator<Item = &'a str>,
        version: u64,
        now: Timestamp,
    ) -> Self {
        let at = now.epoch_seconds();
        let new = SentInvites {
            at,
            ids: invites.map(str::to_owned).collect(),
        };
        Self {
            club: club.clone(),
            version,
            sent: self.sent.with(new.ids.len(), now),
            strangers: self.strangers.with(0, now),
            recent: self.last_minutes(at).cloned().chain([new]).collect(),
            expires: at + DailyCount::DAY,
        }
    }
}

/// An invitation to join a club (I3, I6). It is deleted when it is used or revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invite {
    /// Id of the invite: letters and digits.
    pub id: String,
    /// Code of the club.
    pub club: ClubCode,
    /// Address of the invited person, in lower case.
    pub email: Email,
    /// Role that the person gets.
    pub role: Role,
    /// Title that the person gets.
    pub title: String,
    /// Part of the token, and never used twice. Links of older versions do not work.
    pub version: u64,
    /// Membership of the officer who grants the role; none if an admin does, or for accepted
    /// applicants.
    pub by: Option<Id<Membership>>,
    /// When it expires; checked when it is used.
    pub expires_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The acceptance mails that brought it. When all of them are taken back, it is revoked (E25).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptanceMail>,
}

/// An acceptance mail that brought an invitation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceMail {
    /// Id of the accepted submission.
    pub submission: Id<Submission>,
    /// As in [`super::MailState`].
    pub order: u32,
}
