//! The keys of clubs in the table.

use crate::db::Key;
use crate::text::ClubCode;

/// The number of partitions for clubs. They are read in parallel to load the catalogue.
pub const CLUB_SEGMENTS: u64 = 8;

/// Returns one of the [`CLUB_SEGMENTS`] partitions for clubs.
pub fn clubs(segment: u64) -> String {
    format!("CLUBS#{segment}")
}

/// Returns the number of the partition of a club.
pub fn club_segment(code: &ClubCode) -> u64 {
    crate::ids::derived("club", &[code]) % CLUB_SEGMENTS
}

/// Returns the key of a club.
pub fn club(code: &ClubCode) -> Key {
    Key::new(clubs(club_segment(code)), format!("CLUB#{code}"))
}

/// Returns the key of the full description of a club. It is separate from the item that lists read.
pub(crate) fn club_text(code: &ClubCode) -> Key {
    Key::new(club_items(code), "TEXT".into())
}

pub(crate) fn club_items(code: &ClubCode) -> String {
    format!("CLUB#{code}")
}

pub(crate) fn invitation_log(club: &ClubCode) -> Key {
    Key::new(club_items(club), "LOG#INVITATIONS".into())
}
