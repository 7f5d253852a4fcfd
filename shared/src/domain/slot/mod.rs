//! Slots: times at which a club holds interviews.

pub(crate) mod keys;
#[cfg(feature = "api")]
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod store;
