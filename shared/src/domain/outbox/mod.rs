//! The outbox: mails are stored before they are sent, and kept as a record of what was sent. It
//! lies below what sends mails: what a mail means for its owner is in the folder `mail`.

pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod notice;
pub(crate) mod state;
pub(crate) mod store;
pub(crate) mod ticket;
pub(crate) mod undelivered;
