use serde::{Deserialize, Serialize};

use crate::domain::outbox::notice::Notice;
use crate::domain::outbox::state::{EmailStatus, MailId, MailKind, Report};
use crate::domain::outbox::ticket::TicketMail;
use crate::domain::outbox::undelivered::MailOwner;
use crate::domain::status::Status;
use crate::ids::{Id, of};
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// The version of an invite whose link is in a mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteLink {
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the invite.
    pub invite: String,
    /// Version of the invite; links of older versions do not work.
    pub version: u64,
    /// Whether the mail may make the invite. If not, it was there when the mail was planned, and
    /// one that was used or revoked since does not come back.
    #[serde(skip)]
    pub is_new: bool,
}

/// The outcome of a mail that was given up because it was not true any more.
pub const SUPERSEDED: &str = "superseded";

/// A mail in the outbox. It is stored before it is sent, and kept as a record of what was sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mail {
    /// Id of the object that the mail is about: a submission for decisions, an invite for
    /// invitations, a membership for notifications to its member. For one mail a person, see
    /// [`MailId::about_person`].
    pub about: u64,
    /// Distinguishes mails with the same `about` and kind. For decisions it is the submission's
    /// sequence: a submission that was withdrawn and submitted again has a new sequence, and its
    /// own mails. For one mail a person it is the newest sequence of the submissions.
    pub sequence: u64,
    /// Purpose of the mail.
    pub kind: MailKind,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Status of the mail.
    pub status: EmailStatus,
    /// Id of the recipient, if known; the mails of a person are found by it.
    pub person: Option<Id<of::Person>>,
    /// Address of the recipient.
    pub to: Email,
    /// Address for replies, if any.
    pub reply_to: Option<Email>,
    /// Subject line.
    pub subject: String,
    /// HTML part, without the parts that are added when it is sent.
    pub html: String,
    /// Text part, without the parts that are added when it is sent.
    pub text: String,
    /// The decision that the mail is about, if any.
    pub decision: Option<Decision>,
    /// The appointment that the mail is about, if any. Its text and its calendar file are made when
    /// it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appointment: Option<Appointment>,
    /// What the mail reminds of or tells, if it is a notice. Its text is made when it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// The request to join that officers are told of, if it is about one. Who asks is added when it
    /// is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestNews>,
    /// The tickets that it is about, if it is about some. Its text and its calendar file are made
    /// when it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tickets: Option<TicketMail>,
    /// The invite whose link is added when the mail is sent.
    pub invite: Option<InviteLink>,
    /// What shows that it did not arrive (E35). None for decisions and invitations to an
    /// interview: their submissions have their status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<MailOwner>,
    /// How often it was sent again because it had not arrived (E36).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub resent: u8,
    /// Whether its owner shows that it did not arrive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_shown: bool,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// Until when it was kept back, if it was (K14). After that it is queued again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed_until: Option<Timestamp>,
    /// When the mail worker claimed it.
    pub claimed_at: Option<Timestamp>,
    /// The message id from SES, or the reason why it failed.
    pub outcome: Option<String>,
    /// The report of SES that counts (see [`Report`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u8) -> bool {
    *count == 0
}

impl Mail {
    /// Returns the id of this mail.
    pub fn id(&self) -> MailId {
        MailId {
            about: self.about,
            sequence: self.sequence,
            kind: self.kind,
            attempt: self.attempt,
        }
    }

    /// Returns whether its text is stored, or can be made.
    pub(crate) fn has_text(&self) -> bool {
        let is_made = self.appointment.is_some() || self.notice.is_some() || self.request.is_some();
        is_made || self.tickets.is_some() || !self.html.is_empty()
    }

    /// Returns whether its text is kept until it has arrived, because it may be sent again. A
    /// welcome mail names who added somebody, so it is written anew.
    pub(crate) fn keeps_text(&self) -> bool {
        matches!(
            self.kind,
            MailKind::Confirmation | MailKind::Request | MailKind::Webhook | MailKind::Ended
        )
    }

    /// Returns whether it was given up because it was not true any more.
    pub fn is_superseded(&self) -> bool {
        let outcome = self.outcome.as_deref();
        self.status == EmailStatus::Failed && outcome == Some(SUPERSEDED)
    }
}

crate::text::enums::text_enum! {
    /// What happened to an appointment.
    AppointmentNews {
        /// It was booked.
        Booked,
        /// It was moved to another slot.
        Moved,
        /// The time or the place of its slot changed.
        Changed,
        /// It was cancelled.
        Cancelled,
    }
}

/// An interview as a mail tells it (K10).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Appointment {
    /// What happened.
    pub news: AppointmentNews,
    /// Name of the club.
    pub club: String,
    /// Name of the application.
    pub application: String,
    /// Name of the applicant.
    pub name: String,
    /// First name of the applicant.
    #[serde(default)]
    pub first_name: String,
    /// When it begins.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Where it is.
    pub location: String,
    /// The number of its calendar file (`SEQUENCE`).
    pub file: i64,
    /// Id of the application; none in mails of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_id: Option<Id<of::Application>>,
}

/// A request to join a club, as a mail tells it (R4). It does not name who asks: they may withdraw
/// the request, or be erased, before it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RequestNews {
    /// Code of the club.
    pub club: ClubCode,
    /// Name of the club.
    pub club_name: String,
    /// First name of the officer.
    pub officer: String,
    /// Id of the request.
    pub request: Id<of::MembershipRequest>,
}

/// The decision that a mail is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decision {
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Status in the mail.
    pub status: Status,
    /// Reason in the mail.
    pub reason: String,
    /// As in [`MailState`].
    #[serde(default)]
    pub order: u32,
    /// The submissions that one mail to a person is about (E27). Empty if the mail is about the
    /// submission in [`Mail::about`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<CommunicatedDecision>,
}

/// The decision about one submission, as a mail tells it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommunicatedDecision {
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// Its sequence.
    pub sequence: u64,
    /// Status in the mail.
    pub status: Status,
    /// Reason in the mail.
    pub reason: String,
    /// As in [`MailState`].
    #[serde(default)]
    pub order: u32,
}

impl Mail {
    /// Returns the decisions that this mail tells: one for each submission.
    pub fn communicated(&self) -> Vec<CommunicatedDecision> {
        match &self.decision {
            None => vec![],
            Some(decision) if decision.covers.is_empty() => vec![CommunicatedDecision {
                submission: Id::new(self.about),
                sequence: self.sequence,
                status: decision.status,
                reason: decision.reason.clone(),
                order: decision.order,
            }],
            Some(decision) => decision.covers.clone(),
        }
    }
}
