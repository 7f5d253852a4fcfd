//! Questions, and their prompts as applicants saw them.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
