//! The keys of join links in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::club::keys::club_items;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};
use crate::text::ClubCode;

pub(crate) const JOIN_LINKS: &str = "JOIN#";

pub(crate) fn join_link(club: &ClubCode, link: Id<of::JoinLink>) -> Key {
    Key::new(club_items(club), format!("{JOIN_LINKS}{}", padded(link)))
}

/// Returns the key of the use of a join link by a person.
pub(crate) fn link_use(club: &ClubCode, link: Id<of::JoinLink>, person: Id<of::Person>) -> Key {
    let sk = format!("JOINED#{}#{}", padded(link), padded(person));
    Key::new(club_items(club), sk)
}

pub(crate) fn own_link_use(person: Id<of::Person>, link: Id<of::JoinLink>) -> Key {
    Key::new(own(person), format!("JOINED#{}", padded(link)))
}
