//! `/clubs/{club}/applications/{application}/send_emails/`

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use futures::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};
use shared::Shared;
use shared::http::{
    ApiError, ChangedNothing, Code, Field, Input, Mode, Need, Officer, Reader, Reference, Result,
};
use shared::limits;
use shared::mail::DecisionKind;
use shared::models::{Application, Club, EmailStatus, MailId, Submission};
use shared::table::usage::request_age;
use shared::table::{DecisionMail, PARALLEL, Retries, SubmissionQuery, TableError};
use utoipa::ToSchema;

use crate::previews::{
    Composer, Invitations, MailSelection, Plan, PlannedMail, PreviewBody, SkippedBody, last_mail,
};

/// How long the answer waits for the outbox to drain.
const PATIENCE: Duration = Duration::from_secs(3);
/// Batches up to this size are waited for.
const SMALL_BATCH: usize = 100;

/// Which mails to send, and how.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SendInput {
    #[serde(default)]
    #[schema(required = true, value_type = EmailType)]
    email_type: Field<EmailType>,
    /// Send again to those who have a mail of this type; default false.
    #[serde(default)]
    #[schema(value_type = bool)]
    allow_resend: Field<bool>,
    /// Preview only: stores and sends nothing; default false.
    #[serde(default)]
    #[schema(value_type = bool)]
    dry_run: Field<bool>,
    /// The digest of a dry run: if decisions, reasons, templates or the choice changed since,
    /// nothing is sent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    digest: Field<String>,
    /// Ids of submissions: only these are considered. At most 2,000; default all.
    #[serde(default)]
    #[schema(value_type = Option<Vec<u64>>)]
    submissions: Field<Vec<Reference>>,
}

/// A type of decision mail.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
pub struct EmailType {
    id: DecisionKind,
}

/// What was sent, or would be.
#[derive(Debug, Serialize, ToSchema)]
pub struct SendBody {
    /// One sentence.
    detail: String,
    email_type: EmailType,
    dry_run: bool,
    /// Mails to be sent.
    recipients: usize,
    /// Taken by SES.
    sent: usize,
    /// In the outbox, to be sent soon.
    queued: usize,
    /// Refused, or of unknown outcome.
    failed: usize,
    skipped: SkippedBody,
    /// What to look at before sending.
    warnings: Vec<String>,
    /// Every mail, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    previews: Option<Vec<PreviewBody>>,
    /// Of all that the mails say: a real call may carry it.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// Sends the decision mails of one type, each applicant's once; or previews them. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/{application}/send_emails/", tag = "submissions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = SendInput, responses((status = 200, body = SendBody)))]
pub async fn send_emails(
    State(app): State<Shared>,
    scope: Officer<Application>,
    Input(input): Input<SendInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let email_type = reader.value("email_type", input.email_type, Need::Required);
    let allow_resend = reader
        .value("allow_resend", input.allow_resend, Need::Optional)
        .unwrap_or(false);
    let dry_run = reader
        .value("dry_run", input.dry_run, Need::Optional)
        .unwrap_or(false);
    let digest = reader
        .nullable("digest", input.digest, Need::Optional)
        .flatten();
    let chosen = reader
        .nullable("submissions", input.submissions, Need::Optional)
        .flatten();
    let named: Vec<u64> = chosen
        .iter()
        .flatten()
        .copied()
        .map(Reference::id)
        .collect();
    let chosen: Option<BTreeSet<u64>> =
        chosen.map(|ids| ids.into_iter().map(Reference::id).collect());
    match chosen.as_ref().map(BTreeSet::len) {
        Some(0) => reader.errors.add(
            "submissions",
            "Name at least one submission, or leave this field out to consider all.",
        ),
        Some(n) if n > limits::BULK => reader.errors.add(
            "submissions",
            format!("At most {} submissions are allowed.", limits::BULK),
        ),
        _ => {}
    }
    reader.finish()?;
    let Some(email_type) = email_type else {
        return Err(ApiError::field("email_type", "This field is required."));
    };
    let (club, application, kind) = (scope.club, scope.parent, email_type.id);
    let (submissions, invitations) = futures::try_join!(
        considered(&app, application.id, chosen.as_ref()),
        invitations(&app, &club, kind)
    )?;
    let mut reader = Reader::new(Mode::Create);
    for (i, id) in named
        .iter()
        .enumerate()
        .filter(|(_, id)| !submissions.iter().any(|there| there.id == **id))
    {
        reader.errors.add(
            format!("submissions.{i}"),
            format!("This application has no submission {id}."),
        );
    }
    reader.finish()?;
    let choice = MailSelection {
        submissions: chosen,
        allow_resend,
    };
    let composer = Composer::new(club, application, kind, app.now())?;
    let plan = Plan::new(&composer, submissions, &invitations, &choice)?;
    if digest.is_some_and(|digest| digest != plan.digest) && !dry_run {
        let why = "Decisions, reasons, templates or the choice changed since the preview. Nothing was sent.";
        return Err(ApiError::field("digest", why).coded(Code::DigestChanged));
    }
    let recipients = plan.mails.len();
    if dry_run {
        let mut preview = Json(SendBody {
            detail: format!("{recipients} e-mails would be sent."),
            email_type,
            dry_run,
            recipients,
            sent: 0,
            queued: 0,
            failed: 0,
            skipped: plan.skipped,
            previews: Some(composer.previews(&plan)?),
            warnings: plan.warnings,
            digest: Some(plan.digest),
        })
        .into_response();
        preview.extensions_mut().insert(ChangedNothing);
        return Ok(preview);
    }
    let SendCounts {
        sent,
        queued,
        failed,
        unknown,
        raced,
        left,
    } = send(&app, &composer, plan.mails, kind).await?;
    let mut warnings = plan.warnings;
    if unknown > 0 {
        warnings.push(format!(
            "{unknown} e-mails may or may not have been sent: see email_status."
        ));
    }
    if left > 0 {
        warnings.push(format!(
            "{left} e-mails could not be queued in time. Send again for the rest."
        ));
    }
    let skipped = SkippedBody {
        already_notified: plan.skipped.already_notified + raced,
        ..plan.skipped
    };
    Ok(Json(SendBody {
        detail: format!(
            "{sent} e-mails sent, {queued} queued, {} failed.",
            failed + unknown + left
        ),
        email_type,
        dry_run,
        recipients: recipients - raced,
        sent,
        queued,
        failed: failed + unknown + left,
        skipped,
        warnings,
        previews: None,
        digest: None,
    })
    .into_response())
}

/// The submissions of an application that are considered: those that were chosen, or all.
async fn considered(
    app: &Shared,
    application: u64,
    chosen: Option<&BTreeSet<u64>>,
) -> std::result::Result<Vec<Submission>, TableError> {
    if let Some(chosen) = chosen {
        let ids: Vec<u64> = chosen.iter().copied().collect();
        return app.table.submissions_by_id(application, &ids).await;
    }
    let all = SubmissionQuery {
        without_answers: true,
        ..SubmissionQuery::all(|_: &_| true)
    };
    app.table.submissions(application, all).await
}

/// Who needs an invitation to the club, and which there are: 2 queries side by side. A club that
/// waits for approval invites nobody.
async fn invitations(
    app: &Shared,
    club: &Club,
    kind: DecisionKind,
) -> std::result::Result<Invitations, TableError> {
    if kind == DecisionKind::Rejection || club.approved != Some(true) {
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

#[derive(Default)]
struct SendCounts {
    sent: usize,
    queued: usize,
    failed: usize,
    unknown: usize,
    /// Queued by somebody else at the same moment.
    raced: usize,
    /// Not tried any more: the function has to answer.
    left: usize,
}

enum QueueResult {
    Mine(MailId),
    Raced,
    Changed,
    Left,
}

/// Nothing is queued later than this in a request: the function has to answer in time.
const QUEUE_WITHIN: Duration = Duration::from_secs(18);

async fn send(
    app: &Shared,
    composer: &Composer,
    mails: Vec<PlannedMail>,
    kind: DecisionKind,
) -> Result<SendCounts> {
    let results: Vec<Result<QueueResult>> = stream::iter(mails)
        .map(|planned| queue(app, composer, planned, kind))
        .buffer_unordered(PARALLEL)
        .collect()
        .await;
    let mut outcome = SendCounts::default();
    let mut mine = Vec::new();
    let mut broken = Vec::new();
    for result in results {
        match result {
            Ok(QueueResult::Mine(mail)) => mine.push(mail),
            Ok(QueueResult::Raced) => outcome.raced += 1,
            Ok(QueueResult::Changed) => outcome.failed += 1,
            Ok(QueueResult::Left) => outcome.left += 1,
            Err(error) => broken.push(error),
        }
    }
    // What was queued is sent in any case; if nothing was, the caller gets the error itself.
    outcome.failed += broken.len();
    if let Some(error) = broken.pop() {
        if mine.is_empty() {
            return Err(if broken.is_empty() {
                error
            } else {
                error.after_write()
            });
        }
        tracing::error!(?error, "some mails were not queued");
    }
    for status in drained(app, &mine).await {
        match status {
            EmailStatus::Sent | EmailStatus::Bounced | EmailStatus::Complained => outcome.sent += 1,
            EmailStatus::Failed => outcome.failed += 1,
            EmailStatus::Unknown => outcome.unknown += 1,
            EmailStatus::Queued | EmailStatus::Sending => outcome.queued += 1,
        }
    }
    Ok(outcome)
}

async fn queue(
    app: &Shared,
    composer: &Composer,
    planned: PlannedMail,
    kind: DecisionKind,
) -> Result<QueueResult> {
    if request_age() > QUEUE_WITHIN {
        return Ok(QueueResult::Left);
    }
    let (mut mail, submission) = (composer.mail(&planned)?, planned.submission);
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let last = last_mail(&submission, kind);
        match app
            .table
            .queue_decision(DecisionMail {
                submission: &submission,
                last,
                mail: &mail,
            })
            .await
        {
            Ok(()) => return Ok(QueueResult::Mine(mail.id())),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let now = app
            .table
            .submission(submission.application, submission.id)
            .await?;
        if now
            .as_ref()
            .and_then(|now| last_mail(now, kind))
            .is_some_and(|now| now.attempt >= mail.attempt)
        {
            return Ok(QueueResult::Raced);
        }
        // Another mail about the same invite, of another committee or officer, came first: this one
        // has its link too.
        let Some(link) = &mut mail.invite else {
            return Ok(QueueResult::Changed);
        };
        match app.table.invite(&link.club, &link.invite).await? {
            Some(invite) if invite.version != link.version => link.version = invite.version,
            _ => return Ok(QueueResult::Changed),
        }
    }
}

/// The states of the mails when all have left the outbox, or patience ends.
async fn drained(app: &Shared, mails: &[MailId]) -> Vec<EmailStatus> {
    let mut states = vec![EmailStatus::Queued; mails.len()];
    if mails.len() > SMALL_BATCH {
        return states;
    }
    let end = tokio::time::Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(20);
    let waits = |status: &EmailStatus| matches!(status, EmailStatus::Queued | EmailStatus::Sending);
    while states.iter().any(waits) && tokio::time::Instant::now() + pause < end {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(500));
        match app.table.mails(mails).await {
            Ok(now) => states = now.into_iter().map(|mail| mail.status).collect(),
            Err(error) => {
                tracing::warn!(%error, "the outbox could not be read");
                break;
            }
        }
    }
    states
}
