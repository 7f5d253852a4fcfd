//! Webhooks: addresses of programs that are told what changed in a club.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
