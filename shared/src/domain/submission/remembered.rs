use serde::{Deserialize, Serialize};

/// The idempotency key of a request to submit, and what the request said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedKey {
    /// The beginning of a hash of the key.
    pub key: String,
    /// The beginning of a hash of the committee and the answers.
    pub fingerprint: String,
    /// The order number of the request.
    pub received: u64,
}

impl RememberedKey {
    /// How many keys a submission remembers.
    pub const MAX_KEYS: usize = 5;
    /// How many characters of a hash are kept: 128 bits.
    pub const HASH: usize = 32;
}
