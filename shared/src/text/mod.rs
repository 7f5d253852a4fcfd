//! Texts: how they are compared and searched, clean HTML, and the kinds of text that have a form of
//! their own.

mod code;
mod email;
pub(crate) mod enums;
pub mod html;
mod html_tags;
pub mod ics;
#[cfg(feature = "api")]
mod kind;
#[cfg(feature = "api")]
pub mod kinds;
mod names;
mod search;

pub use code::ClubCode;
pub use email::Email;
pub(crate) use email::ascii_address;
#[cfg(feature = "api")]
pub use kind::{FieldType, add_schemas, reference};
pub use names::name_parts;
pub use search::{Word, fold, is_email, matches, search, searchable, words};
