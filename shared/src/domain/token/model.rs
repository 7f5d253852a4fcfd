use chrono::{Months, NaiveDate, TimeDelta};
use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// What a token may do (Z3). A scope to write does not include the one to read.
    TokenScope {
        /// What members and officers see of the club and of its events; subscribers.
        ClubsRead = "clubs:read",
        /// Changing the club, its image, and creating clubs.
        ClubsWrite = "clubs:write",
        /// Members, requests, invites and join links.
        MembersRead = "members:read",
        /// Changing these, inviting, and imports.
        MembersWrite = "members:write",
        /// Applications, questions, extensions, submissions, reviews, exports, files and slots.
        RecruitmentRead = "recruitment:read",
        /// Changing these, and decisions.
        RecruitmentWrite = "recruitment:write",
        /// Events, their showings and images.
        EventsWrite = "events:write",
        /// Sending decisions and invitations to interviews, and their previews.
        MailSend = "mail:send",
    }
}

impl TokenScope {
    /// All scopes.
    pub const ALL: [Self; 8] = [
        Self::ClubsRead,
        Self::ClubsWrite,
        Self::MembersRead,
        Self::MembersWrite,
        Self::RecruitmentRead,
        Self::RecruitmentWrite,
        Self::EventsWrite,
        Self::MailSend,
    ];

    /// Returns the word in the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClubsRead => "clubs:read",
            Self::ClubsWrite => "clubs:write",
            Self::MembersRead => "members:read",
            Self::MembersWrite => "members:write",
            Self::RecruitmentRead => "recruitment:read",
            Self::RecruitmentWrite => "recruitment:write",
            Self::EventsWrite => "events:write",
            Self::MailSend => "mail:send",
        }
    }

    /// Returns the scope that reads what this one writes; none if there is none.
    pub fn to_read(self) -> Option<Self> {
        match self {
            Self::ClubsWrite => Some(Self::ClubsRead),
            Self::MembersWrite => Some(Self::MembersRead),
            Self::RecruitmentWrite => Some(Self::RecruitmentRead),
            _ => None,
        }
    }

    /// Returns the scopes that write what this one reads.
    pub fn to_write(self) -> &'static [Self] {
        match self {
            Self::ClubsRead => &[Self::ClubsWrite, Self::EventsWrite],
            Self::MembersRead => &[Self::MembersWrite],
            Self::RecruitmentRead => &[Self::RecruitmentWrite],
            _ => &[],
        }
    }
}

/// A token with which a program acts for a person, within its scopes and its club (Z1). Its text is
/// not stored, only its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Id of the token.
    pub id: Id<of::Token>,
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Its number among the [`crate::limits::TOKENS`] tokens of the person.
    pub number: u8,
    /// Its name.
    pub name: String,
    /// What it may do, in the order of [`TokenScope::ALL`].
    pub scopes: Vec<TokenScope>,
    /// The only club that it is for; none for all clubs.
    pub club: Option<ClubCode>,
    /// The SHA-256 of its text, in hexadecimal digits.
    pub sha256: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Until when it can be used.
    pub expires_at: Timestamp,
    /// The day on which it was used last, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_on: Option<NaiveDate>,
    /// The order number of the request that created it: a late erasure ends no later one.
    pub received: u64,
}

impl Token {
    /// How long a token can be used if nothing else is asked for, in days.
    pub const DAYS: i64 = 90;
    /// How long it can be used at most.
    pub const MOST: Months = Months::new(12);
    /// How long an expired token is shown.
    pub(crate) const SHOWN: TimeDelta = TimeDelta::days(30);
    /// How long its person may not have signed in.
    pub const SIGNED_IN_WITHIN: TimeDelta = TimeDelta::days(90);

    /// Returns whether it may do what a scope allows.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }
}
