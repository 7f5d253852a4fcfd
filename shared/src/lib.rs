//! Code shared by all functions of Clubs: the table (`db`), the things that Clubs knows (`domain`),
//! requests and responses (`web`), authentication (`auth`), mail, and smaller modules. Only this
//! crate is divided into layers.

#[cfg(feature = "api")]
pub mod auth;
#[cfg(feature = "api")]
pub mod bodies;
pub mod bookings;
pub mod calendars;
pub mod changes;
pub mod db;
pub mod domain;
pub mod draws;
pub mod encryption;
pub mod endings;
mod environment;
pub mod files;
pub mod ids;
pub mod kind;
pub mod lambda;
pub mod limits;
pub mod mail;
#[cfg(feature = "api")]
pub mod media;
pub mod metrics;
#[cfg(feature = "api")]
pub mod openapi;
mod person_token;
pub mod qr;
#[cfg(feature = "queue")]
pub mod queue;
pub mod reason;
pub mod receipts;
#[cfg(any(feature = "api", feature = "queue"))]
pub mod receiver_rules;
pub mod settings;
#[cfg(feature = "api")]
pub mod state;
pub mod text;
pub mod tickets;
pub mod time;
pub mod unsubscribe;
#[cfg(feature = "api")]
pub mod web;
pub mod webhook_off;

#[cfg(feature = "api")]
pub use state::{App, Context, Shared};
