//! How applicants are told decisions by mail, and what ends with it: earlier invitations and
//! interviews.

pub(crate) mod ended;
pub(crate) mod revoke;
pub(crate) mod status_writes;
pub(crate) mod store;
