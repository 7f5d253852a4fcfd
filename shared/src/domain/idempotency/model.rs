use serde::{Deserialize, Serialize};

use crate::ids::{Id, made_at, of, order_number};
use crate::time::{RequestTime, Timestamp};

/// A request that was sent with an idempotency key, and its outcome (X1, X5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdempotencyRecord {
    /// User id of the caller.
    pub person: Id<of::Person>,
    /// A hash of key, method and path.
    pub id: String,
    /// A hash of the body; a different body means a different request.
    pub body_hash: String,
    /// The id of the object that the request creates. It is the same in every attempt, so that a
    /// later attempt finds the object of an earlier one.
    pub creates: u64,
    /// The current attempt; a new value for each attempt.
    pub attempt: u64,
    /// Until when the attempt may run, in seconds since 1970. 0 if it ended without an outcome.
    pub busy_until: i64,
    /// Until when the key is stored, in seconds since 1970.
    pub expires: i64,
    /// The outcome; none until an attempt ended successfully.
    pub outcome: Option<IdempotencyOutcome>,
}

impl IdempotencyRecord {
    /// Returns when its first attempt was received. A repeat is as old as this: it does not bring
    /// back what the first attempt had made and somebody deleted since (X17).
    pub fn request_time(&self) -> RequestTime {
        let at = made_at(self.creates);
        RequestTime {
            received: order_number(at),
            at: Timestamp::at(at),
        }
    }
}

/// What a repeat returns. It contains only data of the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdempotencyOutcome {
    /// The first status, with the object at this path as it is now.
    Object {
        /// Status of the first response.
        status: u16,
        /// Path of the object, starting with `/api/`.
        path: String,
        /// Whether the first response had this path in `Location`.
        is_location: bool,
    },
    /// The first response, unchanged.
    Response {
        /// Status of the first response.
        status: u16,
        /// JSON body of the first response.
        body: String,
    },
    /// The request changed nothing, so the response is computed again.
    Nothing,
}
