//! Conditions on people and roles, which go into the transactions of other objects.

use super::{Entity as _, Refusal, Write, keys};
use crate::ids::Id;
use crate::models::{Membership, Person, Role};

/// The condition that whoever acts still has a role that is not below any of `roles`, and is an
/// officer.
pub(super) fn authority(by: Option<&Membership>, roles: &[Role]) -> Option<Write> {
    let needed = roles
        .iter()
        .copied()
        .min()
        .unwrap_or(Role::Officer)
        .min(Role::Officer);
    by.map(|by| {
        Write::check(by.key())
            .if_at_most("role", &needed)
            .or(Refusal::Authority)
    })
}

/// The condition that a person is there and not being erased: it goes into the transaction of what
/// copies them.
pub(super) fn check_not_erasing(person: Id<Person>) -> Write {
    Write::check(keys::profile(person))
        .if_equals("erasing", &false)
        .or(Refusal::Erased)
}

/// The write that counts a club more or less that somebody owns: of somebody who is not being
/// erased, and has fewer than `limit`.
pub(super) fn counted_owner(person: Id<Person>, change: i64, limit: Option<u32>) -> Write {
    let write = Write::update(keys::profile(person))
        .add("clubs_owned", change)
        .if_exists();
    let write = if change > 0 {
        write.if_equals("erasing", &false)
    } else {
        write
    };
    match limit {
        Some(limit) => write.if_below("clubs_owned", &limit),
        None => write,
    }
}
