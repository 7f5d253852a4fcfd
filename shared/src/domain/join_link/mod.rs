//! Links with which anybody can join a club.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
