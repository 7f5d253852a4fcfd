use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Applicant, Badge, ClubCode, Email, Image, Person, Personal, Tag, integer_enum};
use crate::ids::Id;
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

/// A club. Counters are changed where they stand; the rest is replaced under a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Club {
    /// Its code, which never changes.
    pub code: ClubCode,
    /// Moves with every change of the fields below it.
    pub version: u64,
    /// What officers write.
    pub profile: ClubProfile,
    /// Logo.
    pub image: Option<Image>,
    /// Ids of the badges that admins awarded it, in order.
    #[serde(default)]
    pub badges: Vec<Id<Badge>>,
    /// None while it waits for an admin.
    pub approved: Option<bool>,
    /// Deleted: the code stays taken, all under it is gone from sight.
    pub archived: bool,
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Memberships.
    pub members: i64,
    /// Memberships with the role of owner; never less than one.
    pub owners: i64,
    /// Favorites.
    pub favorites: i64,
    /// Events, those that have ended too.
    pub events: i64,
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
    /// HTML, cleaned: the whole of it, or its beginning where `has_more` says so.
    pub description: String,
    /// Whether the whole description stands apart ([`ClubText`]), and only its beginning here.
    pub has_more: bool,
    /// Where to reach it; replies to its mails go there.
    pub email: Email,
    /// Home page.
    pub website: Option<String>,
    /// Ids of its tags, in order.
    #[serde(default)]
    pub tags: Vec<Id<Tag>>,
    /// 1–5.
    pub application_required: u8,
    /// Whether it is active at present.
    pub active: bool,
}

/// The whole description of a club, if it is longer than lists hold: they read the clubs, and not
/// these.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClubText {
    /// Club code.
    pub club: ClubCode,
    /// HTML, cleaned.
    pub description: String,
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
    pub id: Id<Membership>,
    /// Club code.
    pub club: ClubCode,
    /// Increases with every change.
    pub version: u64,
    /// User id.
    pub person: Id<Person>,
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
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// Since when.
    pub created_at: Timestamp,
}

/// Somebody who asks to join a club. Its id is derived from both.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MembershipRequest {
    /// Request id.
    pub id: Id<MembershipRequest>,
    /// Club code.
    pub club: ClubCode,
    /// User id.
    pub person: Id<Person>,
    /// Who it is; kept equal to the profile.
    pub applicant: Applicant,
    /// The id of the request that made it ([`crate::http::NewId`]): a repeat finds its own work by
    /// it, and a late deletion of an older one does not meet this one.
    pub creation: u64,
    /// When they asked.
    pub created_at: Timestamp,
}

/// The invitations that a club has sent lately, resends included (I13, I14).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InvitationLog {
    /// Club code.
    pub club: ClubCode,
    /// Made anew with every change; 0 before the first.
    pub version: u64,
    /// How many were sent when, in seconds since 1970; of the last 24 hours.
    pub sent: Vec<SentCount>,
    /// Which invites were sent when; of the last 10 minutes.
    pub recent: Vec<SentInvites>,
    /// When the table may remove it, in seconds since 1970.
    pub expires: i64,
}

/// How many invitations were sent in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCount {
    /// When, in seconds since 1970.
    pub at: i64,
    /// How many.
    pub count: usize,
}

/// The invites that were sent in one second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentInvites {
    /// When, in seconds since 1970.
    pub at: i64,
    /// Invite ids, or ids of memberships whose people were told that they were added.
    pub ids: Vec<String>,
}

impl InvitationLog {
    /// Invitations of a club in 24 hours.
    pub const DAILY: usize = 300;
    const DAY: i64 = 24 * 3_600;
    /// Seconds before one invite is sent again.
    const PAUSE: i64 = 600;

    /// The entries of the last 24 hours.
    fn last_day(&self, now: i64) -> impl Iterator<Item = &SentCount> {
        self.sent
            .iter()
            .filter(move |sent| now < sent.at + Self::DAY)
    }

    /// The entries of the last ten minutes.
    fn last_minutes(&self, now: i64) -> impl Iterator<Item = &SentInvites> {
        self.recent
            .iter()
            .filter(move |sent| now < sent.at + Self::PAUSE)
    }

    /// Seconds until `more` invitations may be sent; 0 if now. More than [`Self::DAILY`] may never
    /// be sent at once.
    pub fn wait_for(&self, more: usize, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let mut count: usize = self.last_day(now).map(|sent| sent.count).sum();
        if count + more <= Self::DAILY {
            return 0;
        }
        for sent in self.last_day(now) {
            count -= sent.count;
            if count + more <= Self::DAILY {
                return u64::try_from(sent.at + Self::DAY - now).unwrap_or(1);
            }
        }
        u64::try_from(Self::DAY).unwrap_or(1)
    }

    /// Seconds until this invite may be sent again; 0 if now.
    pub fn wait_for_resend(&self, invite: &str, now: Timestamp) -> u64 {
        let now = now.epoch_seconds();
        let has_it = |sent: &&SentInvites| sent.ids.iter().any(|id| id == invite);
        let sent = self.last_minutes(now).filter(has_it);
        let last = sent.map(|sent| sent.at + Self::PAUSE - now).max();
        last.map_or(0, |seconds| u64::try_from(seconds).unwrap_or(0))
    }

    /// How often this invite was sent in the last ten minutes.
    pub fn times(&self, invite: &str, now: Timestamp) -> usize {
        let sent = self.last_minutes(now.epoch_seconds());
        sent.flat_map(|sent| &sent.ids)
            .filter(|id| *id == invite)
            .count()
    }

    /// The log after these invites are sent now.
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
        let mut sent: Vec<SentCount> = self.last_day(at).cloned().collect();
        match sent.last_mut() {
            Some(last) if last.at == at => last.count += new.ids.len(),
            _ => sent.push(SentCount {
                at,
                count: new.ids.len(),
            }),
        }
        Self {
            club: club.clone(),
            version,
            sent,
            recent: self.last_minutes(at).cloned().chain([new]).collect(),
            expires: at + Self::DAY,
        }
    }
}

/// An invitation to join a club (I3, I6): there as long as it was neither used nor revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invite {
    /// Letters and digits.
    pub id: String,
    /// Club code.
    pub club: ClubCode,
    /// The address invited, in lower case.
    pub email: Email,
    /// Role granted.
    pub role: Role,
    /// Title granted.
    pub title: String,
    /// Goes into the token, and is never given twice: links of older versions do not work.
    pub version: u64,
    /// The membership of the officer who gives the role; none for admins, and for the accepted.
    pub by: Option<Id<Membership>>,
    /// Checked at use.
    pub expires_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}
