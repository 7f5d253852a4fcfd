use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// The status of a mail (E13).
    EmailStatus {
        /// Waits to be sent.
        Queued,
        /// Is being sent.
        Sending,
        /// Accepted by the mail service.
        Sent,
        /// Permanently refused.
        Failed,
        /// It is not known whether the mail service accepted it.
        /// Never sent again automatically.
        Unknown,
        /// Returned as undeliverable.
        Bounced,
        /// Marked as spam by the recipient.
        Complained,
    }
}

impl EmailStatus {
    /// All statuses, with their names in JSON.
    pub const ALL: [(&'static str, Self); 7] = [
        ("queued", Self::Queued),
        ("sending", Self::Sending),
        ("sent", Self::Sent),
        ("failed", Self::Failed),
        ("unknown", Self::Unknown),
        ("bounced", Self::Bounced),
        ("complained", Self::Complained),
    ];

    /// Returns whether SES certainly accepted the mail.
    pub fn taken(self) -> bool {
        matches!(self, Self::Sent | Self::Bounced | Self::Complained)
    }
}

/// What SES reports about a mail after it accepted it (E22). Reports can come more than once and in
/// any order. The report that is last in this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// SES did not send it because it found a virus.
    Rejected,
    /// Temporarily undeliverable: the mailbox was full, or the server could not be reached for
    /// hours. After a delivery it is only an out-of-office reply.
    SoftBounced,
    /// Accepted by the recipient's mail server.
    Delivered,
    /// Permanently undeliverable, even if the server accepted it at first.
    Bounced,
    /// The recipient marked it as spam.
    Complained,
}

impl Report {
    /// Returns the status of a mail for which this report counts.
    pub fn status(self) -> EmailStatus {
        match self {
            Self::Rejected => EmailStatus::Failed,
            Self::SoftBounced | Self::Bounced => EmailStatus::Bounced,
            Self::Delivered => EmailStatus::Sent,
            Self::Complained => EmailStatus::Complained,
        }
    }
}

/// The purpose of a mail. It is part of the key in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailKind {
    /// A decision: the applicant is accepted.
    Acceptance,
    /// A decision: the applicant is rejected.
    Rejection,
    /// Invites an applicant to choose an interview.
    Interview,
    /// Invites somebody to join a club.
    Invitation,
    /// Confirms a submission to its applicant.
    Confirmation,
    /// Notifies an officer that somebody asks to join.
    Request,
    /// Notifies somebody that an officer added them.
    Joined,
    /// Tells an applicant that their interview was booked, moved or cancelled.
    Appointment,
    /// Reminds of a draft that was not submitted.
    DraftReminder,
    /// Reminds of an interview.
    InterviewReminder,
    /// News of the clubs that somebody follows.
    News,
    /// Tells that a webhook was switched off.
    Webhook,
    /// Tells an applicant that their application ended, because the club was closed or the
    /// application deleted.
    Ended,
    /// Tells somebody what happened to their tickets.
    Tickets,
    /// Reminds of a showing for which somebody has a ticket.
    TicketReminder,
}

impl MailKind {
    /// All kinds.
    pub const ALL: [Self; 15] = [
        Self::Acceptance,
        Self::Rejection,
        Self::Interview,
        Self::Confirmation,
        Self::Invitation,
        Self::Request,
        Self::Joined,
        Self::Appointment,
        Self::DraftReminder,
        Self::InterviewReminder,
        Self::News,
        Self::Webhook,
        Self::Ended,
        Self::Tickets,
        Self::TicketReminder,
    ];

    /// Returns whether such a mail tells a decision.
    pub fn is_decision(self) -> bool {
        matches!(self, Self::Acceptance | Self::Rejection)
    }

    /// Returns whether such a mail is a reminder or news, also of a webhook that was switched off,
    /// and may wait behind all others (E21).
    pub fn is_notice(self) -> bool {
        matches!(
            self,
            Self::DraftReminder
                | Self::InterviewReminder
                | Self::TicketReminder
                | Self::News
                | Self::Webhook
        )
    }

    /// Returns how many days the record of such a mail is kept (O8).
    pub fn kept_days(self) -> i64 {
        if self.is_decision() { 400 } else { 60 }
    }

    /// Returns the name used in keys, items and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance",
            Self::Rejection => "rejection",
            Self::Interview => "interview",
            Self::Confirmation => "confirmation",
            Self::Invitation => "invitation",
            Self::Request => "request",
            Self::Joined => "joined",
            Self::Appointment => "appointment",
            Self::DraftReminder => "draft_reminder",
            Self::InterviewReminder => "interview_reminder",
            Self::News => "news",
            Self::Webhook => "webhook",
            Self::Ended => "ended",
            Self::Tickets => "tickets",
            Self::TicketReminder => "ticket_reminder",
        }
    }
}

/// Identifies a mail; its key in the outbox consists of these parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl MailId {
    /// Returns what a mail is about that tells a person all decisions of an application (E27).
    pub fn about_person(application: Id<of::Application>, person: Id<of::Person>) -> u64 {
        crate::ids::derived(
            "person mail",
            &[&application.to_string(), &person.to_string()],
        )
    }
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

/// Why a text is no [`MailId`].
#[derive(Debug, PartialEq, Eq)]
pub enum NoMailId {
    /// It is not the id of a mail of Clubs.
    Foreign,
    /// It is one, with a kind of mail that this release does not have.
    UnknownKind,
}

impl FromStr for MailId {
    type Err = NoMailId;

    fn from_str(text: &str) -> Result<Self, NoMailId> {
        let [about, sequence, kind, attempt] = text.split('-').collect::<Vec<_>>()[..] else {
            return Err(NoMailId::Foreign);
        };
        let number = |text: &str| text.parse().map_err(|_| NoMailId::Foreign);
        Ok(Self {
            about: number(about)?,
            sequence: number(sequence)?,
            attempt: attempt.parse().map_err(|_| NoMailId::Foreign)?,
            kind: MailKind::ALL
                .into_iter()
                .find(|one| one.name() == kind)
                .ok_or(NoMailId::UnknownKind)?,
        })
    }
}

/// The last mail of one kind to one applicant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailState {
    /// Number of the attempt, from 1; part of the outbox key.
    pub attempt: u32,
    /// Status of the mail.
    pub status: EmailStatus,
    /// Time of the status.
    pub at: Timestamp,
    /// Whether SES accepted this or an earlier attempt.
    pub taken: bool,
    /// Whether SES accepted an earlier attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub earlier_taken: bool,
    /// The sequence of the mail, if it is one mail to the person (E27); none if it is about this
    /// submission alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_mail: Option<u64>,
    /// Position of the mail among the decision mails of the submission, of both kinds, from 1. It
    /// tells which one is the last, also within one second.
    #[serde(default)]
    pub order: u32,
    /// The mails of this kind in the last 24 hours, the oldest first. Those that were given up do
    /// not count.
    #[serde(default)]
    pub recent: Vec<Telling>,
}

/// One mail of the last 24 hours, and the request that queued it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Telling {
    /// When it was queued.
    pub at: Timestamp,
    /// The id of the request ([`crate::web::NewId`]). All repeats with one idempotency key have
    /// the same.
    pub call: u64,
}

impl MailState {
    /// Returns the mails of this kind that were sent or may still be sent, and were queued less
    /// than 24 hours before `now`.
    pub fn recent(&self, now: Timestamp) -> impl Iterator<Item = &Telling> {
        // The last mail does not count if it was given up.
        let given_up = usize::from(self.status == EmailStatus::Failed);
        let count = self.recent.len().saturating_sub(given_up);
        let day = chrono::TimeDelta::hours(24);
        let tellings = self.recent.iter().take(count);
        tellings.filter(move |telling| now < telling.at.plus(day))
    }

    /// Returns how many mails of this kind count for the limit of a day, if another one is queued
    /// now. A mail that is still queued will be given up for it.
    pub fn count_recent(&self, now: Timestamp) -> usize {
        let given_up = usize::from(self.status == EmailStatus::Queued);
        self.recent(now).count().saturating_sub(given_up)
    }

    /// Returns whether this request, or an earlier attempt of it, queued a mail that was not given
    /// up.
    pub fn is_of(&self, call: u64, now: Timestamp) -> bool {
        self.recent(now).any(|telling| telling.call == call)
    }
}
