//! `/settings/export/`: everything that is stored about the caller

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::Shared;
use shared::bodies::{OwnSubmissions, Studies, SubmissionBody};
use shared::domain::Bookmark;
use shared::domain::{
    Application, Choice, Committee, DraftAnswer, EmailStatus, Extension, Invite, Mail, Membership,
    Question, Review, Submission, Upload,
};
use shared::ids::Id;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{Result, User};
use utoipa::ToSchema;

use crate::tokens::TokenBody;

use crate::invites::InviteBody;
use crate::member::{MemberBody, MemberViewer};
use crate::membershiprequests::RequestBody;
use crate::settings::SettingsBody;

/// Everything that is stored about a person, except decisions that they may not know yet (P13).
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportBody<'a> {
    /// The profile.
    profile: SettingsBody,
    /// Time of the first request of the caller.
    created_at: Timestamp,
    /// Addresses that the caller had before, at most 20, the latest last.
    former_emails: Vec<String>,
    /// Memberships, also in deleted clubs.
    memberships: Vec<ExportedMembership>,
    /// Requests to join clubs.
    requests: Vec<RequestBody>,
    /// Submissions, as the caller may see them.
    submissions: Vec<SubmissionBody<'a>>,
    /// Later ends of applications for the caller.
    extensions: Vec<ExportedExtension>,
    /// Answers that the caller has typed but perhaps not submitted.
    drafts: Vec<ExportedDraftAnswer>,
    /// Files that were uploaded and are still kept.
    files: Vec<ExportedFile>,
    /// The tokens of the caller, without their texts.
    tokens: Vec<TokenBody>,
    /// What the caller, as an officer, thought of submissions.
    reviews: Vec<ExportedReview>,
    /// Open or expired invites that were mailed to the caller.
    invites: Vec<ExportedInvite>,
    /// Mails that were sent to the caller.
    mails: Vec<ExportedMail>,
    /// Clubs that the caller has marked.
    favorites: Vec<ExportedBookmark>,
    /// Clubs that the caller follows.
    subscriptions: Vec<ExportedBookmark>,
}

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
    application: Id<Application>,
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

/// An answer of a draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportedDraftAnswer {
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<Application>,
    /// Id of the committee that the draft is for, or null.
    #[schema(value_type = Option<u64>)]
    committee: Option<Id<Committee>>,
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<Question>,
    /// The answer as text, or null.
    text: Option<String>,
    /// Id of the chosen option, or null.
    #[schema(value_type = Option<u64>)]
    multiple_choice: Option<Id<Choice>>,
    /// Id of the file, or null.
    #[schema(value_type = Option<u64>)]
    file: Option<Id<Upload>>,
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
    id: Id<Upload>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<Application>,
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<Question>,
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
    id: Id<Review>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<Application>,
    /// Id of the submission.
    #[schema(value_type = u64)]
    submission: Id<Submission>,
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

/// Export everything that is stored about the caller.
///
/// For every signed-in user. Decisions are not shown before the applicant may know them.
#[utoipa::path(
    get, path = "/api/settings/export/", tag = "me", security(("bearer" = [])),
    responses((status = 200, body = ExportBody))
)]
pub async fn export_settings(State(app): State<Shared>, user: User) -> Result<Response> {
    let person = user.person().await?;
    let table = &app.table;
    let mut all = table.personal_data(person).await?;
    let own = table.answered(std::mem::take(&mut all.submissions)).await?;
    let studies = Studies::of(&app, all.requests.iter().map(|request| &request.applicant));
    let (submissions, studies) =
        futures::try_join!(OwnSubmissions::of(&app, &own), async { Ok(studies.await?) })?;
    // A decision mail that was not sent is not shown (P13).
    let sent = |mail: &Mail| {
        matches!(
            mail.status,
            EmailStatus::Sent | EmailStatus::Bounced | EmailStatus::Complained
        )
    };
    // An invite is shown only if the mail with its present version was sent.
    let was_mailed = |invite: &Invite| {
        let mut sent = all.mails.iter().filter(|mail| sent(mail));
        sent.any(|mail| mail.brings(invite))
    };
    let invites = all.invites.into_iter().filter(was_mailed);
    let invites = invites.map(ExportedInvite::from).collect();
    let body = ExportBody {
        profile: SettingsBody::new(person, user.is_admin()),
        created_at: person.created_at,
        former_emails: person
            .former_emails
            .iter()
            .map(ToString::to_string)
            .collect(),
        memberships: all
            .memberships
            .into_iter()
            .map(ExportedMembership::from)
            .collect(),
        requests: all
            .requests
            .iter()
            .map(|request| RequestBody::new(request, &studies))
            .collect(),
        submissions: submissions.bodies(&own),
        extensions: all
            .extensions
            .into_iter()
            .map(ExportedExtension::from)
            .collect(),
        files: all.uploads.into_iter().map(ExportedFile::from).collect(),
        tokens: all.tokens.into_iter().map(TokenBody::from).collect(),
        drafts: all
            .drafts
            .into_iter()
            .filter(|answer| !answer.is_removed())
            .map(ExportedDraftAnswer::from)
            .collect(),
        reviews: all.reviews.into_iter().map(ExportedReview::from).collect(),
        invites,
        mails: all
            .mails
            .into_iter()
            .filter(sent)
            .map(ExportedMail::from)
            .collect(),
        favorites: all
            .bookmarks
            .favorites
            .iter()
            .map(ExportedBookmark::from)
            .collect(),
        subscriptions: all
            .bookmarks
            .subscriptions
            .iter()
            .map(ExportedBookmark::from)
            .collect(),
    };
    Ok(Json(body).into_response())
}
