//! Submissions, their answers and their decisions.

pub(crate) mod answers;
pub(crate) mod decide;
pub(crate) mod interview;
pub(crate) mod keys;
pub(crate) mod lists;
pub(crate) mod model;
pub(crate) mod parts;
pub(crate) mod store;
pub(crate) mod submit;
