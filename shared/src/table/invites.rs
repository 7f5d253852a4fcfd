//! Invitations.

use super::clubs::counted_membership;
use super::{Entity, Key, Table, TableError, Write, keys};
use crate::models::{Invite, Membership, Role};
use crate::time::Timestamp;

impl Entity for Invite {
    const TYPE: &'static str = "Invite";

    fn key(&self) -> Key {
        keys::invite(&self.club, &self.id)
    }
}

impl Invite {
    /// Days until an invite expires.
    pub const DAYS: i64 = 14;
    /// The version of invites that come with an acceptance: their link stays the same over re-sends.
    pub const ACCEPTANCE_VERSION: u32 = 1;

    /// The id of the invite that somebody accepted gets: one a person and club.
    pub fn id_for_accepted(club: &str, person: u64) -> String {
        format!("a{:014x}", crate::ids::derived("invite", &[club, &person.to_string()]))
    }

    /// Whether `id` can be an invite's at all.
    pub fn is_id(id: &str) -> bool {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric())
    }
}

/// Opens the invite of somebody accepted, or prolongs it.
pub(super) fn invite_accepted(club: &str, person: u64, email: &str, now: Timestamp) -> Write {
    let id = Invite::id_for_accepted(club, person);
    Write::update(keys::invite(club, &id))
        .set_once("id", &id)
        .set_once("club", &club)
        .set_once("type", &Invite::TYPE)
        .set_once("role", &Role::Member)
        .set_once("title", &"")
        .set_once("version", &Invite::ACCEPTANCE_VERSION)
        .set("email", &email.to_lowercase())
        .set("expires_at", &now.plus(chrono::TimeDelta::days(Invite::DAYS)))
        .set("accepted_at", &None::<Timestamp>)
        .set("updated_at", &now)
}

impl Table {
    /// An invite: 1 read.
    pub async fn invite(&self, club: &str, id: &str) -> Result<Option<Invite>, TableError> {
        self.get(keys::invite(club, id)).await
    }

    /// Uses an invite and adds the member. Refused at 0 if it was used or changed meanwhile, at 1 for a member.
    pub async fn accept_invite(&self, invite: &Invite, membership: &Membership, now: Timestamp) -> Result<(), TableError> {
        let used = Write::update(invite.key())
            .set("accepted_at", &now)
            .set("updated_at", &now)
            .if_equals("version", &invite.version)
            .if_equals("accepted_at", &None::<Timestamp>);
        let [put, count] = counted_membership(membership)?;
        self.transact(vec![used, put, count]).await
    }
}
