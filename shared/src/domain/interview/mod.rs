//! Interviews: the invitation of a submission, and the slot that is booked for it.

pub(crate) mod keys;
pub(crate) mod marks;
pub(crate) mod model;
pub(crate) mod store;
pub(crate) mod told;
