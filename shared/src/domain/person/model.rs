use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::domain::outbox::undelivered::Undelivered;
use crate::domain::person::notices::Notices;
use crate::domain::reference::model::{Major, School};
use crate::ids::{Id, of};
use crate::text::Email;
use crate::time::{CLOCKS_DIFFER, Timestamp};

/// A profile: the claims of a person's token, and what the person added (P6, P9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// Derived from the issuer and the subject of the token.
    pub id: Id<of::Person>,
    /// Copied from the claims of the token.
    pub personal: Personal,
    /// Addresses that they had before, folded, the latest last. Invites to them belong to their
    /// data (P13, P14).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_emails: Vec<Email>,
    /// The `iat` of the token that `personal` comes from. An older token never overwrites a newer
    /// one.
    pub token_issued_at: i64,
    /// Year of graduation, set by the person.
    pub graduation_year: Option<u16>,
    /// Ids of the schools set by the person, in ascending order.
    #[serde(default)]
    pub school: Vec<Id<School>>,
    /// Ids of the majors set by the person, in ascending order.
    #[serde(default)]
    pub major: Vec<Id<Major>>,
    /// URL of a picture.
    pub image_url: Option<String>,
    /// The full hash of issuer and subject. Ids have only 53 bits, and an issuer may let people
    /// choose their subject.
    pub subject: String,
    /// Number of clubs that they created, including deleted ones.
    pub clubs_created: i64,
    /// Number of clubs that they own, including deleted ones.
    pub clubs_owned: i64,
    /// When they made their first request.
    pub created_at: Timestamp,
    /// Whether their erasure has begun. Nothing more is stored about them then, and nobody finds
    /// them.
    #[serde(default)]
    pub erasing: bool,
    /// How often they asked for a new address of their calendar (P19).
    #[serde(default)]
    pub calendar: u32,
    /// Which reminders and news they get.
    #[serde(default)]
    pub notices: Notices,
    /// The day on which they used the service last with a session, in UTC. It is kept for people
    /// who have had a token (Z2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_on: Option<NaiveDate>,
    /// When the newest of their tokens was issued, in seconds since 1970: below 0, if it says that
    /// they are no admin. It is kept for people who have made a webhook as an admin (Z10), and
    /// stored once a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin_seen: Option<i64>,
    /// Increases with each change of the settings.
    #[serde(default)]
    pub settings_version: u64,
    /// The last mail about it that did not arrive (E35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undelivered: Option<Undelivered>,
}

impl Person {
    /// Returns the profile of somebody who has stored nothing yet.
    pub fn new(
        id: Id<of::Person>,
        subject: String,
        personal: Personal,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            personal,
            former_emails: vec![],
            token_issued_at: 0,
            graduation_year: None,
            school: vec![],
            major: vec![],
            image_url: None,
            subject,
            clubs_created: 0,
            clubs_owned: 0,
            created_at,
            erasing: false,
            calendar: 0,
            notices: Notices::default(),
            signed_in_on: None,
            admin_seen: None,
            settings_version: 0,
            undelivered: None,
        }
    }

    /// Returns whether this profile was there at that time. Somebody who was erased since and came
    /// back has a new one (P18).
    pub fn was_there(&self, at: Timestamp) -> bool {
        !self.erasing && self.created_at <= at.plus(CLOCKS_DIFFER)
    }

    /// The number of former addresses that are kept.
    pub const FORMER_EMAILS: usize = 20;

    /// Replaces what the token says, and keeps a former address.
    pub fn take_claims(&mut self, personal: Personal, issued_at: i64) {
        let former = std::mem::replace(&mut self.personal, personal)
            .email
            .folded();
        let current = self.personal.email.folded();
        self.former_emails
            .retain(|email| *email != current && *email != former);
        if former != current && !former.is_empty() {
            self.former_emails.push(former);
        }
        let surplus = self.former_emails.len().saturating_sub(Self::FORMER_EMAILS);
        self.former_emails.drain(..surplus);
        self.token_issued_at = issued_at;
    }
}

/// The number of clubs that an erased person had created. It is kept so that their count does not
/// start at 0 if they come back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Creations {
    /// Id of the user.
    pub person: Id<of::Person>,
    /// Number of clubs that they created.
    pub clubs_created: i64,
}

/// What a token says about a person. It is copied to where lists need it, and the copies are
/// updated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Personal {
    /// User name at the university.
    pub username: String,
    /// Full name.
    pub name: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// E-mail address, or empty.
    pub email: Email,
}

/// An index entry: a person under one word that a search can find them by (P12).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PersonWord {
    /// A word of the name, or the user name; folded (no case, no diacritics).
    pub word: String,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// The person; a copy that is updated with the profile.
    pub personal: Personal,
}

/// An index entry: a person under their e-mail address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PersonAddress {
    /// Address in lower case.
    pub address: String,
    /// Id of the user.
    pub person: Id<of::Person>,
}

/// The applicant as lists show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applicant {
    /// Copied from the token.
    pub personal: Personal,
    /// Year of graduation, from the profile.
    pub graduation_year: Option<u16>,
    /// Ids of schools, from the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub school: Vec<Id<School>>,
    /// Ids of majors, from the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub major: Vec<Id<Major>>,
}
