//! What lists show, in memory, and the versions of its segments.

pub(crate) mod keys;
pub(crate) mod memory;
pub(crate) mod versions;
