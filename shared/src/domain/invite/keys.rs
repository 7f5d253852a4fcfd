//! The keys of invites in the table.

use crate::db::Key;
use crate::domain::club::keys::club_items;
use crate::domain::person::keys::address;
use crate::text::ClubCode;

pub(crate) fn addressed_invite(email: &str, club: &ClubCode, invite: &str) -> Key {
    Key::new(address(email), format!("INVITE#{club}#{invite}"))
}

pub(crate) const INVITES: &str = "INVITE#";

pub(crate) fn invite(club: &ClubCode, invite: &str) -> Key {
    Key::new(club_items(club), format!("{INVITES}{invite}"))
}
