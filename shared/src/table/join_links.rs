//! Join links: anybody who has one can join a club.

use super::members::counted;
use super::requests::request_gone;
use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{ClubCode, JoinLink, Membership};

impl Entity for JoinLink {
    const TYPE: &'static str = "JoinLink";

    fn key(&self) -> Key {
        keys::join_link(&self.club, self.id)
    }

    fn expires(&self) -> Option<i64> {
        let kept = chrono::TimeDelta::days(Self::KEPT_DAYS);
        Some(self.expires_at.plus(kept).epoch_seconds())
    }
}

/// The attribute that joining changes.
const USES: &str = "uses";

impl Table {
    /// Returns the join links of a club, in no particular order: 1 query.
    pub async fn join_links(&self, club: &ClubCode) -> Result<Vec<JoinLink>, TableError> {
        let range = Range::Prefix(keys::JOIN_LINKS.into());
        self.query(keys::club_items(club), range).await
    }

    /// Returns a join link: 1 read.
    pub async fn join_link(
        &self,
        club: &ClubCode,
        id: Id<JoinLink>,
    ) -> Result<Option<JoinLink>, TableError> {
        self.get(keys::join_link(club, id)).await
    }

    /// Stores a new join link. Refused if it is there already.
    pub async fn create_join_link(&self, link: &JoinLink) -> Result<(), TableError> {
        // The client token of a transaction makes a late repeat harmless, which could otherwise bring
        // back a link that was deleted since.
        self.transact(vec![Write::put(link)?.if_new()]).await
    }

    /// Replaces a join link, except the number of its uses. Refused if it no longer has the version
    /// of `old`.
    pub async fn update_join_link(&self, old: &JoinLink, new: &JoinLink) -> Result<(), TableError> {
        let update = Write::update(new.key())
            .set_entity(new, &[], &[USES])?
            .if_equals("version", &old.version);
        self.write(update).await.map(drop)
    }

    /// Deletes a join link. Refused if it changed after it was read.
    pub async fn delete_join_link(&self, link: &JoinLink) -> Result<(), TableError> {
        self.write(Write::delete(link.key()).if_equals("version", &link.version))
            .await
            .map(drop)
    }

    /// Adds a member who has a join link: counts the use, changes the counters and deletes the
    /// person's request. Refused if the link was changed, deleted or used up after it was read.
    pub async fn join(&self, link: &JoinLink, membership: &Membership) -> Result<(), TableError> {
        let used = Write::update(link.key())
            .add(USES, 1)
            .if_equals("version", &link.version);
        let used = match link.max_uses {
            Some(most) => used.if_below(USES, &most),
            None => used,
        };
        let mut writes: Vec<Write> = counted(membership, None)?.into();
        writes.push(request_gone(&membership.club, membership.person));
        writes.push(used);
        self.transact(writes).await
    }
}
