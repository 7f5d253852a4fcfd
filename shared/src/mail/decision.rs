//! Acceptance and rejection mails.

use serde::{Deserialize, Serialize};

use super::template::{Template, Variables};
use crate::models::{Application, MailKind, Status};
use crate::{html, limits};

/// Which decision a mail tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DecisionKind {
    /// To those with status 4.
    Acceptance,
    /// To those with status 2 or 3.
    Rejection,
}

/// What an application without a template of its own sends.
const ACCEPTANCE: &str = include_str!("../../templates/mail/default_acceptance.html");
const REJECTION: &str = include_str!("../../templates/mail/default_rejection.html");

impl DecisionKind {
    /// The kind of its mails in the outbox.
    pub fn mail_kind(self) -> MailKind {
        match self {
            Self::Acceptance => MailKind::Acceptance,
            Self::Rejection => MailKind::Rejection,
        }
    }

    /// Whether somebody with this status is told by this mail.
    pub fn tells(self, status: Status) -> bool {
        match self {
            Self::Acceptance => status == Status::Accepted,
            Self::Rejection => {
                matches!(status, Status::RejectedWritten | Status::RejectedInterview)
            }
        }
    }

    /// The application's template for it, or the built-in one.
    pub fn template(self, application: &Application) -> Result<Template, String> {
        let (own, built_in) = match self {
            Self::Acceptance => (&application.acceptance_email, ACCEPTANCE),
            Self::Rejection => (&application.rejection_email, REJECTION),
        };
        Template::parse(if own.trim().is_empty() { built_in } else { own })
    }
}

/// Whom a decision mail is for.
#[derive(Debug, Clone, Copy)]
pub struct Recipient<'a> {
    /// First name.
    pub first_name: &'a str,
    /// Whole name.
    pub name: &'a str,
    /// Committee applied to, or empty.
    pub committee: &'a str,
    /// Reason of the decision.
    pub reason: &'a str,
}

/// A mail as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Subject line.
    pub subject: String,
    /// HTML part.
    pub html: String,
    /// Text part.
    pub text: String,
}

/// The mail that tells a decision; none if it would be larger than a mail may be.
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
