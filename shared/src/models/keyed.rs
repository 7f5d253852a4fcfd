use serde::{Deserialize, Serialize};

use super::Person;
use crate::ids::Id;

/// A request that carried an idempotency key, and what became of it (X1, X5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyedRequest {
    /// User id of the caller.
    pub person: Id<Person>,
    /// A hash of key, method and path.
    pub id: String,
    /// A hash of the body: another one is another request.
    pub body_hash: String,
    /// The id of what the request creates: the same in every attempt, so that a later one finds
    /// what an earlier one made.
    pub creates: u64,
    /// Which attempt is at work: made anew for each.
    pub attempt: u64,
    /// Until when the attempt may be at work, in seconds since 1970; 0 when it has ended without an
    /// outcome.
    pub busy_until: i64,
    /// Until when the key is remembered, in seconds since 1970.
    pub expires: i64,
    /// What became of it; none until an attempt ended well.
    pub outcome: Option<KeyedOutcome>,
}

/// What a repeat gets. It holds nobody's data but the caller's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyedOutcome {
    /// The first status, and the object at this path as it is now.
    Object {
        /// First status.
        status: u16,
        /// Path of the object, from `/api/` on.
        path: String,
        /// Whether the first answer had it as `Location`.
        is_location: bool,
    },
    /// The first answer as it was: JSON.
    Answer {
        /// Status.
        status: u16,
        /// Body.
        body: String,
    },
    /// An answer that is computed again, since the request changed nothing.
    Nothing,
}
