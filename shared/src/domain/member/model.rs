//! Memberships of clubs.

use serde::{Deserialize, Serialize};

use crate::db::JsonText;
use crate::domain::outbox::undelivered::Undelivered;
use crate::domain::person::model::Personal;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

crate::text::enums::integer_enum! {
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

/// A person's membership of a club. Its id is derived from the club and the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredMembership", into = "StoredMembership")]
pub struct Membership {
    /// Id of the membership.
    pub id: Id<of::Membership>,
    /// Code of the club.
    pub club: ClubCode,
    /// Changes with every change.
    pub version: u64,
    /// Id of the user.
    pub person: Id<of::Person>,
    /// Role in the club.
    pub role: Role,
    /// Position in the club.
    pub title: String,
    /// Biography, plain text.
    pub description: String,
    /// Whether other people can see who the member is.
    pub public: bool,
    /// Whether the member is active at present.
    pub active: bool,
    /// The member; a copy that is updated with the profile.
    pub personal: Personal,
    /// URL of their picture; a copy that is updated with the profile.
    pub image_url: Option<String>,
    /// Whether the person has shown that they know the club: they asked, applied, were invited or
    /// changed this membership; or the club knew the address (M13).
    pub confirmed: bool,
    /// Whether an import added them by their user name. Then officers see no address before the
    /// person has confirmed.
    pub by_username: bool,
    /// The id of the request that created it ([`crate::web::NewId`]). A repeated request
    /// recognises its own result by it, and a late deletion meant for an older one does not delete
    /// this one.
    pub creation: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// The last mail to the member that did not arrive (E35).
    pub undelivered: Option<Undelivered>,
}

/// A membership as it is stored: the attributes that conditions, counters and the index need, the
/// two copies of the profile, and everything else in one text.
#[derive(Serialize, Deserialize)]
struct StoredMembership {
    club: ClubCode,
    version: u64,
    person: Id<of::Person>,
    role: Role,
    creation: u64,
    personal: JsonText<Personal>,
    image_url: Option<String>,
    details: JsonText<MemberDetails>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undelivered: Option<Undelivered>,
}

/// What a club says about a member.
#[derive(Serialize, Deserialize)]
struct MemberDetails {
    id: Id<of::Membership>,
    title: String,
    description: String,
    public: bool,
    active: bool,
    created_at: Timestamp,
    #[serde(default = "confirmed_before")]
    confirmed: bool,
    #[serde(default)]
    by_username: bool,
}

/// Memberships of earlier releases showed their address.
fn confirmed_before() -> bool {
    true
}

impl From<StoredMembership> for Membership {
    fn from(stored: StoredMembership) -> Self {
        let StoredMembership {
            club,
            version,
            person,
            role,
            creation,
            personal: JsonText(personal),
            image_url,
            details: JsonText(details),
            undelivered,
        } = stored;
        Self {
            id: details.id,
            club,
            version,
            person,
            role,
            title: details.title,
            description: details.description,
            public: details.public,
            active: details.active,
            personal,
            image_url,
            confirmed: details.confirmed,
            by_username: details.by_username,
            creation,
            created_at: details.created_at,
            undelivered,
        }
    }
}

impl From<Membership> for StoredMembership {
    fn from(membership: Membership) -> Self {
        Self {
            club: membership.club,
            version: membership.version,
            person: membership.person,
            role: membership.role,
            creation: membership.creation,
            personal: JsonText(membership.personal),
            image_url: membership.image_url,
            undelivered: membership.undelivered,
            details: JsonText(MemberDetails {
                id: membership.id,
                title: membership.title,
                description: membership.description,
                public: membership.public,
                active: membership.active,
                confirmed: membership.confirmed,
                by_username: membership.by_username,
                created_at: membership.created_at,
            }),
        }
    }
}
