//! Files that applicants upload as answers.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
