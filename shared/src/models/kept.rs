use serde::{Deserialize, Serialize};

/// What became of a request that carried an idempotency key (decisions.md §12.17).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// User id of the caller.
    pub person: u64,
    /// A hash of key, method and path.
    pub id: String,
    /// A hash of the body: another one is another request.
    pub request: String,
    /// Which attempt it is: made anew for each.
    pub attempt: u64,
    /// Until when this holds, in seconds since 1970: an attempt for as long as it may run, an answer for a day.
    pub until: i64,
    /// The answer; none while the request is at work.
    pub answer: Option<Kept>,
}

/// An answer as it was given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept {
    /// Status.
    pub status: u16,
    /// `Location`, without a stage.
    pub location: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// Whether it is made anew for each repeat, since the request did nothing: then there is no body.
    pub anew: bool,
    /// How many items hold the body.
    pub parts: usize,
}

/// A part of the body of an answer: items have a limit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptPart {
    /// User id of the caller.
    pub person: u64,
    /// Of which answer.
    pub id: String,
    /// Which attempt at it.
    pub attempt: u64,
    /// Which part, from 0.
    pub part: usize,
    /// When it goes.
    pub until: i64,
    /// The text.
    pub body: String,
}
