//! `/submissions/{submission}/slots/`, `/submissions/{submission}/interview/`: the applicant
//! chooses

use std::collections::HashMap;

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::Context;
use shared::bodies::{InterviewBody, changes_until};
use shared::domain::{
    Application, ApplicationKey, BookedSlots, Booking, Club, SeenSubmission, Slot, Submission,
};
use shared::ids::{Id, of};
use shared::time::Timestamp;
use shared::web::{
    ApiError, IfMatch, Input, Mode, NoContent, NoInput, PathIds, Reader, ReceivedAt, Reference,
    Result, User,
};
use utoipa::ToSchema;

use crate::booking::{Booked, BookingInput, By, Wish};
use crate::own::own;
use crate::release::{AT_ONCE, release_full};

/// A slot as applicants see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreeSlotBody {
    /// Id of the slot.
    #[schema(value_type = u64)]
    id: Id<of::Slot>,
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
/// invited: 1 round if this process knows where it is, else 3.
async fn invited(app: &Context, user: &User, path: &PathIds) -> Result<Booked> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    if let Some(seen) = app.slots.submission(id)
        && let Some((booked, _)) = at_once(app, user, id, seen, None).await?
    {
        return Ok(booked);
    }
    let submission = own(app, user, path).await?;
    let application_key = (submission.club.clone(), submission.application);
    let (club, application, from) =
        surroundings(app, &application_key, submission.booked()).await?;
    complete(club, application, submission, from)
}

type Surroundings = (Option<Club>, Option<Application>, Option<Slot>);

async fn surroundings(
    app: &Context,
    (club, application): &ApplicationKey,
    slot: Option<Id<of::Slot>>,
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
        seen: HashMap::new(),
        if_match: IfMatch::default(),
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
    app: Context,
    user: User,
    path: PathIds,
) -> Result<Json<Vec<FreeSlotBody>>> {
    let (booked, bookings) = futures::try_join!(invited(&app, &user, &path), async {
        Ok(app.table.bookings(user.id()).await?)
    })?;
    if booked.is_over(app.now()) {
        return Err(ApiError::NotFound);
    }
    let (application, committee) = (&booked.application, booked.submission.committee);
    let mut slots = app.table.slots(application.id).await?;
    app.slots.saw(&slots);
    let now = app.now();
    slots.retain(|slot| slot.is_for(committee) && changes_until(slot, application) > now);
    release_full(&app, (&booked.club, application), &mut slots, AT_ONCE).await?;
    app.slots
        .saw_submission(&booked.submission, booked_slots(&bookings).into());
    Ok(Json(slots.iter().map(Into::into).collect()))
}

fn booked_slots<'a>(
    bookings: impl IntoIterator<Item = &'a Booking>,
) -> Vec<(Id<of::Application>, Id<of::Slot>)> {
    let application_key = |booking: &Booking| (booking.application, booking.slot);
    bookings.into_iter().map(application_key).collect()
}

/// What a booking needs, and the slot that is wanted.
struct Choice {
    booked: Booked,
    to: Option<Slot>,
    bookings: Vec<Booking>,
}

/// Reads the submission with what its interview needs and the slot that is wanted, in one round:
/// the slots that the caller had booked when this process last looked are read, too. None if the
/// caller has no such submission there.
async fn at_once(
    app: &Context,
    user: &User,
    id: Id<of::Submission>,
    SeenSubmission {
        application_key,
        booked,
    }: SeenSubmission,
    requested: Option<Id<of::Slot>>,
) -> Result<Option<(Booked, Option<Slot>)>> {
    let ((club, application, to), submission, mut seen) = futures::try_join!(
        surroundings(app, &application_key, requested),
        async { Ok(app.table.submission(application_key.1, id).await?) },
        async { Ok(app.table.slots_by_id(booked.iter().copied()).await?) }
    )?;
    let submission = submission.filter(|submission| submission.person == Some(user.id()));
    let Some(submission) = submission else {
        return Ok(None);
    };
    let from = match submission.booked() {
        None => None,
        before if before == requested => to.clone(),
        Some(before) => match seen.remove(&before) {
            Some(from) => Some(from),
            None => app.table.slot(application_key.1, before).await?,
        },
    };
    let booked = complete(club, application, submission, from)?;
    Ok(Some((Booked { seen, ..booked }, to)))
}

async fn choice(app: &Context, user: &User, path: &PathIds, slot: Id<of::Slot>) -> Result<Choice> {
    let id = path.id("submission").ok_or(ApiError::NotFound)?;
    let bookings = async { Ok(app.table.bookings(user.id()).await?) };
    let cached = app.slots.submission(id).or_else(|| {
        let application_key = app.slots.application(slot)?;
        let booked = BookedSlots::default();
        Some(SeenSubmission {
            application_key,
            booked,
        })
    });
    let (submission, bookings) = match cached {
        None => futures::try_join!(own(app, user, path), bookings)?,
        Some(seen) => {
            let found = at_once(app, user, id, seen, Some(slot));
            let (found, bookings) = futures::try_join!(found, bookings)?;
            if let Some((booked, to)) = found {
                return Ok(Choice {
                    booked,
                    to,
                    bookings,
                });
            }
            (own(app, user, path).await?, bookings)
        }
    };
    let application_key = (submission.club.clone(), submission.application);
    let ((club, application, from), to) = futures::try_join!(
        surroundings(app, &application_key, submission.booked()),
        async { Ok(app.table.slot(application_key.1, slot).await?) }
    )?;
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
    app: Context,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    Input(input): Input<BookingInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let slot = reader.get(input.slot).map(Reference::id);
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
    remember(&app, &booked, &bookings);
    respond(&app, &booked)
}

/// Remembers what is booked now.
fn remember(app: &Context, booked: &Booked, bookings: &[Booking]) {
    let submission = &booked.submission;
    let others = bookings
        .iter()
        .filter(|other| other.submission != submission.id.get());
    let own = submission
        .booked()
        .map(|slot| (submission.application, slot));
    let current = booked_slots(others).into_iter().chain(own).collect();
    app.slots.saw_submission(submission, current);
}

/// The interview as it is stored now.
fn respond(app: &Context, booked: &Booked) -> Result<Response> {
    let body = booked.body(app).ok_or(ApiError::NotFound)?;
    Ok(Json(body).into_response())
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
    app: Context,
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
