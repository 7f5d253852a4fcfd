//! The keys of the table that belong to this thing.

use crate::db::Key;

pub(crate) fn versions() -> Key {
    Key::new("CATALOGUE".into(), "VERSION".into())
}
