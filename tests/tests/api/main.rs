//! The API as a client sees it: one module a collection, as its path ends.

mod applications;
mod decisions;
mod extensions;
mod own_submissions;
mod questions;
mod submissions;
