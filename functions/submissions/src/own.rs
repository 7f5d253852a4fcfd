//! `/submissions/`, `/submissions/{submission}/`: the caller's own, across clubs

use axum::Json;
use axum::extract::State;
use shared::Shared;
use shared::auth::User;
use shared::http::{ApiError, NoContent, PathIds, ReceivedAt, Result};
use shared::lookups::Studies;
use shared::models::{Extension, Submission};
use shared::table::Withdrawn;
use shared::time::Timestamp;

use crate::body::SubmissionBody;
use crate::submissions::closed;

/// Submissions as their applicant may see them now.
pub async fn bodies(app: &Shared, submissions: &[Submission]) -> Result<Vec<SubmissionBody>> {
    let of = |submission: &'_ Submission| {
        (
            submission.club.clone(),
            submission.application,
            submission.answers.clone(),
        )
    };
    let named: Vec<_> = submissions.iter().map(of).collect();
    let parts = app.table.parts_of(
        named
            .iter()
            .map(|(club, application, answers)| (club.as_str(), *application, answers.as_slice())),
    );
    let studies = Studies::of(
        app,
        submissions
            .iter()
            .filter_map(|submission| submission.applicant.as_ref()),
    );
    let (parts, studies) = futures::try_join!(parts, studies)?;
    let now = app.clock.now();
    let show = |submission: &Submission| {
        let application = parts.applications.get(&submission.application)?;
        Some(SubmissionBody::for_applicant(
            submission,
            application,
            &parts.prompts,
            &studies,
            now,
        ))
    };
    Ok(submissions.iter().filter_map(show).collect())
}

/// The caller's own submissions, newest first. Decisions show when they are released or mailed.
#[utoipa::path(get, path = "/api/submissions/", tag = "own submissions", security(("bearer" = [])),
    responses((status = 200, body = Vec<SubmissionBody>)))]
pub async fn list_own_submissions(
    State(app): State<Shared>,
    user: User,
) -> Result<Json<Vec<SubmissionBody>>> {
    let own = app.table.submissions_of(user.id()).await?;
    Ok(Json(bodies(&app, &own).await?))
}

async fn own(app: &Shared, user: &User, path: &PathIds) -> Result<Submission> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    app.table
        .submission_of(user.id(), id)
        .await?
        .ok_or(ApiError::NotFound)
}

/// One of the caller's own submissions.
#[utoipa::path(get, path = "/api/submissions/{submission}/", tag = "own submissions", security(("bearer" = [])),
    params(("submission" = u64, Path)), responses((status = 200, body = SubmissionBody)))]
pub async fn show_own_submission(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Json<SubmissionBody>> {
    let submission = own(&app, &user, &path).await?;
    bodies(&app, &[submission])
        .await?
        .pop()
        .map(Json)
        .ok_or(ApiError::NotFound)
}

/// Withdraws one of the caller's own submissions, while the application is open and nothing was
/// decided.
#[utoipa::path(delete, path = "/api/submissions/{submission}/", tag = "own submissions", security(("bearer" = [])),
    params(("submission" = u64, Path)), responses((status = 204)))]
pub async fn withdraw_submission(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
) -> Result<NoContent> {
    let submission = own(&app, &user, &path).await?;
    let (application, extension) = futures::try_join!(
        app.table
            .application(&submission.club, submission.application),
        app.table.extension(
            submission.application,
            Extension::id_of(submission.application, user.id())
        ),
    )?;
    let application = application.ok_or(ApiError::NotFound)?;
    if !application.is_current(received, extension.map(|extension| extension.end)) {
        return Err(closed());
    }
    match app
        .table
        .withdraw(
            &submission,
            app.ids.received(received),
            Timestamp::at(received),
        )
        .await?
    {
        Withdrawn::Done => Ok(NoContent),
        Withdrawn::Decided => Err(closed()),
    }
}
