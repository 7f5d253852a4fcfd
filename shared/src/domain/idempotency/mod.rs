//! Requests with an idempotency key.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
