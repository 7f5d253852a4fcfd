//! People: profiles, search entries and settings of notices.

pub(crate) mod conditions;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod notices;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod store;
