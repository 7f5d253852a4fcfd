//! People: profiles, search entries and copies.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod store;
