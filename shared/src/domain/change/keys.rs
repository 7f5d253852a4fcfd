use crate::db::Key;
use crate::db::keys::padded;
use crate::text::ClubCode;

/// Returns the partition of the changes of a club.
pub(crate) fn changes(club: &ClubCode) -> String {
    format!("CHANGES#{club}")
}

/// Returns the sort key of the change with this number.
pub(crate) fn change_number(number: u64) -> String {
    padded(number)
}

pub(crate) fn change_count(club: &ClubCode) -> Key {
    Key::new(changes(club), "COUNT".into())
}

pub(crate) fn recorded_change(event: &str) -> Key {
    Key::new(format!("CHANGED#{event}"), "CHANGE".into())
}
