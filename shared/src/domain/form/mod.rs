//! Applications together with their questions.

pub(crate) mod conditions;
#[cfg(feature = "api")]
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod questions;
pub(crate) mod store;
