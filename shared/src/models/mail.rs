use serde::{Deserialize, Serialize};

use super::{Invite, Status};
use crate::time::Timestamp;

/// Where a mail stands (decisions.md §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmailStatus {
    /// In the outbox.
    Queued,
    /// Claimed by the worker.
    Sending,
    /// Taken by SES.
    Sent,
    /// Refused for good.
    Failed,
    /// Perhaps taken: the worker died, or no clear answer came. Never retried by itself.
    Unknown,
    /// Came back.
    Bounced,
    /// Marked as spam by the recipient.
    Complained,
}

/// The last mail of one type to one applicant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailState {
    /// From 1; part of the outbox key.
    pub attempt: u32,
    /// Where it stands.
    pub status: EmailStatus,
    /// Since when.
    pub at: Timestamp,
    /// Whether SES took this or an earlier attempt.
    pub taken: bool,
}

/// A mail in the outbox: written before it is sent, kept as the record of what was sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mail {
    /// What it is about: a submission for decisions, an invite for invitations, a membership for what its member is told.
    pub about: u64,
    /// Tells occasions with the same `about` and kind apart: the submission's sequence, for decisions (one that was
    /// withdrawn and made anew has another, and mails of its own).
    pub sequence: u64,
    /// `acceptance`, `rejection`, `invitation`, `request`, `joined`.
    pub kind: String,
    /// From 1.
    pub attempt: u32,
    /// Where it stands.
    pub status: EmailStatus,
    /// User id of the recipient, if they are known: it is found by it.
    pub person: Option<u64>,
    /// Recipient.
    pub to: String,
    /// Where answers go, if anywhere.
    pub reply_to: Option<String>,
    /// Subject line.
    pub subject: String,
    /// HTML part, without what is derived when it is sent.
    pub html: String,
    /// Text part, likewise.
    pub text: String,
    /// The decision that it tells, if it tells one.
    pub decision: Option<Decision>,
    /// The invite whose link is added when it is sent: club, invite id, version.
    pub invite: Option<(String, String, u64)>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// When the worker claimed it.
    pub claimed_at: Option<Timestamp>,
    /// What SES calls it, or why it failed.
    pub outcome: Option<String>,
}

impl Mail {
    /// Whether it told the last change of this invite.
    pub fn brings(&self, invite: &Invite) -> bool {
        self.queued_at == invite.updated_at && self.invite.as_ref().is_some_and(|(_, id, _)| *id == invite.id)
    }
}

/// The decision that a mail tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decision {
    /// Application id.
    pub application: u64,
    /// Status mailed.
    pub status: Status,
    /// Reason mailed.
    pub reason: String,
}
