//! `/settings/export/`: everything that is stored about the caller

use axum::Json;
use axum::response::Response;
use chrono::NaiveDate;
use serde::Serialize;
use shared::Context;
use shared::bodies::{OwnPart, Studies, SubmissionBody};
use shared::domain::{
    DraftAnswer, EmailStatus, Extension, Favorite, Invite, LinkUse, Mail, Membership,
    MembershipRequest, PersonalData, Review, Submission, Subscription, Ticket, Token, Upload,
    Withdrawal,
};
use shared::openapi::fields::SliceCount;
use shared::time::Timestamp;
use shared::web::{Result, Slice, User, with_next};
use utoipa::ToSchema;

use crate::exported::{
    ExportedBookmark, ExportedDraftAnswer, ExportedExtension, ExportedFile, ExportedInvite,
    ExportedLinkUse, ExportedMail, ExportedMembership, ExportedReview, ExportedTicket,
    ExportedWithdrawal,
};
use crate::membershiprequests::RequestBody;
use crate::settings::SettingsBody;
use crate::tokens::TokenBody;

/// Everything that is stored about a person, except decisions that they may not know yet (P13).
#[derive(Debug, Serialize, ToSchema)]
pub struct ExportBody<'a> {
    /// The profile.
    profile: SettingsBody,
    /// Time of the first request of the caller.
    created_at: Timestamp,
    /// The last day on which the caller signed in, in UTC; null if it is not kept (Z2).
    #[schema(value_type = Option<String>, format = Date)]
    signed_in_on: Option<NaiveDate>,
    /// Number of clubs that the caller created, with deleted ones.
    clubs_created: i64,
    /// Addresses that the caller had before, at most 20, the latest last.
    former_emails: Vec<String>,
    /// Memberships, also in deleted clubs.
    memberships: Vec<ExportedMembership>,
    /// Requests to join clubs.
    requests: Vec<RequestBody>,
    /// Submissions, as the caller may see them.
    submissions: Vec<SubmissionBody<'a>>,
    /// Submissions that were withdrawn.
    withdrawals: Vec<ExportedWithdrawal>,
    /// Join links that the caller has used.
    join_links: Vec<ExportedLinkUse>,
    /// Later ends of applications for the caller.
    extensions: Vec<ExportedExtension>,
    /// Answers that the caller has typed but perhaps not submitted.
    drafts: Vec<ExportedDraftAnswer>,
    /// Files that were uploaded and are still kept.
    files: Vec<ExportedFile>,
    /// The tokens of the caller, without their texts.
    tokens: Vec<TokenBody>,
    /// Tickets of showings.
    tickets: Vec<ExportedTicket>,
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

fn exported<T, B: From<T>>(all: impl IntoIterator<Item = T>) -> Vec<B> {
    all.into_iter().map(B::from).collect()
}

/// Export everything that is stored about the caller.
///
/// For every signed-in user. Decisions are not shown before the applicant may know them. If the
/// answers of submissions are long, the header `Link` has the address of the next part, which has
/// the next submissions and nothing else.
#[utoipa::path(
    get, path = "/api/settings/export/", tag = "me", security(("bearer" = [])),
    params(
        ("limit" = Option<SliceCount>, Query, description = "Largest number of submissions"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = ExportBody))
)]
pub async fn export_settings(app: Context, user: User, slice: Slice) -> Result<Response> {
    let person = user.person().await?;
    let table = &app.table;
    let (mut all, own) = if slice.after::<(u64, u64)>()?.is_some() {
        let (own, _) = table.applied_of(person.id).await?;
        (PersonalData::default(), own)
    } else {
        let mut all = table.personal_data(person).await?;
        let own: Vec<Submission> = all.take();
        (all, own)
    };
    let mails = table.mails_to(&mut all).await?;
    let part = OwnPart::read(&app, own, slice);
    let requests: Vec<MembershipRequest> = all.take();
    let studies = Studies::of(&app, requests.iter().map(|request| &request.applicant));
    let (part, studies) = futures::try_join!(part, async { Ok(studies.await?) })?;
    let OwnPart { own, shown, next } = part;
    // A decision mail that was not sent is not shown (P13).
    let sent = |mail: &Mail| {
        matches!(
            mail.status,
            EmailStatus::Sent | EmailStatus::Bounced | EmailStatus::Complained
        )
    };
    // An invite is shown only if the mail with its present version was sent.
    let was_mailed = |invite: &Invite| {
        let mut sent = mails.iter().filter(|mail| sent(mail));
        sent.any(|mail| invite.is_brought_by(mail))
    };
    let invites = all.take().into_iter().filter(was_mailed);
    let invites: Vec<ExportedInvite> = invites.map(ExportedInvite::from).collect();
    let drafts: Vec<DraftAnswer> = all.take();
    let drafts = drafts.into_iter().filter(|answer| !answer.is_removed());
    let mut tickets: Vec<Ticket> = all.take();
    tickets.sort_by_key(|ticket| ticket.id);
    let body = ExportBody {
        profile: SettingsBody::new(person, user.is_admin()),
        created_at: person.created_at,
        signed_in_on: person.signed_in_on,
        clubs_created: person.clubs_created,
        former_emails: person
            .former_emails
            .iter()
            .map(ToString::to_string)
            .collect(),
        memberships: exported(all.take::<Membership>()),
        requests: requests
            .iter()
            .map(|request| RequestBody::new(request, &studies))
            .collect(),
        submissions: shown.bodies(&own),
        withdrawals: exported(all.take::<Withdrawal>()),
        join_links: exported(all.take::<LinkUse>()),
        extensions: exported(all.take::<Extension>()),
        files: exported(all.take::<Upload>()),
        tokens: exported(all.take::<Token>()),
        drafts: exported(drafts),
        tickets: exported(tickets),
        reviews: exported(all.take::<Review>()),
        invites,
        mails: exported(mails.into_iter().filter(sent)),
        favorites: exported(all.take::<Favorite>().iter()),
        subscriptions: exported(all.take::<Subscription>().iter()),
    };
    Ok(with_next(Json(body), next))
}
