//! `/submissions/`, `/submissions/{submission}/`: the submissions of the caller in all clubs

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use shared::Shared;
use shared::bodies::{OwnSubmissions, SubmissionBody};
use shared::http::{ApiError, NoContent, NoInput, PathIds, ReceivedAt, Result, User};
use shared::models::{Extension, Submission};
use shared::table::WithdrawOutcome;
use shared::time::Timestamp;

use crate::submissions::closed;

/// List the submissions of the caller.
///
/// For every signed-in user. The newest comes first. A decision is shown from the release time on,
/// or when it was mailed.
#[utoipa::path(
    get, path = "/api/submissions/", tag = "own submissions", security(("bearer" = [])),
    responses((status = 200, body = Vec<SubmissionBody>))
)]
pub async fn list_own_submissions(State(app): State<Shared>, user: User) -> Result<Response> {
    let own = app.table.submissions_of(user.id()).await?;
    let shown = OwnSubmissions::of(&app, &own).await?;
    Ok(Json(shown.bodies(&own)).into_response())
}

/// The submission in the path, if it is the caller's.
pub(crate) async fn own(app: &Shared, user: &User, path: &PathIds) -> Result<Submission> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    app.table
        .submission_of(user.id(), id)
        .await?
        .ok_or(ApiError::NotFound)
}

/// Get a submission of the caller.
///
/// For every signed-in user. A decision is shown from the release time on, or when it was mailed.
#[utoipa::path(
    get, path = "/api/submissions/{submission}/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)),
    responses((status = 200, body = SubmissionBody))
)]
pub async fn show_own_submission(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Response> {
    let own = [own(&app, &user, &path).await?];
    let shown = OwnSubmissions::of(&app, &own).await?;
    let body = shown.bodies(&own).pop().ok_or(ApiError::NotFound)?;
    Ok(Json(body).into_response())
}

/// Withdraw a submission of the caller.
///
/// For every signed-in user, while the application is open and nothing is decided.
#[utoipa::path(
    delete, path = "/api/submissions/{submission}/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)), responses((status = 204))
)]
pub async fn withdraw_submission(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    _: NoInput,
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
        WithdrawOutcome::Done => Ok(NoContent),
        WithdrawOutcome::Decided => Err(closed()),
    }
}
