//! What every function of Clubs stands on. Layers exist only here: HTTP conventions (`http`),
//! authentication (`auth`), what is stored (`models`, `table`), mail, and the pieces that the rest
//! is made of.

pub mod auth;
pub mod catalogue;
pub mod html;
pub mod http;
pub mod ids;
pub mod lambda;
pub mod limits;
pub mod lookups;
pub mod mail;
pub mod media;
pub mod models;
pub mod openapi;
pub mod settings;
pub mod state;
pub mod table;
pub mod text;
pub mod time;

pub use state::{App, Shared};
