//! The keys of membership requests in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::club::keys::club_items;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};
use crate::text::ClubCode;

pub(crate) const OWN_REQUESTS: &str = "REQUEST#";

pub(crate) fn own_request(person: Id<of::Person>, club: &ClubCode) -> Key {
    Key::new(own(person), format!("{OWN_REQUESTS}{club}"))
}

pub(crate) const REQUESTS: &str = "REQUEST#";

/// Returns the key of a membership request. Its id is derived from the club and the person.
pub(crate) fn request(club: &ClubCode, request: Id<of::MembershipRequest>) -> Key {
    Key::new(club_items(club), format!("{REQUESTS}{}", padded(request)))
}
