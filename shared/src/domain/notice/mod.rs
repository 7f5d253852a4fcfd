//! Reminders and news: what they say when they are sent, and who gets them.

pub(crate) mod current;
pub(crate) mod people;
pub(crate) mod store;
