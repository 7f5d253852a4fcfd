//! `/clubs/{club}/applications/{application}/send_emails/`

use std::collections::BTreeSet;

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use shared::db::TableError;
use shared::domain::{Application, ApplicationTexts, Club, Submission, SubmissionQuery};
use shared::ids::{Id, of};
use shared::mail::MailType;
use shared::reason::Reason;
use shared::text::kinds::List;
use shared::web::scopes::MailSend;
use shared::web::{
    ApiError, ChangedNothing, Code, ExactReference, Input, Mode, NewId, Officer, Params, Reader,
    Result,
};
use shared::{Context, limits};
use utoipa::ToSchema;

use crate::previews::{Composer, MailPlan, PreviewBody, SkippedBody};
use crate::queue::{SendCounts, send};
use crate::selection::{Invitations, MailSelection};

shared::input! {
    /// Which mails to send, and how.
    pub struct SendInput strict {
        /// `{"id": "acceptance"}` goes to status 4, `{"id": "rejection"}` to status 2 and 3, and
        /// `{"id": "interview"}` to status 1: it invites to choose an interview.
        email_type: EmailType, Required;
        /// Whether to send again for submissions that already have a mail of this type.
        allow_resend: bool, Optional = false;
        /// Whether only to preview the mails. Nothing is stored or sent. Default false.
        dry_run: bool, Optional;
        /// The digest of a dry run. If decisions, reasons, templates, addresses or the choice of
        /// recipients changed since, nothing is sent.
        digest: Option<String>, Optional;
        /// Whether each person gets one mail instead of one for each submission: an acceptance that
        /// names all committees that accepted them, or a rejection if none did and nothing is
        /// pending.
        one_per_person: bool, Optional = false;
        /// Whether to send nothing while anybody is undecided. In a dry run it is only a warning.
        require_all_decided: bool, Optional = false;
        /// Ids of the submissions to consider, from 1 to 2,000. All, if not sent. With
        /// `one_per_person`, all submissions of their applicants are considered. Invitations to an
        /// interview need it.
        submissions: Option<List<ExactReference, { limits::BULK }, 1>>, Optional;
    }
}

/// A type of mail.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmailType {
    /// What the mails are about.
    id: MailType,
}

shared::kinds!(EmailType);

/// The result of sending, or of the dry run.
#[derive(Debug, Serialize, ToSchema)]
pub struct SendBody {
    /// A summary in one sentence.
    detail: String,
    /// The type of the mails.
    email_type: EmailType,
    /// Whether the mails were only previewed.
    dry_run: bool,
    /// Number of mails that are sent, or would be. Mails that were not queued in time do not count.
    recipients: usize,
    /// Number of mails that the mail service has taken.
    sent: usize,
    /// Number of mails that will be sent soon.
    queued: usize,
    /// Number of mails that failed, or of which nobody knows whether they were sent.
    failed: usize,
    /// Number of mails that could not be queued in time. The same request sends them.
    left: usize,
    /// Who gets no mail, and why.
    skipped: SkippedBody,
    /// Sentences about what the officer should check.
    warnings: Vec<String>,
    /// The same for programs, in the same order.
    reasons: Vec<Reason>,
    /// All mails. Missing if it is not a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    previews: Option<Vec<PreviewBody>>,
    /// A hash of decisions, reasons, templates, addresses and recipients, to be sent with the real
    /// call. Missing if it is not a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// Send or preview decision mails or invitations.
///
/// For officers: acceptances, rejections, and invitations to an interview. Each submission gets one
/// mail of a type, unless `allow_resend` is true. With `one_per_person`, each person gets one mail,
/// and nobody is told a rejection whom another committee accepted. An acceptance also brings a
/// personal link to join the club, unless the applicant is a member or the club waits for approval.
/// A dry run returns the mails and sends nothing.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/send_emails/", tag = "mails",
    security(("bearer" = []), ("token" = ["mail:send"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = SendInput, responses((status = 200, body = SendBody))
)]
pub async fn send_emails(
    app: Context,
    scope: Officer<MailSend, Application, ApplicationTexts>,
    params: Params,
    NewId(call): NewId,
    Input(input): Input<SendInput>,
) -> Result<Response> {
    let SendRequest {
        email_type,
        dry_run,
        digest,
        named,
        require_all_decided,
        selection,
    } = input.read(&params, call)?;
    let (club, application, kind) = (scope.club, scope.parent, email_type.id);
    let (submissions, invitations) = futures::try_join!(
        read_submissions(&app, application.id, &selection, require_all_decided),
        invitations(&app, &club, kind)
    )?;
    check_found(&named, &submissions)?;
    let site = &app.settings.addresses.site_url;
    let composer = Composer::new(club, application, &scope.object, kind, (site, app.now()))?;
    let mut plan = MailPlan::new(&composer, submissions, &invitations, &selection)?;
    if digest.is_some_and(|digest| digest != plan.digest) && !dry_run {
        return Err(ApiError::field("digest", Reason::PreviewChanged).coded(Code::DigestChanged));
    }
    if require_all_decided && plan.undecided > 0 {
        let why = Reason::Undecided {
            count: plan.undecided,
        };
        if !dry_run {
            return Err(ApiError::rule(why).coded(Code::Undecided));
        }
        plan.warnings.push(why);
    }
    let recipients = plan.mails.len() + plan.done.len();
    if dry_run {
        return preview(&composer, plan, email_type);
    }
    let SendCounts {
        sent,
        queued,
        failed,
        unknown,
        raced,
        left,
        broken,
    } = send(&app, &composer, plan.mails, plan.done, kind, call).await?;
    let mut warnings = plan.warnings;
    if unknown > 0 {
        warnings.push(Reason::PerhapsSent { count: unknown });
    }
    if left > 0 {
        warnings.push(Reason::NotQueued { count: left });
    }
    let skipped = SkippedBody {
        already_notified: plan.skipped.already_notified + raced,
        ..plan.skipped
    };
    let is_complete = left + broken == 0;
    let failed = failed + unknown;
    let detail = match left {
        0 => format!("{sent} e-mails sent, {queued} queued, {failed} failed."),
        _ => format!("{sent} e-mails sent, {queued} queued, {failed} failed, {left} not queued."),
    };
    let body = SendBody {
        detail,
        email_type,
        dry_run,
        recipients: recipients - raced - left,
        sent,
        queued,
        failed,
        left,
        skipped,
        warnings: sentences(&warnings),
        reasons: warnings,
        previews: None,
        digest: None,
    };
    Ok(respond(body, is_complete))
}

/// The response to a sending. If it is not complete, a repeat with the same key goes on.
fn respond(body: SendBody, is_complete: bool) -> Response {
    let mut response = Json(body).into_response();
    if !is_complete {
        response.extensions_mut().insert(ChangedNothing);
    }
    response
}

fn sentences(reasons: &[Reason]) -> Vec<String> {
    reasons.iter().map(Reason::to_string).collect()
}

/// The response to a dry run.
fn preview(composer: &Composer, plan: MailPlan, email_type: EmailType) -> Result<Response> {
    let recipients = plan.mails.len() + plan.done.len();
    let mut preview = Json(SendBody {
        detail: format!("{recipients} e-mails would be sent."),
        email_type,
        dry_run: true,
        recipients,
        sent: 0,
        queued: 0,
        failed: 0,
        left: 0,
        skipped: plan.skipped,
        previews: Some(composer.previews(&plan)?),
        warnings: sentences(&plan.warnings),
        reasons: plan.warnings,
        digest: Some(plan.digest),
    })
    .into_response();
    preview.extensions_mut().insert(ChangedNothing);
    Ok(preview)
}

/// A request body without errors.
struct SendRequest {
    email_type: EmailType,
    dry_run: bool,
    digest: Option<String>,
    /// The chosen submissions in the order of the request, for the names of wrong fields.
    named: Vec<Id<of::Submission>>,
    require_all_decided: bool,
    selection: MailSelection,
}

impl SendInput {
    fn read(self, params: &Params, call: u64) -> Result<SendRequest> {
        params.only(&["dry_run"])?;
        let mut reader = Reader::new(Mode::Create);
        let email_type = reader.get(self.email_type);
        let allow_resend = reader.get(self.allow_resend).unwrap_or_default();
        let dry_run = reader.get(self.dry_run);
        let dry_run = match (dry_run, params.flag("dry_run")?) {
            (Some(body), Some(query)) if body != query => {
                let why = Reason::Contradiction;
                reader.errors.add("dry_run", why);
                false
            }
            (body, query) => body.or(query).unwrap_or(false),
        };
        let one_per_person = reader.get(self.one_per_person).unwrap_or_default();
        let require_all_decided = reader.get(self.require_all_decided).unwrap_or_default();
        let digest = reader.get(self.digest).flatten();
        let chosen = reader.get(self.submissions).flatten();
        let named: Vec<Id<of::Submission>> = chosen
            .iter()
            .flatten()
            .map(|chosen| chosen.0.id())
            .collect();
        let chosen: Option<BTreeSet<Id<of::Submission>>> =
            chosen.map(|ids| ids.into_iter().map(|chosen| chosen.0.id()).collect());
        match chosen.as_ref().map(BTreeSet::len) {
            Some(0) => reader
                .errors
                .add("submissions", Reason::TooFew { minimum: 1 }),
            Some(n) if n > limits::BULK => reader.errors.add(
                "submissions",
                Reason::TooMany {
                    limit: limits::BULK,
                },
            ),
            _ => {}
        }
        if email_type.is_some_and(|email_type| email_type.id == MailType::Interview) {
            let refused = [
                ("one_per_person", one_per_person),
                ("require_all_decided", require_all_decided),
            ];
            for (name, _) in refused.into_iter().filter(|(_, is_set)| *is_set) {
                let why = Reason::NotForInterviews;
                reader.errors.add(name, why);
            }
            if chosen.is_none() && !reader.errors.has("submissions") {
                let why = Reason::NeedsSubmissions;
                reader.errors.add("submissions", why);
            }
        }
        reader.finish()?;
        let email_type =
            email_type.ok_or_else(|| ApiError::field("email_type", Reason::Required))?;
        Ok(SendRequest {
            email_type,
            dry_run,
            digest,
            named,
            require_all_decided,
            selection: MailSelection {
                submissions: chosen,
                allow_resend,
                one_per_person,
                call,
            },
        })
    }
}

/// The error if the application has none of some submissions that the request names.
fn check_found(named: &[Id<of::Submission>], found: &[Submission]) -> Result<()> {
    let mut reader = Reader::new(Mode::Create);
    for (i, _) in named
        .iter()
        .enumerate()
        .filter(|(_, id)| !found.iter().any(|there| there.id == **id))
    {
        reader
            .errors
            .add(format!("submissions.{i}"), Reason::unknown("submission"));
    }
    reader.finish()
}

/// The submissions of an application to consider: the chosen ones, or all. For one mail a person,
/// and to know whether all are decided, it is all, because that depends on the other submissions of
/// the people.
async fn read_submissions(
    app: &Context,
    application: Id<of::Application>,
    selection: &MailSelection,
    require_all_decided: bool,
) -> std::result::Result<Vec<Submission>, TableError> {
    let chosen = selection.submissions.as_ref();
    if let Some(chosen) = chosen.filter(|_| !selection.one_per_person && !require_all_decided) {
        let ids: Vec<Id<of::Submission>> = chosen.iter().copied().collect();
        return app.table.submissions_by_id(application, &ids).await;
    }
    let found = app
        .table
        .submissions(application, &SubmissionQuery::ALL)
        .await?;
    Ok(found.submissions)
}

/// Who needs an invitation to the club, and which invites exist. Needs 2 parallel queries. A club
/// that is not approved invites nobody (E24).
async fn invitations(
    app: &Context,
    club: &Club,
    kind: MailType,
) -> std::result::Result<Invitations, TableError> {
    if kind != MailType::Acceptance || club.approved != Some(true) {
        return Ok(Invitations::default());
    }
    let (members, invites) =
        futures::try_join!(app.table.members(&club.code), app.table.invites(&club.code))?;
    Ok(Invitations {
        is_open: true,
        members: members
            .into_iter()
            .map(|membership| membership.person)
            .collect(),
        versions: invites
            .into_iter()
            .map(|invite| (invite.id, invite.version))
            .collect(),
        new: app.next_id(),
    })
}
