//! Mails: templates, and what each mail says.

mod decision;
mod invite_link;
mod membership;
mod template;

pub use decision::{DecisionKind, Message, Recipient, decision_message};
pub use invite_link::{PREVIEW_LINK, invite_url, token, token_matches, with_invite};
pub use membership::{invitation, joined, requested};
pub use template::{Template, Variables};

/// The text of a template, which only fails if memory does.
fn rendered(template: &impl askama::Template) -> String {
    template.render().unwrap_or_default()
}
