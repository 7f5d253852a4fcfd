//! Interviews: what is booked for submissions.

pub(crate) mod calendar_revisions;
pub(crate) mod keys;
pub(crate) mod mails;
#[cfg(feature = "api")]
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod store;
