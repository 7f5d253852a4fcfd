//! The parts of `/settings/export/`

use serde::Serialize;
use shared::domain::{
    Bookmark, DraftAnswer, EmailStatus, Extension, Invite, LinkUse, Mail, Membership, Review,
    Ticket, TicketId, TicketState, Upload, Withdrawal,
};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;
use utoipa::ToSchema;

use crate::invites::InviteBody;
use crate::member::{MemberBody, MemberViewer};

/// A membership, also in a deleted club.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedMembership {
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// When the membership began.
    created_at: Timestamp,
    /// The membership.
    member: MemberBody,
}

impl From<Membership> for ExportedMembership {
    fn from(membership: Membership) -> Self {
        // With the rights of an officer, because nothing is hidden from the member.
        let member = MemberBody::new(
            &membership,
            MemberViewer {
                id: membership.person,
                is_officer: true,
                is_admin: false,
            },
        );
        Self {
            club_code: membership.club,
            created_at: membership.created_at,
            member,
        }
    }
}

/// A later end of an application for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedExtension {
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// Last moment at which the caller may submit.
    end_time: Timestamp,
}

impl From<Extension> for ExportedExtension {
    fn from(extension: Extension) -> Self {
        Self {
            application: extension.application,
            end_time: extension.end,
        }
    }
}

/// A join link that the caller has used.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedLinkUse {
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// Id of the link.
    #[schema(value_type = u64)]
    link: Id<of::JoinLink>,
}

impl From<LinkUse> for ExportedLinkUse {
    fn from(used: LinkUse) -> Self {
        Self {
            club_code: used.club,
            link: used.link,
        }
    }
}

/// What remains of a submission that the caller withdrew.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedWithdrawal {
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// When it was withdrawn.
    withdrawn_at: Timestamp,
}

impl From<Withdrawal> for ExportedWithdrawal {
    fn from(withdrawal: Withdrawal) -> Self {
        Self {
            application: withdrawal.application,
            withdrawn_at: withdrawal.withdrawn_at,
        }
    }
}

/// A ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedTicket {
    /// 16 hexadecimal digits.
    #[schema(value_type = String)]
    id: TicketId,
    /// Its state.
    state: TicketState,
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// Id of the event.
    #[schema(value_type = u64)]
    event: Id<of::Event>,
    /// Id of the showing.
    #[schema(value_type = u64)]
    showing: Id<of::Showing>,
    /// When it was ordered or issued.
    created_at: Timestamp,
    /// When the caller was let in, or null.
    checked_in_at: Option<Timestamp>,
}

impl From<Ticket> for ExportedTicket {
    fn from(ticket: Ticket) -> Self {
        Self {
            id: ticket.id,
            state: ticket.state,
            club_code: ticket.club,
            event: ticket.event,
            showing: ticket.showing,
            created_at: ticket.created_at,
            checked_in_at: ticket.checked_in_at,
        }
    }
}

/// An answer of a draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedDraftAnswer {
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// Id of the committee that the draft is for, or null.
    #[schema(value_type = Option<u64>)]
    committee: Option<Id<of::Committee>>,
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<of::Question>,
    /// The answer as text, or null.
    text: Option<String>,
    /// Id of the chosen option, or null.
    #[schema(value_type = Option<u64>)]
    multiple_choice: Option<Id<of::Choice>>,
    /// Id of the file, or null.
    #[schema(value_type = Option<u64>)]
    file: Option<Id<of::Upload>>,
    /// When the answer was saved.
    updated_at: Timestamp,
}

impl From<DraftAnswer> for ExportedDraftAnswer {
    fn from(answer: DraftAnswer) -> Self {
        Self {
            application: answer.application,
            committee: answer.committee,
            question: answer.question,
            text: answer.text,
            multiple_choice: answer.option,
            file: answer.file,
            updated_at: answer.updated_at,
        }
    }
}

/// A file that the caller has uploaded, and that is still kept. Those of submissions stand there.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedFile {
    /// Id of the file.
    #[schema(value_type = u64)]
    id: Id<of::Upload>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<of::Question>,
    /// Its name.
    name: String,
    /// Its size, in bytes.
    size: u64,
    /// Its media type.
    #[serde(rename = "type")]
    media_type: String,
    /// When it was announced.
    created_at: Timestamp,
}

impl From<Upload> for ExportedFile {
    fn from(upload: Upload) -> Self {
        Self {
            id: upload.id,
            application: upload.application,
            question: upload.question,
            media_type: upload.format.media_type().to_owned(),
            name: upload.name,
            size: upload.size,
            created_at: upload.created_at,
        }
    }
}

/// A review that the caller wrote.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedReview {
    /// Id of the review.
    #[schema(value_type = u64)]
    id: Id<of::Review>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// Id of the submission.
    #[schema(value_type = u64)]
    submission: Id<of::Submission>,
    /// From 1 to 5, or null.
    score: Option<u8>,
    /// The comment, or null.
    comment: Option<String>,
    /// When it was first written.
    created_at: Timestamp,
    /// When it was last changed.
    updated_at: Timestamp,
}

impl From<Review> for ExportedReview {
    fn from(review: Review) -> Self {
        Self {
            id: review.id,
            application: review.application,
            submission: review.submission,
            score: review.score,
            comment: review.comment,
            created_at: review.created_at,
            updated_at: review.updated_at,
        }
    }
}

/// A favorite or a subscription.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedBookmark {
    /// Id of the entry.
    #[schema(value_type = u64)]
    id: Id<ExportedBookmark>,
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// When the club was added.
    created_at: Timestamp,
}

impl<I: Bookmark> From<&I> for ExportedBookmark {
    fn from(bookmark: &I) -> Self {
        let (id, club, _, created_at) = bookmark.parts();
        Self {
            id: Id::new(id.get()),
            club_code: club.to_owned(),
            created_at,
        }
    }
}

/// An invitation to join a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedInvite {
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// The invitation.
    invite: InviteBody,
}

impl From<Invite> for ExportedInvite {
    fn from(invite: Invite) -> Self {
        Self {
            invite: (&invite).into(),
            club_code: invite.club,
        }
    }
}

/// A mail that was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedMail {
    /// Address of the recipient.
    to: String,
    /// Subject of the mail.
    subject: String,
    /// Text of the mail. Kept only for decision mails; otherwise an empty text.
    text: String,
    /// When the mail was stored to be sent.
    queued_at: Timestamp,
    /// What happened to the mail.
    status: EmailStatus,
}

impl From<Mail> for ExportedMail {
    fn from(mail: Mail) -> Self {
        Self {
            to: mail.to.to_string(),
            subject: mail.subject,
            text: mail.text,
            queued_at: mail.queued_at,
            status: mail.status,
        }
    }
}
