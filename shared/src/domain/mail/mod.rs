//! The outbox and the state of its mails.

pub(crate) mod keys;
pub(crate) mod marks;
pub(crate) mod model;
pub(crate) mod outage;
pub(crate) mod report;
mod revoke;
pub(crate) mod state;
pub(crate) mod store;
pub(crate) mod turns;
