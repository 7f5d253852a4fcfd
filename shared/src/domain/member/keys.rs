//! The keys of memberships in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::club::keys::club_items;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};
use crate::text::ClubCode;

pub(crate) const OWN_MEMBERSHIPS: &str = "MEMBER#";

pub(crate) fn own_membership(person: Id<of::Person>, club: &ClubCode) -> Key {
    Key::new(own(person), format!("{OWN_MEMBERSHIPS}{club}"))
}

/// Returns the club of an entry of the index that stands for a membership.
pub(crate) fn club_of_membership(index_sort_key: &str) -> Option<ClubCode> {
    ClubCode::parse(index_sort_key.strip_prefix(OWN_MEMBERSHIPS)?)
}

pub(crate) const MEMBERS: &str = "MEMBER#";

/// Returns the key of a membership. Its id is derived from the club and the person.
pub(crate) fn member(club: &ClubCode, membership: Id<of::Membership>) -> Key {
    Key::new(club_items(club), format!("{MEMBERS}{}", padded(membership)))
}
