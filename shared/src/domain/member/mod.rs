//! Memberships.

pub(crate) mod authority;
pub(crate) mod clubs;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
