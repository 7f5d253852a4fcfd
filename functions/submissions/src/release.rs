//! Places of people who know that they were rejected. When the release time has come and somebody
//! asks, they are given back (K9). Rejections that were mailed are handled by the mail worker.

use std::collections::HashMap;

use shared::Context;
use shared::bookings::{BookingRelease, release_booking, seated};
use shared::db::TableError;
use shared::domain::{Answered, Application, ApplicationParts, Club, Slot, Submission};
use shared::ids::{Id, of};
use shared::web::Result;

use crate::slot_body::ShownSlot;

/// How many places one request gives back. The next request goes on. If a request is about a single
/// slot, it gives back all of them, so that the slot can be changed.
pub(crate) const AT_ONCE: usize = 20;
/// How many bookings of full slots an applicant's request looks at.
const LOOKED_AT: usize = 100;

/// Gives the place of a submission back, if its applicant knows the rejection and the interview has
/// not begun. Returns whether it did.
async fn release_rejected(
    app: &Context,
    (club, application): (&Club, &Application),
    submission: &Submission,
    slot: &Slot,
) -> Result<bool> {
    let booking_release = BookingRelease {
        recruitment: (club, application),
        slot,
        received: 0,
        over: true,
        now: app.now(),
    };
    match release_booking(&app.table, submission, &booking_release).await {
        Ok(_) => Ok(true),
        // Somebody else changed it. The next request looks again.
        Err(TableError::Refused(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether a place in this slot is to be given back.
fn must_release(
    app: &Context,
    application: &Application,
    submission: &Submission,
    slot: &Slot,
) -> bool {
    let now = app.clock.now();
    submission.booked() == Some(slot.id)
        && slot.start.moment() > now
        && submission.is_interview_over(application, now)
}

/// Gives the place of a submission that an officer looks at back, if its applicant knows the
/// rejection. Returns whether it did.
pub(crate) async fn release_shown(
    app: &Context,
    recruitment: (&Club, &Application),
    submission: &Submission,
    slot: &Slot,
) -> Result<bool> {
    if must_release(app, recruitment.1, submission, slot) {
        release_rejected(app, recruitment, submission, slot).await
    } else {
        Ok(false)
    }
}

/// Gives back the places in these slots whose people know that they were rejected.
pub(crate) async fn release_bookings(
    app: &Context,
    (club, application): (&Club, &Application),
    shown: &mut [ShownSlot],
) -> Result<()> {
    let mut left = match shown {
        [single] => single.slot.seats.len(),
        _ => AT_ONCE,
    };
    for ShownSlot { slot, bookings, .. } in shown {
        let to_release = bookings
            .iter()
            .filter(|submission| must_release(app, application, submission, slot));
        let to_release: Vec<Submission> = to_release.take(left).cloned().collect();
        left -= to_release.len();
        for submission in to_release {
            if release_rejected(app, (club, application), &submission, slot).await? {
                slot.seats.remove(&submission.id.to_string());
                bookings.retain(|one| one.id != submission.id);
            }
        }
    }
    Ok(())
}

/// Gives back at most `most` places in those of these slots that are full, if the release time has
/// come: whoever waits for a place asks for them. 1 batch read, if there are full ones. A place
/// that somebody else writes at this moment is left for the next request.
pub(crate) async fn release_full(
    app: &Context,
    (club, application): (&Club, &Application),
    slots: &mut [Slot],
    most: usize,
) -> Result<()> {
    let now = app.now();
    if application.release > now {
        return Ok(());
    }
    let mut full: Vec<&mut Slot> = slots.iter_mut().filter(|slot| slot.is_full()).collect();
    if full.is_empty() {
        return Ok(());
    }
    // Each request begins with another one, so that those behind the limit have their turn.
    let first = now.epoch_seconds().unsigned_abs() % full.len() as u64;
    full.rotate_left(usize::try_from(first).unwrap_or_default());
    let seats = full.iter().flat_map(|slot| seated(slot));
    let seats: Vec<Id<of::Submission>> = seats.take(LOOKED_AT).collect();
    let booked = app.table.submissions_by_id(application.id, &seats).await?;
    let mut left = most;
    for slot in full {
        let to_release = booked
            .iter()
            .filter(|submission| must_release(app, application, submission, slot));
        let to_release: Vec<&Submission> = to_release.take(left).collect();
        left -= to_release.len();
        for submission in to_release {
            let released = release_rejected(app, (club, application), submission, slot).await;
            match released {
                Ok(true) => drop(slot.seats.remove(&submission.id.to_string())),
                Ok(false) => {}
                Err(error) => tracing::warn!(?error, "a place was not given back"),
            }
        }
    }
    Ok(())
}

/// Gives back the places of a person's own submissions, if they know the rejection.
pub(crate) async fn release_own(
    app: &Context,
    submissions: &[Answered],
    parts: &ApplicationParts,
) -> Result<()> {
    let recruitment = |submission: &Submission| {
        let slots: &HashMap<Id<of::Slot>, Slot> = &parts.references.slots;
        let slot = slots.get(&submission.booked()?)?;
        let application = parts.applications.get(&submission.application)?;
        must_release(app, application, submission, slot).then_some((application, slot))
    };
    let to_release = submissions
        .iter()
        .filter_map(|one| Some((one, recruitment(one)?)));
    for (submission, (application, slot)) in to_release.take(AT_ONCE) {
        if let Some(club) = app.table.club(&submission.club).await? {
            release_rejected(app, (&club, application), submission, slot).await?;
        }
    }
    Ok(())
}
