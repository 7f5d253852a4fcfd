//! Webhooks of clubs and of admins: addresses of programs that are told what changed (Z8).
//!
//! `of_club.rs` and `of_all.rs` have the same routes for one club and for all clubs, `holder.rs`
//! says who may use them, `actions.rs` and `attempts.rs` do the work.

mod actions;
mod attempts;
mod bodies;
mod holder;
pub mod of_all;
pub mod of_club;
