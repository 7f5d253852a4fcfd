//! Mails: the templates and the texts of all mails.

mod decision;
mod invite_link;
mod membership;
mod template;

pub use decision::{DecisionKind, Message, Recipient, decision_message};
pub use invite_link::{PREVIEW_LINK, invite_url, token, token_matches, with_invite};
pub use membership::{invitation, joined, requested};
pub use template::{Template, Variables};

/// Returns the text of a template. Rendering to memory does not fail in practice.
fn rendered(template: &impl askama::Template) -> String {
    template.render().unwrap_or_default()
}
