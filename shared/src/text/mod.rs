//! Texts: how they are compared and searched, clean HTML, and the kinds of text that have a form of
//! their own.

mod code;
mod email;
pub(crate) mod enums;
pub mod html;
mod search;

pub use code::ClubCode;
pub use email::Email;
pub use search::{Word, contains, fold, is_email, matches, search, words};
