//! Invitations: an item as long as they can be used or sent anew.

use super::conditions::authority;
use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{ClubCode, Email, InvitationLog, Invite, Mail, Membership, Person, Role};
use crate::time::Timestamp;

impl Entity for Invite {
    const TYPE: &'static str = "Invite";

    fn key(&self) -> Key {
        keys::invite(&self.club, &self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::addressed_invite(&self.email, &self.club, &self.id))
    }

    fn expires(&self) -> Option<i64> {
        Some(forgotten(self.expires_at))
    }
}

impl Entity for InvitationLog {
    const TYPE: &'static str = "InvitationLog";

    fn key(&self) -> Key {
        keys::invitation_log(&self.club)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

/// The write that takes a club's log from one state to the next.
pub(super) fn logged(old: &InvitationLog, new: &InvitationLog) -> Result<Write, TableError> {
    let log = Write::put(new)?;
    // One that was removed after its time begins anew.
    Ok(if old.version == 0 {
        log.if_new()
    } else {
        log.if_new_or_equals("version", &old.version)
    })
}

/// When the table may remove an invite that expires then.
fn forgotten(expires_at: Timestamp) -> i64 {
    expires_at
        .plus(chrono::TimeDelta::days(Invite::KEPT_DAYS))
        .epoch_seconds()
}

impl Invite {
    /// Days until an invite expires.
    pub const DAYS: i64 = 14;
    /// Days for which an expired one can still be seen and sent anew.
    pub const KEPT_DAYS: i64 = 30;
    /// The id of the invite of an address: one a club.
    pub fn id_for_address(club: &ClubCode, email: &Email) -> String {
        format!(
            "e{:014x}",
            crate::ids::derived("invited address", &[club, &email.to_lowercase()])
        )
    }

    /// The id of the invite that somebody accepted gets: one a person and club.
    pub fn id_for_accepted(club: &ClubCode, person: Id<Person>) -> String {
        format!(
            "a{:014x}",
            crate::ids::derived("invite", &[club, &person.to_string()])
        )
    }

    /// Whether `id` can be an invite's at all.
    pub fn is_id(id: &str) -> bool {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric())
    }

    /// Whether it can be used at `now`.
    pub fn is_open(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// Opens the invite of somebody accepted, or prolongs it, in this version. Refused if it has
/// another one meanwhile.
pub(super) fn invite_accepted(
    club: &ClubCode,
    person: Id<Person>,
    email: &Email,
    version: u64,
    now: Timestamp,
) -> Write {
    let id = Invite::id_for_accepted(club, person);
    let expires_at = now.plus(chrono::TimeDelta::days(Invite::DAYS));
    let Key { pk, sk } = keys::addressed_invite(email, club, &id);
    Write::update(keys::invite(club, &id))
        .set_once("id", &id)
        .set_once("club", &club)
        .set_once("type", &Invite::TYPE)
        .set_once("role", &Role::Member)
        .set_once("title", &"")
        .set("version", &version)
        .if_new_or_equals("version", &version)
        .set("email", &email.folded())
        .set("expires_at", &expires_at)
        .set("updated_at", &now)
        .set(keys::TTL, &forgotten(expires_at))
        .set(keys::GSI1PK, &pk)
        .set(keys::GSI1SK, &sk)
}

/// An invitation to be stored, and what it replaces.
#[derive(Debug)]
pub struct InviteWrite<'a> {
    /// The invite in its new version.
    pub invite: &'a Invite,
    /// The version that was read, if there was one.
    pub replaces: Option<u64>,
    /// Its mail.
    pub mail: &'a Mail,
}

impl Table {
    /// The invites of a club, open and expired, in no order: 1 query.
    pub async fn invites(&self, club: &ClubCode) -> Result<Vec<Invite>, TableError> {
        self.query(keys::club_items(club), Range::Prefix(keys::INVITES.into()))
            .await
    }

    /// An invite: 1 read.
    pub async fn invite(&self, club: &ClubCode, id: &str) -> Result<Option<Invite>, TableError> {
        self.get(keys::invite(club, id)).await
    }

    /// Invites by id, those that exist: 1 batch read per 100.
    pub async fn invites_by_id(
        &self,
        club: &ClubCode,
        ids: impl Iterator<Item = String>,
    ) -> Result<Vec<Invite>, TableError> {
        let wanted: Vec<Key> = ids.map(|id| keys::invite(club, &id)).collect();
        let mut found = self.get_many(wanted.clone()).await?;
        wanted
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// The invitations that a club has sent lately: 1 read.
    pub async fn invitation_log(&self, club: &ClubCode) -> Result<InvitationLog, TableError> {
        Ok(self
            .get(keys::invitation_log(club))
            .await?
            .unwrap_or_default())
    }

    /// Stores invites with their mails, all or none, at most [`Table::INVITES`], and says in the
    /// club's log that they were sent. `by` is the officer, unless it is an admin.
    pub async fn put_invites(
        &self,
        invites: &[InviteWrite<'_>],
        by: Option<&Membership>,
        (old, new): (&InvitationLog, &InvitationLog),
    ) -> Result<(), TableError> {
        let role = invites
            .iter()
            .map(|inviting| inviting.invite.role)
            .min()
            .unwrap_or(Role::Officer);
        let mut writes: Vec<Write> = authority(by, &[role]).into_iter().collect();
        writes.push(logged(old, new)?);
        for InviteWrite {
            invite,
            replaces,
            mail,
        } in invites
        {
            let put = Write::put(*invite)?;
            let put = match replaces {
                Some(version) => put.if_equals("version", version),
                None => put.if_new(),
            };
            writes.push(put);
            writes.push(Write::put(*mail)?);
        }
        self.transact(writes).await
    }

    /// Invites that fit one transaction: two writes each, and 100 are allowed.
    pub const INVITES: usize = 48;

    /// Revokes an invite. Refused if it was used or sent anew meanwhile.
    pub async fn delete_invite(&self, invite: &Invite) -> Result<(), TableError> {
        self.write(Write::delete(invite.key()).if_equals("version", &invite.version))
            .await
            .map(drop)
    }
}
