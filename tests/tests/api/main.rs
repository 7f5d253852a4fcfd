//! Tests of the API as a client sees it. Most modules are named after the end of a path.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story from the beginning to the end"
)]

mod addresses;
mod applications;
mod audit;
mod auth;
mod bookmarks;
mod calendars;
mod catalogue;
mod club_logo;
mod clubfairs;
mod clubs;
mod conventions;
mod decisions;
mod drafts;
mod erasure;
mod event_images;
mod event_lists;
mod events;
mod extensions;
mod faults;
mod foreign_ids;
mod half_copies;
mod home;
mod idempotency;
mod if_match;
mod imports;
mod invites;
mod joinlinks;
mod late_changes;
mod late_repeats;
mod late_writes;
mod lookups;
mod lost_answers;
mod mail_reports;
mod mail_worker;
mod mass_mail;
mod member_races;
mod members;
mod membershiprequests;
mod one_per_person;
mod open_applications;
mod own_submissions;
mod privacy;
mod questions;
mod quotas;
mod races;
mod receipts;
mod reviews;
mod roles;
mod send_emails;
mod service;
mod settings;
mod showings;
mod site;
mod submissions;
mod submit_again;
mod telling;
mod users;
