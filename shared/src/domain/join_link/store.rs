//! Join links: anybody who has one can join a club.

use crate::db::parts::parts;
use crate::db::read::Range;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::join_link::keys;
use crate::domain::join_link::model::{JoinLink, LinkUse};
use crate::domain::member::model::{Membership, Role};
use crate::domain::member::store::counted;
use crate::domain::request::store::delete_request_of;
use crate::domain::{club, member};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;

impl Entity for JoinLink {
    const KIND: Kind = Kind::JoinLink;

    fn key(&self) -> Key {
        keys::join_link(&self.club, self.id)
    }

    fn expires(&self) -> Option<i64> {
        let kept = chrono::TimeDelta::days(Self::KEPT_DAYS);
        Some(self.expires_at.plus(kept).epoch_seconds())
    }
}

impl Entity for LinkUse {
    const KIND: Kind = Kind::LinkUse;

    fn key(&self) -> Key {
        keys::link_use(&self.club, self.link, self.person)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_link_use(self.person, self.link))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

parts! {
    JoinLink => (EDITED) {
        id: (Written),
        club: (Written),
        version: (Written),
        creation: (Written),
        title: (Written),
        note: (Written),
        expires_at: (Written),
        max_uses: (Written),
        uses: (Kept),
        created_by: (Written),
        by: (Written),
        created_at: (Written),
    } and {
        TYPE: (Written),
        TTL: (Written),
    }
}

/// The attribute that joining changes.
const USES: &str = "uses";
/// After the end of a link, who used it is remembered for two years: officers may move the end
/// (J7).
const LINK_USE_KEPT_SECONDS: i64 = 2 * 365 * 86_400;

impl Table {
    /// Returns the join links of a club, in no particular order: 1 query.
    pub async fn join_links(&self, club: &ClubCode) -> Result<Vec<JoinLink>, TableError> {
        let range = Range::Prefix(keys::JOIN_LINKS.into());
        self.query(club::keys::club_items(club), range).await
    }

    /// Returns a join link: 1 read.
    pub async fn join_link(
        &self,
        club: &ClubCode,
        id: Id<of::JoinLink>,
    ) -> Result<Option<JoinLink>, TableError> {
        self.get(keys::join_link(club, id)).await
    }

    /// Returns whether a person has joined with a link before: 1 read.
    pub async fn has_used_link(
        &self,
        club: &ClubCode,
        link: Id<of::JoinLink>,
        person: Id<of::Person>,
    ) -> Result<bool, TableError> {
        Ok(self
            .read(keys::link_use(club, link, person))
            .await?
            .is_some())
    }

    /// Stores a new join link: 1 write. Refused if it is there already, or was deleted since it was
    /// asked for.
    pub async fn create_join_link(&self, link: &JoinLink) -> Result<(), TableError> {
        self.write(Write::create(link)?).await.map(drop)
    }

    /// Replaces a join link, except the number of its uses. Refused if it no longer has the version
    /// of `old`.
    pub async fn update_join_link(&self, old: &JoinLink, new: &JoinLink) -> Result<(), TableError> {
        let update = Write::update(new.key())
            .parts(new, &EDITED)?
            .if_equals("version", &old.version);
        self.write(update).await.map(drop)
    }

    /// Deletes a join link: 1 write. Until tomorrow its key says so, so that a late repeat of its
    /// creation does not bring it back. Refused if it changed after it was read.
    pub async fn delete_join_link(&self, link: &JoinLink) -> Result<(), TableError> {
        let tombstone =
            Write::delete_with_tombstone(link.key()).if_equals("version", &link.version);
        self.write(tombstone).await.map(drop)
    }

    /// Adds a member who has a join link: counts the use if it is the first of this person, changes
    /// the counters and deletes the person's request. Refused if the link was changed, deleted or
    /// used up after it was read, and as [`Refusal::Authority`] if its creator is no officer any
    /// more.
    pub async fn join(
        &self,
        link: &JoinLink,
        membership: &Membership,
        is_again: bool,
    ) -> Result<(), TableError> {
        let mut writes: Vec<Write> = counted(membership, None)?.into();
        writes.push(delete_request_of(&membership.club, membership.person));
        let used = LinkUse {
            club: link.club.clone(),
            link: link.id,
            person: membership.person,
            // The link may be made valid for longer later.
            expires: link.expires().unwrap_or_default() + LINK_USE_KEPT_SECONDS,
        };
        if is_again {
            writes.push(Write::check(link.key()).if_equals("version", &link.version));
            writes.push(Write::check(used.key()).if_exists());
        } else {
            let count = Write::update(link.key())
                .add(USES, 1)
                .if_equals("version", &link.version);
            writes.push(match link.max_uses {
                Some(most) => count.if_below(USES, &most),
                None => count,
            });
            writes.push(Write::put(&used)?.if_new());
        }
        if let Some(by) = link.by {
            // The creator is a member already, or not an officer any more.
            if by == membership.id {
                return Err(TableError::Refused(Refusal::Authority));
            }
            let creator = Write::check(member::keys::member(&link.club, by));
            let creator = creator.if_at_most("role", &Role::Officer);
            writes.push(creator.or(Refusal::Authority));
        }
        self.transact(writes).await
    }
}
