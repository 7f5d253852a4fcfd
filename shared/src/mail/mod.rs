//! Mails: templates, and what a decision mail says (decisions.md §6).

mod decision;
mod invite_link;
mod template;

pub use decision::{DecisionKind, Message, Recipient, decision_message};
pub use invite_link::{PREVIEW_LINK, invite_link, token, token_matches, with_invite};
pub use template::{Template, Variables};
