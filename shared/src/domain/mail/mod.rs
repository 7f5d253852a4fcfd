//! The outbox and the state of its mails.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod report;
mod revoke;
pub(crate) mod state;
pub(crate) mod status_writes;
pub(crate) mod store;
