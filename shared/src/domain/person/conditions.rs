//! Conditions on people. They are part of transactions that change other objects.

use crate::db::{Refusal, Write};
use crate::domain::person::keys;
use crate::ids::{Id, of};

/// Returns the condition that a person exists and is not being erased. It is part of each
/// transaction that copies data of the person.
pub(crate) fn check_not_erasing(person: Id<of::Person>) -> Write {
    not_erased(Write::check(keys::profile(person))).or(Refusal::Erased)
}

/// Adds the condition that the person is not being erased, and was not erased since the request
/// came: whoever came back has a new profile, which gets nothing of a request that was frozen.
fn not_erased(profile: Write) -> Write {
    profile.if_equals("erasing", &false).if_was_there()
}

/// Returns the write that changes the number of clubs that a person owns. If the number grows, the
/// person must not be in erasure. If there is a `limit`, the number must be below it before.
pub(crate) fn counted_owner(person: Id<of::Person>, change: i64, limit: Option<u32>) -> Write {
    let write = Write::update(keys::profile(person))
        .count("clubs_owned", change)
        .if_exists();
    let write = if change > 0 { not_erased(write) } else { write };
    match limit {
        Some(limit) => write.if_below("clubs_owned", &limit),
        None => write,
    }
}
