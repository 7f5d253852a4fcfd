//! The keys of requests with an idempotency key in the table.

use crate::db::Key;
use crate::domain::person::keys::own;
use crate::domain::person::model::Person;
use crate::ids::Id;

/// This prefix sorts before favorites. So one range can read favorites and subscriptions without
/// the keyed requests.
pub(crate) const KEYED_REQUESTS: &str = "ATTEMPT#";

pub(crate) fn keyed_request(person: Id<Person>, id: &str) -> Key {
    Key::new(own(person), format!("{KEYED_REQUESTS}{id}"))
}
