//! The API as a client sees it: one module a collection, as its path ends.

mod applications;
mod auth;
mod clubs;
mod conventions;
mod decisions;
mod erasure;
mod extensions;
mod foreign_ids;
mod invites;
mod mail_worker;
mod member_races;
mod members;
mod membershiprequests;
mod own_submissions;
mod privacy;
mod questions;
mod races;
mod roles;
mod send_emails;
mod service;
mod settings;
mod submissions;
mod users;
