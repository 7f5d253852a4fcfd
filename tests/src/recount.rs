//! Counting again what the service counts, in all that is stored.

use shared::time::Clock as _;

use crate::TestCampus;

/// What `clubs-admin check` finds wrong with a campus.
pub fn recount(campus: &TestCampus) -> Vec<String> {
    admin::check(&campus.stored(), campus.campus.clock.now())
}
