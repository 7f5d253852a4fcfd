//! The keys of requests with an idempotency key in the table.

use crate::db::Key;
use crate::domain::person::keys::own;
use crate::domain::person::model::Person;
use crate::ids::Id;

/// This prefix sorts before favorites. So one range can read favorites and subscriptions without
/// the idempotency records.
pub(crate) const IDEMPOTENCY_RECORDS: &str = "ATTEMPT#";

pub(crate) fn idempotency_record(person: Id<Person>, id: &str) -> Key {
    Key::new(own(person), format!("{IDEMPOTENCY_RECORDS}{id}"))
}
