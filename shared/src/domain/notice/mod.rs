//! Reminders and news: what is due when, and what was begun.

pub(crate) mod current;
pub(crate) mod people;
pub(crate) mod store;
