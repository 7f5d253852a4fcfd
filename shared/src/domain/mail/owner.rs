//! Who owns each kind of mail: the outbox knows only recipient, content and status, and here its
//! owner hands over what a change of the status means for it.

use crate::db::Write;
use crate::domain::decision::status_writes::status_writes;
use crate::domain::interview::store::not_over;
use crate::domain::invite::store::still_open;
use crate::domain::notice::current::still_true;
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::{EmailStatus, MailKind};
use crate::time::Timestamp;

/// What owns a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The submissions that a decision or an invitation to an interview is about. They show its
    /// status.
    Submissions,
    /// A booking.
    Interview,
    /// An invite to join a club.
    Invite,
    /// Settings and drafts or bookings of a person, of which a notice is made.
    Notice,
    /// Nothing: it tells what happened once, and nothing that comes later makes it wrong.
    Nothing,
}

impl MailKind {
    /// Each kind of mail has an owner: a kind without a line here does not compile.
    fn owner(self) -> Owner {
        match self {
            Self::Acceptance | Self::Rejection | Self::Interview => Owner::Submissions,
            Self::Appointment => Owner::Interview,
            Self::Invitation => Owner::Invite,
            Self::DraftReminder | Self::InterviewReminder | Self::TicketReminder | Self::News => {
                Owner::Notice
            }
            Self::Confirmation
            | Self::Request
            | Self::Joined
            | Self::Webhook
            | Self::Ended
            | Self::Tickets => Owner::Nothing,
        }
    }
}

/// Returns what a new status of a mail means for its owner: changes of what shows it, and, before
/// it is sent, the conditions under which it is still right.
pub(super) fn owner_writes(mail: &Mail, status: EmailStatus, now: Timestamp) -> Vec<Write> {
    let is_sending = status == EmailStatus::Sending;
    match mail.kind.owner() {
        Owner::Submissions => status_writes(mail, status, now),
        Owner::Interview if is_sending => not_over(mail).into_iter().collect(),
        Owner::Invite if is_sending => still_open(mail).into_iter().collect(),
        Owner::Notice if is_sending => still_true(mail),
        Owner::Interview | Owner::Invite | Owner::Notice | Owner::Nothing => vec![],
    }
}
