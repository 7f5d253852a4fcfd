//! What lists show, in memory, and the versions of its parts.

pub(crate) mod keys;
pub(crate) mod memory;
pub(crate) mod segment;
pub(crate) mod versions;
