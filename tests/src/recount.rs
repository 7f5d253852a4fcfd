//! Checks that what the service stored agrees, for example that counters are exact.

use shared::time::Clock as _;

use crate::TestCampus;

/// The findings of `clubs-admin check` about the table of a campus.
pub fn recount(campus: &TestCampus) -> Vec<String> {
    admin::check(&campus.stored(), campus.campus.clock.now())
}
