//! Tickets of showings: what is sold, who has which, and who waits. A ticket is one item. How many
//! are valid is counted in 64 parts for each type, so that no item is written by everybody; an
//! order takes from a part only while the part allows it.

pub(crate) mod draw;
pub(crate) mod keys;
pub(crate) mod model;
pub(crate) mod sale;
pub(crate) mod store;
