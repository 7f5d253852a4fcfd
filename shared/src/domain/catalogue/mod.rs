//! Segments that lists keep in memory, and their versions.

pub(crate) mod keys;
#[cfg(feature = "api")]
pub(crate) mod memory;
pub(crate) mod versions;
