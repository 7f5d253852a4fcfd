//! Invitations. The item exists as long as the invitation can be used or sent again.

use std::collections::{HashMap, HashSet};

use crate::db;
use crate::db::read::Range;
use crate::db::response::readable;
use crate::db::{Entity, Key, Refusal, Table, TableError, Tombstone, Write};
use crate::domain::club;
use crate::domain::club::invitation_log::{InvitationLog, logged};
use crate::domain::invite::keys;
use crate::domain::invite::model::{AcceptanceMail, Invite};
use crate::domain::member::authority::authority;
use crate::domain::member::model::{Membership, Role};
use crate::domain::outbox::model::{InviteLink, Mail};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

impl Entity for Invite {
    const KIND: Kind = Kind::Invite;

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

/// Returns when DynamoDB may delete an invite with this expiry, in seconds since 1970.
fn forgotten(expires_at: Timestamp) -> i64 {
    expires_at
        .plus(chrono::TimeDelta::days(Invite::KEPT_DAYS))
        .epoch_seconds()
}

impl Invite {
    /// Days until an invite expires.
    pub const DAYS: i64 = 14;
    /// Days for which an expired invite remains visible and can be sent again.
    pub const KEPT_DAYS: i64 = 30;
    /// Returns the id of the invite for an e-mail address. There is one per club and address.
    pub fn id_for_address(club: &ClubCode, email: &Email) -> String {
        format!(
            "e{:014x}",
            crate::ids::derived("invited address", &[club, &email.ascii().to_lowercase()])
        )
    }

    /// Returns the id of the invite for an accepted person. There is one per club and person.
    pub fn id_for_accepted(club: &ClubCode, person: Id<of::Person>) -> String {
        format!(
            "a{:014x}",
            crate::ids::derived("invite", &[club, &person.to_string()])
        )
    }

    /// Returns the write that ends it, because it was used or revoked. A late attempt to send it
    /// does not bring it back (X17). That of an accepted person has a place that later mails use.
    pub(crate) fn end(&self) -> Write {
        let end = if Self::is_of_accepted(&self.id) {
            Write::delete(self.key())
        } else {
            Write::delete_with_tombstone(self.key())
        };
        end.if_equals("version", &self.version)
    }

    /// Returns whether it is the invite of somebody who was accepted, who may not know it yet.
    pub fn is_of_accepted(id: &str) -> bool {
        id.starts_with('a')
    }

    /// Returns whether `id` has the format of an invite id: 1 to 64 ASCII letters and digits.
    pub fn is_id(id: &str) -> bool {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric())
    }

    /// Returns whether the invite can be used at `now`.
    pub fn is_open(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// Creates the invite of an accepted person with this version, or extends its expiry. `accepted`
/// are the submissions that the mail is about. Refused if the invite already has another version,
/// or is gone although it was there.
pub(crate) fn invite_accepted(
    InviteLink {
        club,
        version,
        is_new,
        ..
    }: &InviteLink,
    person: Id<of::Person>,
    email: &Email,
    accepted: &[AcceptanceMail],
    now: Timestamp,
) -> Write {
    let id = Invite::id_for_accepted(club, person);
    let expires_at = now.plus(chrono::TimeDelta::days(Invite::DAYS));
    let Key { pk, sk } = keys::addressed_invite(email, club, &id);
    let invite = Write::update(keys::invite(club, &id));
    let invite = if *is_new {
        invite.if_new_or_equals("version", version)
    } else {
        invite.if_equals("version", version)
    };
    invite
        .set_once("id", &id)
        .set_once("club", &club)
        .set_once("creation", version)
        .set_once("type", &Invite::TYPE)
        .set_once("role", &Role::Member)
        .set_once("title", &"")
        .set("version", version)
        .set("email", &email.folded())
        .append("accepted", accepted)
        .set("expires_at", &expires_at)
        .set("updated_at", &now)
        .set(db::keys::TTL, &forgotten(expires_at))
        .set(db::keys::GSI1PK, &pk)
        .set(db::keys::GSI1SK, &sk)
}

/// An invitation to be stored, and the version that it replaces.
#[derive(Debug)]
pub struct InviteWrite<'a> {
    /// The new version of the invite.
    pub invite: &'a Invite,
    /// The version that was read; `None` if there was no invite.
    pub replaces: Option<u64>,
    /// The mail that contains the invite.
    pub mail: &'a Mail,
}

impl Table {
    /// Returns the invites of a club, open and expired, in no particular order: 1 query.
    pub async fn invites(&self, club: &ClubCode) -> Result<Vec<Invite>, TableError> {
        self.query(
            club::keys::club_items(club),
            Range::Prefix(keys::INVITES.into()),
        )
        .await
    }

    /// Returns an invite: 1 read.
    pub async fn invite(&self, club: &ClubCode, id: &str) -> Result<Option<Invite>, TableError> {
        self.get(keys::invite(club, id)).await
    }

    /// Returns invites by id, and the ids of those that were used or revoked after this request
    /// came; ids that do not exist are skipped: 1 batch read per 100.
    pub async fn invites_by_id(
        &self,
        club: &ClubCode,
        ids: impl Iterator<Item = String>,
    ) -> Result<(Vec<Invite>, HashSet<String>), TableError> {
        let requested: HashMap<Key, String> = ids.map(|id| (keys::invite(club, &id), id)).collect();
        let mut found = self.get_many(requested.keys().cloned().collect()).await?;
        let (mut there, mut ended) = (vec![], HashSet::new());
        let request_received = self.received().map_or(0, |when| when.received);
        for (key, id) in requested {
            let Some(item) = found.take_item(&key) else {
                continue;
            };
            let tombstone = readable::<Tombstone>([item.clone()]).pop();
            if tombstone.is_some_and(|tombstone| tombstone.received >= request_received) {
                ended.insert(id);
            }
            there.extend(readable::<Invite>([item]));
        }
        Ok((there, ended))
    }

    /// Stores invites with their mails, all or none, and updates the club's log. At most
    /// [`Table::INVITES`] invites. `by` is the officer's membership; `None` for admins.
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
            writes.push(match replaces {
                Some(version) => Write::put(*invite)?.if_equals("version", version),
                None => Write::create(*invite)?,
            });
            writes.push(Write::put(*mail)?);
        }
        self.transact(writes).await
    }

    /// Maximum invites in one transaction: each needs two writes, and DynamoDB allows 100 writes.
    pub const INVITES: usize = 48;

    /// Removes the acceptance mails that are `over` from what brought the invite of a person, and
    /// revokes the invite when none is left (E25): 1 read and 1 write. An invite without any was
    /// stored by an earlier release, and is revoked.
    pub(crate) async fn take_back_acceptances(
        &self,
        club: &ClubCode,
        person: Id<of::Person>,
        over: impl Fn(&AcceptanceMail) -> bool,
    ) -> Result<(), TableError> {
        let id = Invite::id_for_accepted(club, person);
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let Some(invite) = self.invite(club, &id).await? else {
                return Ok(());
            };
            let mut left = invite.accepted.clone();
            left.retain(|mail| !over(mail));
            let write = if left.is_empty() {
                Write::delete(invite.key())
            } else if left.len() < invite.accepted.len() {
                Write::update(invite.key()).set("accepted", &left)
            } else {
                return Ok(());
            };
            let read = Some(&invite.accepted).filter(|mails| !mails.is_empty());
            let write = write
                .if_equals("version", &invite.version)
                .if_is("accepted", read);
            match self.write(write).await {
                // It was used, or brought by another mail at the same moment.
                Err(TableError::Refused(_)) => {}
                done => return done.map(drop),
            }
        }
    }

    /// Revokes an invite. Refused if it was used or sent again in the meantime.
    pub async fn delete_invite(&self, invite: &Invite) -> Result<(), TableError> {
        self.write(invite.end()).await.map(drop)
    }
}

/// Returns the condition under which the mail with an invite may still be sent: its link works.
pub(crate) fn still_open(mail: &Mail) -> Option<Write> {
    let link = mail.invite.as_ref()?;
    let check = Write::check(keys::invite(&link.club, &link.invite));
    Some(
        check
            .if_equals("version", &link.version)
            .or(Refusal::Superseded),
    )
}
