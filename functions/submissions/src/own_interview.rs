//! `/submissions/{submission}/slots/`, `/submissions/{submission}/interview/`: the applicant
//! chooses

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::Shared;
use shared::bodies::{InterviewBody, changes_until};
use shared::domain::{Application, Booking, Club, Slot, Submission};
use shared::ids::Id;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Input, Mode, NoContent, NoInput, PathIds, Reader, ReceivedAt, Result, User,
};
use utoipa::ToSchema;

use crate::booking::{Booked, BookingInput, By, Wish};
use crate::own::own;

/// A slot as applicants see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreeSlotBody {
    /// Id of the slot.
    #[schema(value_type = u64)]
    id: Id<Slot>,
    /// When it begins.
    start_time: Timestamp,
    /// When it ends.
    end_time: Timestamp,
    /// Where it is, one line. If it is an https address, it can be shown as a link.
    location: String,
    /// Number of free places.
    free: usize,
}

impl From<&Slot> for FreeSlotBody {
    fn from(slot: &Slot) -> Self {
        Self {
            id: slot.id,
            start_time: slot.start,
            end_time: slot.end,
            location: slot.location.clone(),
            free: usize::from(slot.capacity).saturating_sub(slot.seats.len()),
        }
    }
}

/// The submission in the path with what its interview needs, if it is the caller's and they are
/// invited. The club and the application are read beside each other.
async fn invited(app: &Shared, user: &User, path: &PathIds) -> Result<Booked> {
    let submission = own(app, user, path).await?;
    let place = (submission.club.clone(), submission.application);
    let (club, application, from) = surroundings(app, &place, submission.booked()).await?;
    complete(club, application, submission, from)
}

type Place = (ClubCode, Id<Application>);
type Surroundings = (Option<Club>, Option<Application>, Option<Slot>);

async fn surroundings(
    app: &Shared,
    (club, application): &Place,
    slot: Option<Id<Slot>>,
) -> Result<Surroundings> {
    let slot = async {
        match slot {
            Some(slot) => app.table.slot(*application, slot).await,
            None => Ok(None),
        }
    };
    Ok(futures::try_join!(
        app.table.club(club),
        app.table.application(club, *application),
        slot
    )?)
}

fn complete(
    club: Option<Club>,
    application: Option<Application>,
    submission: Submission,
    from: Option<Slot>,
) -> Result<Booked> {
    let club = club.filter(|club| !club.archived);
    if submission.interview().is_none() {
        return Err(ApiError::NotFound);
    }
    Ok(Booked {
        club: club.ok_or(ApiError::NotFound)?,
        application: application.ok_or(ApiError::NotFound)?,
        from: from.filter(|slot| Some(slot.id) == submission.booked()),
        submission,
    })
}

/// List the slots that the caller can choose for a submission.
///
/// For every signed-in user who is invited. The earliest comes first: those of the committee of the
/// submission and those for all, that can still be booked. Full ones are listed, too.
#[utoipa::path(
    get, path = "/api/submissions/{submission}/slots/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)),
    responses((status = 200, body = Vec<FreeSlotBody>))
)]
pub async fn list_free_slots(
    State(app): State<Shared>,
    user: User,
    path: PathIds,
) -> Result<Json<Vec<FreeSlotBody>>> {
    let booked = invited(&app, &user, &path).await?;
    if booked.is_over(app.now()) {
        return Err(ApiError::NotFound);
    }
    let (application, committee) = (&booked.application, booked.submission.committee);
    let slots = app.table.slots(application.id).await?;
    app.slots.saw(&slots);
    let now = app.now();
    let is_open = |slot: &&Slot| slot.is_for(committee) && changes_until(slot, application) > now;
    Ok(Json(slots.iter().filter(is_open).map(Into::into).collect()))
}

/// What a booking needs, and the slot that is wanted.
struct Choice {
    booked: Booked,
    to: Option<Slot>,
    bookings: Vec<Booking>,
}

/// Reads everything at once, if the slot is known. None if it is not, or if it is of another
/// application.
async fn known(
    app: &Shared,
    user: &User,
    id: Id<Submission>,
    slot: Id<Slot>,
) -> Result<Option<Choice>> {
    let Some(place) = app.slots.application(slot) else {
        return Ok(None);
    };
    let ((club, application, to), submission, bookings) = futures::try_join!(
        surroundings(app, &place, Some(slot)),
        async { Ok(app.table.submission(place.1, id).await?) },
        async { Ok(app.table.bookings(user.id()).await?) }
    )?;
    let submission = submission.filter(|submission| submission.person == Some(user.id()));
    let Some(submission) = submission else {
        return Ok(None);
    };
    let from = match submission.booked() {
        Some(before) if before != slot => app.table.slot(place.1, before).await?,
        _ => to.clone(),
    };
    Ok(Some(Choice {
        booked: complete(club, application, submission, from)?,
        to,
        bookings,
    }))
}

async fn choice(app: &Shared, user: &User, path: &PathIds, slot: Id<Slot>) -> Result<Choice> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    if let Some(choice) = known(app, user, id, slot).await? {
        return Ok(choice);
    }
    let (submission, bookings) = futures::try_join!(own(app, user, path), async {
        Ok(app.table.bookings(user.id()).await?)
    })?;
    let place = (submission.club.clone(), submission.application);
    let ((club, application, from), to) =
        futures::try_join!(surroundings(app, &place, submission.booked()), async {
            Ok(app.table.slot(place.1, slot).await?)
        })?;
    if let Some(slot) = &to {
        app.slots.saw(std::slice::from_ref(slot));
    }
    Ok(Choice {
        booked: complete(club, application, submission, from)?,
        to,
        bookings,
    })
}

/// Book an interview, or move it.
///
/// For every signed-in user who is invited. Of two requests, the one that was received later is
/// kept. A booking is confirmed by a mail with a calendar file.
#[utoipa::path(
    put, path = "/api/submissions/{submission}/interview/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)), request_body = BookingInput,
    responses((status = 200, body = InterviewBody))
)]
pub async fn book_interview(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    Input(input): Input<BookingInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let slot = reader.get(input.slot);
    let overlap = reader.get(input.overlap).unwrap_or_default();
    let finished = reader.finish();
    let Some(slot) = slot.filter(|_| finished.is_ok()) else {
        invited(&app, &user, &path).await?;
        finished?;
        return Err(ApiError::NotFound);
    };
    let Choice {
        mut booked,
        to,
        bookings,
    } = choice(&app, &user, &path, slot).await?;
    let wish = Wish {
        slot,
        overlap,
        by: By::Applicant,
        received: app.ids.received(received),
        at: Timestamp::at(received),
    };
    booked.book(&app, wish, to, &bookings).await?;
    answer(&booked)
}

/// The interview as it is stored now.
fn answer(booked: &Booked) -> Result<Response> {
    let slots: HashMap<Id<Slot>, Slot> = booked
        .from
        .iter()
        .map(|slot| (slot.id, slot.clone()))
        .collect();
    let body = InterviewBody::of(&booked.submission, &booked.application, &slots);
    Ok(Json(body.ok_or(ApiError::NotFound)?).into_response())
}

/// Cancel an interview.
///
/// For every signed-in user who is invited. The place is given back, and the applicant can choose
/// another one. Cancelling again is 204, too.
#[utoipa::path(
    delete, path = "/api/submissions/{submission}/interview/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)), responses((status = 204))
)]
pub async fn cancel_interview(
    State(app): State<Shared>,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let mut booked = invited(&app, &user, &path).await?;
    let received = app.ids.received(received);
    booked.cancel(&app, By::Applicant, received).await?;
    Ok(NoContent)
}
