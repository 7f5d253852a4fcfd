//! The keys of clubs in the table.

use crate::db::Key;
use crate::text::ClubCode;

/// The number of partitions for clubs. They are read in parallel to load the catalogue.
pub const CLUB_PARTS: u64 = 8;

/// Returns one of the [`CLUB_PARTS`] partitions for clubs.
pub fn clubs(part: u64) -> String {
    format!("CLUBS#{part}")
}

/// Returns the number of the partition of a club.
pub fn club_part(code: &ClubCode) -> u64 {
    crate::ids::derived("club", &[code]) % CLUB_PARTS
}

/// Returns the key of a club.
pub fn club(code: &ClubCode) -> Key {
    Key::new(clubs(club_part(code)), format!("CLUB#{code}"))
}

/// Returns the key of the full description of a club. It is separate from the item that lists read.
pub(crate) fn club_text(code: &ClubCode) -> Key {
    Key::new(club_items(code), "TEXT".into())
}

pub(crate) fn club_items(code: &ClubCode) -> String {
    format!("CLUB#{code}")
}
