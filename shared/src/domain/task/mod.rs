//! What the timer has to look at, filed by the hour.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
