use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Application, ClubCode, Email, Invite, Mailed, Person, Status};
use crate::ids::Id;
use crate::time::Timestamp;

/// Where a mail stands (E13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
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

impl EmailStatus {
    /// Every status, by the name that it has in JSON.
    pub const ALL: [(&'static str, Self); 7] = [
        ("queued", Self::Queued),
        ("sending", Self::Sending),
        ("sent", Self::Sent),
        ("failed", Self::Failed),
        ("unknown", Self::Unknown),
        ("bounced", Self::Bounced),
        ("complained", Self::Complained),
    ];

    /// Whether SES surely took the mail.
    pub fn taken(self) -> bool {
        matches!(self, Self::Sent | Self::Bounced | Self::Complained)
    }
}

/// What SES reports of a mail after it took it (E22). Reports come more than once and in any order:
/// the one that stands last in this list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// SES did not hand it on: it found a virus.
    Rejected,
    /// It came back for now: the mailbox was full, the server away for hours. Behind a delivery it
    /// is a note of absence.
    SoftBounced,
    /// The recipient's server took it.
    Delivered,
    /// It came back for good, even if the server took it at first.
    Bounced,
    /// The recipient called it spam.
    Complained,
}

impl Report {
    /// What a mail of which this is the last word is.
    pub fn status(self) -> EmailStatus {
        match self {
            Self::Rejected => EmailStatus::Failed,
            Self::SoftBounced | Self::Bounced => EmailStatus::Bounced,
            Self::Delivered => EmailStatus::Sent,
            Self::Complained => EmailStatus::Complained,
        }
    }
}

/// What a mail is for. It is part of the key in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailKind {
    /// A decision: the applicant is accepted.
    Acceptance,
    /// A decision: the applicant is rejected.
    Rejection,
    /// Somebody is invited to join a club.
    Invitation,
    /// An officer learns that somebody asks to join.
    Request,
    /// Somebody learns that an officer added them.
    Joined,
}

impl MailKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Acceptance,
        Self::Rejection,
        Self::Invitation,
        Self::Request,
        Self::Joined,
    ];

    /// The name in keys, items and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance",
            Self::Rejection => "rejection",
            Self::Invitation => "invitation",
            Self::Request => "request",
            Self::Joined => "joined",
        }
    }
}

/// The version of an invite whose link a mail brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteLink {
    /// Club code.
    pub club: ClubCode,
    /// Invite id.
    pub invite: String,
    /// The link of an older version does not work.
    pub version: u64,
}

/// Which mail it is: what its key is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailId {
    /// As in [`Mail`].
    pub about: u64,
    /// As in [`Mail`].
    pub sequence: u64,
    /// As in [`Mail`].
    pub kind: MailKind,
    /// As in [`Mail`].
    pub attempt: u32,
}

impl fmt::Display for MailId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}-{}-{}-{}",
            self.about,
            self.sequence,
            self.kind.name(),
            self.attempt
        )
    }
}

impl FromStr for MailId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let [about, sequence, kind, attempt] = text.split('-').collect::<Vec<_>>()[..] else {
            return Err(());
        };
        let number = |text: &str| text.parse().map_err(|_| ());
        Ok(Self {
            about: number(about)?,
            sequence: number(sequence)?,
            kind: MailKind::ALL
                .into_iter()
                .find(|known| known.name() == kind)
                .ok_or(())?,
            attempt: attempt.parse().map_err(|_| ())?,
        })
    }
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
    /// What it is about: a submission for decisions, an invite for invitations, a membership for
    /// what its member is told.
    pub about: u64,
    /// Tells occasions with the same `about` and kind apart: the submission's sequence, for
    /// decisions (one that was withdrawn and made anew has another, and mails of its own).
    pub sequence: u64,
    /// What it is for.
    pub kind: MailKind,
    /// From 1.
    pub attempt: u32,
    /// Where it stands.
    pub status: EmailStatus,
    /// User id of the recipient, if they are known: it is found by it.
    pub person: Option<Id<Person>>,
    /// Recipient.
    pub to: Email,
    /// Where answers go, if anywhere.
    pub reply_to: Option<Email>,
    /// Subject line.
    pub subject: String,
    /// HTML part, without what is derived when it is sent.
    pub html: String,
    /// Text part, likewise.
    pub text: String,
    /// The decision that it tells, if it tells one.
    pub decision: Option<Decision>,
    /// The invite whose link is added when it is sent: club, invite id, version.
    pub invite: Option<InviteLink>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// When the worker claimed it.
    pub claimed_at: Option<Timestamp>,
    /// What SES calls it, or why it failed.
    pub outcome: Option<String>,
    /// The weightiest report of SES.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

impl Mail {
    /// Which mail this is.
    pub fn id(&self) -> MailId {
        MailId {
            about: self.about,
            sequence: self.sequence,
            kind: self.kind,
            attempt: self.attempt,
        }
    }

    /// Whether it told the last change of this invite.
    pub fn brings(&self, invite: &Invite) -> bool {
        self.queued_at == invite.updated_at
            && self
                .invite
                .as_ref()
                .is_some_and(|link| link.invite == invite.id)
    }
}

/// Stands for a mail whose worker has died, or is still at work: it comes through the table's
/// stream again and again until the claim has ended, so that the mails behind it need not wait
/// (E19).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MailLease {
    /// As in [`Mail`].
    pub about: u64,
    /// As in [`Mail`].
    pub sequence: u64,
    /// As in [`Mail`].
    pub kind: MailKind,
    /// As in [`Mail`].
    pub attempt: u32,
    /// How often it came, from 1.
    pub turn: u32,
    /// When the table may remove it, in seconds since 1970.
    pub expires: i64,
}

impl MailLease {
    /// The mail that it stands for.
    pub fn mail(&self) -> MailId {
        MailId {
            about: self.about,
            sequence: self.sequence,
            kind: self.kind,
            attempt: self.attempt,
        }
    }
}

/// The decision that a mail tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decision {
    /// Club code.
    pub club: ClubCode,
    /// Application id.
    pub application: Id<Application>,
    /// Status mailed.
    pub status: Status,
    /// Reason mailed.
    pub reason: String,
}

impl Decision {
    /// What a submission keeps of it once SES took the mail.
    pub fn mailed(&self, at: Timestamp) -> Mailed {
        Mailed {
            status: self.status,
            reason: self.reason.clone(),
            at,
        }
    }
}
