//! The keys of the versions of the catalogue in the table.

use crate::db::Key;

pub(crate) fn versions() -> Key {
    Key::new("CATALOGUE".into(), "VERSION".into())
}
