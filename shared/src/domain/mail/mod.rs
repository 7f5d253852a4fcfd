//! What becomes of mails: who owns each kind, and what its owner does with it.

pub(crate) mod owner;
pub(crate) mod report;
pub(crate) mod store;
pub(crate) mod undelivered;
