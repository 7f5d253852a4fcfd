//! Drafts of answers.

pub(crate) mod begun;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
