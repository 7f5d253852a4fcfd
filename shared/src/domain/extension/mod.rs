//! Later ends of an application for one person.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod store;
