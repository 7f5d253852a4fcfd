//! Slots: times at which a club holds interviews.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
