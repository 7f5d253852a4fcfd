//! The erasure of a person (P14 to P20). A request begins it, and the timer does it, in passes.
//! `entities.rs` says for each kind of item what happens to it.

pub(crate) mod begin;
pub(crate) mod job;
mod profile;
