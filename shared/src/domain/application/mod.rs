//! Applications: a club's recruitment forms, without their questions.

pub(crate) mod deleted;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
