//! Events and their showings.

pub(crate) mod keys;
#[cfg(feature = "api")]
pub(crate) mod listed;
pub(crate) mod model;
pub(crate) mod store;
pub(crate) mod tickets;
