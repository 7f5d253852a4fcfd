//! The keys of people in the table.

use crate::db::Key;
use crate::db::keys::padded;
// Mails are found there, too, and people name mails.
pub(crate) use crate::db::keys::{address, own};
use crate::ids::{Id, of};

pub(crate) fn profile(person: Id<of::Person>) -> Key {
    Key::new(format!("USER#{}", padded(person)), "PROFILE".into())
}

pub(crate) fn creations(person: Id<of::Person>) -> Key {
    Key::new(format!("USER#{}", padded(person)), "CREATIONS".into())
}

pub(crate) fn username(username: &str) -> String {
    format!("USERNAME#{}", username.to_lowercase())
}

pub(crate) fn by_username(name: &str, person: Id<of::Person>) -> Key {
    Key::new(username(name), padded(person))
}

/// Returns the key of a search entry: a person by a word of their name, or by their user name.
/// Words with the same first letter share a partition.
pub(crate) fn person_word(word: &str, person: Id<of::Person>) -> Key {
    Key::new(words(word), format!("{word}#{}", padded(person)))
}

/// Returns the partition of all words with the same first letter as this one.
pub(crate) fn words(word: &str) -> String {
    format!("WORDS#{}", word.chars().next().unwrap_or('-'))
}

pub(crate) fn person_address(email: &str, person: Id<of::Person>) -> Key {
    Key::new(address(email), padded(person))
}
