//! The keys of requests with an idempotency key in the table.

use crate::db::Key;
use crate::db::read::Range;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// This prefix sorts before favorites. So one range can read favorites and subscriptions without
/// the idempotency records.
pub(crate) const IDEMPOTENCY_RECORDS: &str = "ATTEMPT#";

/// Returns the ranges of a person's partition before and behind these records. They may be many,
/// and have what was answered.
pub(crate) fn beside_idempotency_records() -> [Range; 2] {
    let before = Range::Between(" ".into(), "ATTEMPT".into());
    // `$` is the character after `#`.
    [before, Range::Between("ATTEMPT$".into(), "~".into())]
}

pub(crate) fn idempotency_record(person: Id<of::Person>, id: &str) -> Key {
    Key::new(own(person), format!("{IDEMPOTENCY_RECORDS}{id}"))
}
