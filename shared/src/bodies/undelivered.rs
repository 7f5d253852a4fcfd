//! A mail that did not arrive, as it is shown.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{EmailStatus, Undelivered};
use crate::time::Timestamp;

/// The last mail about something that did not arrive (E35).
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UndeliveredBody {
    /// What the mail was for: `appointment`, `confirmation`, `draft_reminder`, `ended`,
    /// `interview_reminder`, `invitation`, `joined`, `news`, `request` or `webhook`.
    #[serde(rename = "type")]
    email_type: &'static str,
    /// `failed`, `unknown` or `bounced`.
    status: EmailStatus,
    /// When that was known.
    at: Timestamp,
}

impl From<&Undelivered> for UndeliveredBody {
    fn from(undelivered: &Undelivered) -> Self {
        Self {
            email_type: undelivered.mail.kind.name(),
            status: undelivered.status,
            at: undelivered.at,
        }
    }
}
