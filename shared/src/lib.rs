//! Code shared by all functions of Clubs: HTTP conventions (`http`), authentication (`auth`),
//! stored types and the table (`models`, `table`), mail, and smaller modules. Only this crate is
//! divided into layers.

#[cfg(feature = "api")]
pub mod auth;
#[cfg(feature = "api")]
pub mod bodies;
#[cfg(feature = "api")]
pub mod catalogue;
#[cfg(feature = "api")]
pub mod forms;
pub mod html;
#[cfg(feature = "api")]
pub mod http;
pub mod ids;
pub mod lambda;
pub mod limits;
#[cfg(feature = "api")]
pub mod lookups;
pub mod mail;
#[cfg(feature = "api")]
pub mod media;
pub mod metrics;
pub mod models;
#[cfg(feature = "api")]
pub mod openapi;
pub mod qr;
pub mod receipts;
pub mod settings;
#[cfg(feature = "api")]
pub mod state;
pub mod table;
pub mod text;
pub mod time;

#[cfg(feature = "api")]
pub use state::{App, Shared};
