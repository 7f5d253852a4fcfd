//! `/submissions/`, `/submissions/{submission}/`: the submissions of the caller in all clubs

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use shared::Context;
use shared::bodies::{OwnPart, OwnSubmissions, SubmissionBody};
use shared::bookings::{BookingRelease, cancellation};
use shared::domain::{Answered, Application, BookedSlots, Extension, Submission};
use shared::domain::{CancelledInterview, StoredSubmission, WithdrawOutcome};
use shared::openapi::fields::SliceCount;
use shared::time::RequestTime;
use shared::web::{
    ApiError, IfMatch, NoContent, NoInput, PathIds, ReceivedAt, Result, Slice, User, with_next,
};

use crate::release::release_own;
use crate::store::closed;
use crate::store::request_time;

/// List the submissions of the caller.
///
/// For every signed-in user. The newest comes first. A decision is shown from the release time on,
/// or when it was mailed. If the answers are long, the header `Link` has the address of the next
/// part, also without `limit`.
#[utoipa::path(
    get, path = "/api/submissions/", tag = "own submissions", security(("bearer" = [])),
    params(
        ("limit" = Option<SliceCount>, Query, description = "Largest number of results"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = Vec<SubmissionBody>))
)]
pub async fn list_own_submissions(app: Context, user: User, slice: Slice) -> Result<Response> {
    let (own, _) = app.table.applied_of(user.id()).await?;
    let OwnPart { own, shown, next } = OwnPart::read(&app, own, slice).await?;
    remember(&app, &own);
    release_own(&app, &own, shown.parts()).await?;
    Ok(with_next(Json(shown.bodies(&own)), next))
}

/// Remembers where these submissions are, and what is booked, for bookings.
fn remember(app: &Context, own: &[Answered]) {
    let slot = |one: &Answered| Some((one.application, one.booked()?));
    let booked: BookedSlots = own.iter().filter_map(slot).collect();
    for submission in own.iter().filter(|one| one.interview().is_some()) {
        app.slots.saw_submission(submission, booked.clone());
    }
}

/// What is stored in the place in the path, if it is the caller's.
async fn stored_own(app: &Context, user: &User, path: &PathIds) -> Result<StoredSubmission> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    Ok(app.table.own_submission(user.id(), id).await?)
}

/// The submission in the path, if it is the caller's.
pub(crate) async fn own(app: &Context, user: &User, path: &PathIds) -> Result<Submission> {
    match stored_own(app, user, path).await? {
        StoredSubmission::Present(submission) => Ok(*submission),
        _ => Err(ApiError::NotFound),
    }
}

/// The submission in the path with its answers, if it is the caller's.
pub(crate) async fn own_answered(app: &Context, user: &User, path: &PathIds) -> Result<Answered> {
    let found = own(app, user, path).await?;
    let found = app.table.answered(vec![found]).await?;
    found.into_iter().next().ok_or(ApiError::NotFound)
}

/// Get a submission of the caller.
///
/// For every signed-in user. A decision is shown from the release time on, or when it was mailed.
#[utoipa::path(
    get, path = "/api/submissions/{submission}/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)),
    responses((status = 200, body = SubmissionBody))
)]
pub async fn show_own_submission(app: Context, user: User, path: PathIds) -> Result<Response> {
    let own = [own_answered(&app, &user, &path).await?];
    remember(&app, &own);
    let shown = OwnSubmissions::of(&app, &own).await?;
    release_own(&app, &own, shown.parts()).await?;
    let body = shown.bodies(&own).pop().ok_or(ApiError::NotFound)?;
    Ok(Json(body).into_response())
}

/// Withdraw a submission of the caller.
///
/// For every signed-in user, while the application is open and no decision was told. Withdrawing
/// again is 204, too.
#[utoipa::path(
    delete, path = "/api/submissions/{submission}/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)), responses((status = 204))
)]
pub async fn withdraw_submission(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    if_match: IfMatch,
    _: NoInput,
) -> Result<NoContent> {
    let submission = match stored_own(&app, &user, &path).await? {
        StoredSubmission::Present(submission) => *submission,
        // An earlier request withdrew it, and may have ended before it was finished.
        StoredSubmission::Withdrawn(withdrawal) => {
            if_match.check_absent()?;
            app.table.withdraw_again(&withdrawal).await?;
            return Ok(NoContent);
        }
        StoredSubmission::Deleted(_) | StoredSubmission::Nothing => {
            if_match.check_absent()?;
            return Err(ApiError::NotFound);
        }
    };
    check_as_shown(&app, &if_match, &submission).await?;
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
    let when = request_time(&app, received);
    let only_as_read = if_match.is_given();
    let (mut submission, mut retries) = (submission, app.table.retries());
    loop {
        retries.next().await?;
        if submission.is_closed(&application, app.clock.now()) {
            return Err(closed());
        }
        let cancelled = cancelled_by(&app, &application, &submission, when).await?;
        let withdrawn = app
            .table
            .withdraw(&submission, when, only_as_read, cancelled.as_ref());
        match withdrawn.await? {
            WithdrawOutcome::Done => {
                if let Err(error) = app.table.forget_confirmations(&submission).await {
                    tracing::warn!(%error, "confirmations were not removed");
                }
                return Ok(NoContent);
            }
            WithdrawOutcome::Changed => {}
        }
        match stored_own(&app, &user, &path).await? {
            StoredSubmission::Present(now) => submission = *now,
            _ => return Ok(NoContent),
        }
        check_as_shown(&app, &if_match, &submission).await?;
    }
}

/// Checks the entity tag of a request against what its applicant sees of a submission.
async fn check_as_shown(app: &Context, if_match: &IfMatch, submission: &Submission) -> Result<()> {
    if !if_match.is_given() {
        return Ok(());
    }
    let shown = app.table.answered(vec![submission.clone()]).await?;
    let bodies = OwnSubmissions::of(app, &shown).await?;
    if_match.check(|| bodies.bodies(&shown).pop())
}

/// The interview of a submission that is withdrawn, if one is booked.
async fn cancelled_by(
    app: &Context,
    application: &Application,
    submission: &Submission,
    when: RequestTime,
) -> Result<Option<CancelledInterview>> {
    let Some(slot) = submission.booked() else {
        return Ok(None);
    };
    let (club, slot) = futures::try_join!(
        app.table.club(&submission.club),
        app.table.slot(application.id, slot)
    )?;
    let Some((club, slot)) = club.zip(slot) else {
        return Ok(None);
    };
    let booking_release = BookingRelease {
        recruitment: (&club, application),
        slot: &slot,
        received: when.received,
        over: false,
        now: app.now(),
    };
    let interview = submission.interview();
    Ok(interview.map(|interview| CancelledInterview {
        file: interview.next_file(Some(&slot)),
        mail: cancellation(submission, &booking_release),
    }))
}
