//! The mails that officers send with `send_emails`: acceptances, rejections, and invitations to
//! choose an interview.

use super::template::{Template, Variable, Variables};
use crate::domain::TemplateFormat;
use crate::domain::{ApplicationTexts, MailKind, Status};
use crate::limits;
use crate::reason::Reason;
use crate::text::html;

crate::text::enums::text_enum! {
    /// The type of the mails that officers send.
    MailType {
        /// For submissions with status 4.
        Acceptance,
        /// For submissions with status 2 or 3.
        Rejection,
        /// For submissions with status 1: invites to choose an interview. It tells no decision.
        Interview,
    }
}

/// The templates for applications without templates of their own.
const ACCEPTANCE: &str = include_str!("../../templates/mail/default_acceptance.html");
const REJECTION: &str = include_str!("../../templates/mail/default_rejection.html");
const INTERVIEW: &str = include_str!("../../templates/mail/default_interview.html");

impl MailType {
    /// Returns the kind of these mails in the outbox.
    pub fn mail_kind(self) -> MailKind {
        match self {
            Self::Acceptance => MailKind::Acceptance,
            Self::Rejection => MailKind::Rejection,
            Self::Interview => MailKind::Interview,
        }
    }

    /// Returns whether a submission with this status gets this mail.
    pub fn tells(self, status: Status) -> bool {
        match self {
            Self::Acceptance => status == Status::Accepted,
            Self::Rejection => {
                matches!(status, Status::RejectedWritten | Status::RejectedInterview)
            }
            Self::Interview => status == Status::Pending,
        }
    }

    /// Returns the application's template for this mail, or the built-in one.
    pub fn template(self, texts: &ApplicationTexts) -> Result<Template, Reason> {
        let own = self.own_template(texts);
        let source = if own.trim().is_empty() {
            match self {
                Self::Acceptance => ACCEPTANCE,
                Self::Rejection => REJECTION,
                Self::Interview => INTERVIEW,
            }
        } else {
            own
        };
        let format = match self {
            Self::Acceptance => texts.acceptance_format,
            Self::Rejection => texts.rejection_format,
            Self::Interview => texts.interview_format,
        };
        // The built-in texts are HTML.
        let format = if source == own {
            format
        } else {
            TemplateFormat::Html
        };
        Template::of(source, format, self.variables())
    }

    /// Returns the template that the application has of its own; empty if it has none.
    pub fn own_template(self, texts: &ApplicationTexts) -> &str {
        match self {
            Self::Acceptance => &texts.acceptance_email,
            Self::Rejection => &texts.rejection_email,
            Self::Interview => &texts.interview_email,
        }
    }

    /// Returns the variables that its templates may use.
    pub fn variables(self) -> &'static [Variable] {
        match self {
            Self::Acceptance | Self::Rejection => &Variable::OF_DECISIONS,
            Self::Interview => &Variable::OF_INTERVIEWS,
        }
    }
}

/// The person who gets such a mail.
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
    /// Web address where the person chooses an interview.
    pub link: &'a str,
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

/// Returns the mail; none if it would be larger than [`limits::MAIL_BYTES`].
pub fn decision_message(
    kind: MailType,
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
        link: recipient.link,
        club,
        application,
    })?;
    // It says what to do: a mail about a booked interview is only read.
    let about = match kind {
        MailType::Interview => "Choose a time for your interview with",
        MailType::Acceptance | MailType::Rejection => "Your application to",
    };
    let subject: String = format!("{about} {club}: {application}")
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
