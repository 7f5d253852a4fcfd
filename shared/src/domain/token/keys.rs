use crate::db::Key;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// What the sort keys of tokens begin with.
pub(crate) const OWN_TOKENS: &str = "TOKEN#";

pub(crate) fn token(person: Id<of::Person>, number: u8) -> Key {
    Key::new(own(person), format!("{OWN_TOKENS}{number:02}"))
}
