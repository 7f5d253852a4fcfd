//! Tokens with which programs act for a person.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
