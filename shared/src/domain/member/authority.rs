//! The condition that somebody still has their role. It is part of transactions that change other
//! objects.

use crate::db::{Entity as _, Refusal, Write};
use crate::domain::member::model::{Membership, Role};

/// Returns the condition that `by` is still an officer or owner, and that their role is still at
/// least as high as each of `roles`. `None` if `by` is `None` (an admin, for example).
pub(crate) fn authority(by: Option<&Membership>, roles: &[Role]) -> Option<Write> {
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
