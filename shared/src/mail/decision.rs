//! Acceptance and rejection mails.

use super::template::{Template, Variables};
use crate::domain::{ApplicationTexts, MailKind, Status};
use crate::limits;
use crate::text::html;

crate::text::enums::text_enum! {
    /// The kind of decision that a mail is about.
    DecisionKind {
        /// For submissions with status 4.
        Acceptance,
        /// For submissions with status 2 or 3.
        Rejection,
    }
}

/// The templates for applications without templates of their own.
const ACCEPTANCE: &str = include_str!("../../templates/mail/default_acceptance.html");
const REJECTION: &str = include_str!("../../templates/mail/default_rejection.html");

impl DecisionKind {
    /// Returns the kind of these mails in the outbox.
    pub fn mail_kind(self) -> MailKind {
        match self {
            Self::Acceptance => MailKind::Acceptance,
            Self::Rejection => MailKind::Rejection,
        }
    }

    /// Returns whether a submission with this status gets this mail.
    pub fn tells(self, status: Status) -> bool {
        match self {
            Self::Acceptance => status == Status::Accepted,
            Self::Rejection => {
                matches!(status, Status::RejectedWritten | Status::RejectedInterview)
            }
        }
    }

    /// Returns the application's template for this mail, or the built-in one.
    pub fn template(self, texts: &ApplicationTexts) -> Result<Template, String> {
        let (own, built_in) = match self {
            Self::Acceptance => (&texts.acceptance_email, ACCEPTANCE),
            Self::Rejection => (&texts.rejection_email, REJECTION),
        };
        Template::parse(if own.trim().is_empty() { built_in } else { own })
    }
}

/// The person who gets a decision mail.
#[derive(Debug, Clone, Copy)]
pub struct Recipient<'a> {
    /// First name.
    pub first_name: &'a str,
    /// Full name.
    pub name: &'a str,
    /// Name of the committee, or empty.
    pub committee: &'a str,
    /// Reason of the decision.
    pub reason: &'a str,
}

/// A mail as the recipient reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Subject line.
    pub subject: String,
    /// HTML part.
    pub html: String,
    /// Text part.
    pub text: String,
}

/// Returns the mail about a decision; none if it would be larger than [`limits::MAIL_BYTES`].
pub fn decision_message(
    template: &Template,
    club: &str,
    application: &str,
    recipient: Recipient<'_>,
) -> Option<Message> {
    let html = template.render(&Variables {
        name: recipient.first_name,
        full_name: recipient.name,
        reason: recipient.reason,
        committee: recipient.committee,
        club,
        application,
    })?;
    let subject: String = format!("Your application to {club}: {application}")
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    let text = html::to_text(&html);
    (text.len() <= limits::MAIL_BYTES).then_some(Message {
        subject,
        html,
        text,
    })
}
