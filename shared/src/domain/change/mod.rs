//! Changes of clubs, for programs.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
