//! `/clubs/{club}/applications/{application}/submissions/{submission}/interview/`: for officers
//! (K8)

use std::collections::HashMap;

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use shared::Context;
use shared::bodies::InterviewBody;
use shared::db::TableError;
use shared::domain::{Application, Interview, InterviewChange, Submission};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Input, Mode, NoContent, NoInput, Officer, Reader, ReceivedAt, Result,
    applicant_erased,
};

use crate::booking::{Booked, BookingInput, By, Wish};
use crate::release::release_shown;

shared::input! {
    /// What an officer notes about an interview.
    pub struct AttendanceInput {
        /// Whether the applicant came; null if that is not known.
        attended: Option<bool>, Required;
    }
}

/// What the routes of this file read: a submission that is not the caller's own.
async fn booked<S>(app: &Context, scope: Officer<S, Application, Submission>) -> Result<Booked> {
    let (application, submission) = (scope.parent, scope.object);
    if submission.person == Some(scope.user.id()) {
        return Err(ApiError::Forbidden);
    }
    let from = match submission.booked() {
        Some(slot) => app.table.slot(application.id, slot).await?,
        None => None,
    };
    Ok(Booked {
        club: scope.club,
        application,
        submission,
        from,
        seen: HashMap::new(),
        if_match: scope.if_match,
    })
}

fn not_erased(booked: &Booked) -> Result<Id<of::Person>> {
    booked.submission.person.ok_or_else(applicant_erased)
}

/// The interview as it is stored now.
fn body(app: &Context, booked: &Booked) -> Result<Response> {
    let shown = booked.body_for_officer(app).ok_or(ApiError::NotFound)?;
    Ok(Json(shown).into_response())
}

/// Get the interview of a submission.
///
/// For officers. It is 404 if the applicant is not invited.
#[utoipa::path(
    get, tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:read"])),
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/interview/",
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 200, body = InterviewBody))
)]
pub async fn show_submission_interview(
    app: Context,
    scope: Officer<RecruitmentRead, Application, Submission>,
) -> Result<Response> {
    let mut booked = booked(&app, scope).await?;
    if let Some(slot) = &booked.from {
        let recruitment = (&booked.club, &booked.application);
        if release_shown(&app, recruitment, &booked.submission, slot).await? {
            booked.again(&app).await?;
        }
    }
    body(&app, &booked)
}

/// Book an interview for an applicant, or move it.
///
/// For officers, also for begun slots, for decided submissions, and for applicants who were not
/// invited: a booking invites them. The applicant gets a mail with a calendar file.
#[utoipa::path(
    put, tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/interview/",
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    request_body = BookingInput, responses((status = 200, body = InterviewBody))
)]
pub async fn book_submission_interview(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentWrite, Application, Submission>,
    Input(input): Input<BookingInput>,
) -> Result<Response> {
    let mut booked = booked(&app, scope).await?;
    booked.check_match(&app)?;
    let mut reader = Reader::new(Mode::Create);
    let slot = reader.get(input.slot);
    let overlap = reader.get(input.overlap).unwrap_or_default();
    reader.finish()?;
    let person = not_erased(&booked)?;
    let wish = Wish {
        slot: slot.ok_or(ApiError::NotFound)?.id(),
        overlap,
        by: By::Officer,
        received: app.ids.received(received),
        at: Timestamp::at(received),
    };
    let (to, bookings) = futures::try_join!(
        app.table.slot(booked.application.id, wish.slot),
        app.table.bookings(person)
    )?;
    booked.book(&app, wish, to, &bookings).await?;
    body(&app, &booked)
}

/// Cancel the interview of an applicant.
///
/// For officers. The place is given back, and the applicant gets a mail and stays invited.
/// Cancelling again is 204, too.
#[utoipa::path(
    delete, tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/interview/",
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 204))
)]
pub async fn cancel_submission_interview(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentWrite, Application, Submission>,
    _: NoInput,
) -> Result<NoContent> {
    let mut booked = booked(&app, scope).await?;
    not_erased(&booked)?;
    let received = app.ids.received(received);
    booked.cancel(&app, By::Officer, received).await?;
    Ok(NoContent)
}

/// Note whether an applicant came to their interview.
///
/// For officers. Applicants never see it. It is null again after a move.
#[utoipa::path(
    patch, tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/interview/",
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    request_body = AttendanceInput, responses((status = 200, body = InterviewBody))
)]
pub async fn note_attendance(
    app: Context,
    scope: Officer<RecruitmentWrite, Application, Submission>,
    Input(input): Input<AttendanceInput>,
) -> Result<Response> {
    let mut booked = booked(&app, scope).await?;
    booked.check_match(&app)?;
    let mut reader = Reader::new(Mode::Update);
    let attended = reader.get(input.attended);
    reader.finish()?;
    not_erased(&booked)?;
    let mut retries = app.table.retries();
    let mut about = None;
    loop {
        retries.next().await?;
        booked.check_match(&app)?;
        let interview = booked.submission.interview();
        let interview = interview.filter(|interview| interview.slot.is_some());
        let Some(interview) = interview else {
            return Err(ApiError::rule(Reason::NothingBooked));
        };
        // After a move it is another interview.
        let this = (interview.slot, interview.booked_at);
        if *about.get_or_insert(this) != this {
            return body(&app, &booked);
        }
        let new = Interview {
            attended: attended.unwrap_or(interview.attended),
            ..interview.clone()
        };
        if new == *interview {
            return body(&app, &booked);
        }
        let change = InterviewChange {
            submission: &booked.submission,
            new: new.clone(),
            to: None,
            mail: None,
        };
        match app.table.change_interview(change).await {
            Ok(()) => {
                booked.submission.interview = Some(new);
                return body(&app, &booked);
            }
            Err(TableError::Refused(_)) => booked.again(&app).await?,
            Err(error) => return Err(error.into()),
        }
    }
}
