//! Places in slots that are given back: by the applicant, by an officer, with the slot, or with the
//! application (K6).

use crate::db::{Table, TableError};
use crate::domain::{
    Application, AppointmentNews, Club, Interview, InterviewChange, Mail, Slot, Submission,
};
use crate::ids::{self, Id, of};
use crate::mail::appointment;
use crate::time::Timestamp;

/// How a place is given back.
#[derive(Debug, Clone, Copy)]
pub struct BookingRelease<'a> {
    /// The club and the application, for the mail.
    pub recruitment: (&'a Club, &'a Application),
    /// The slot that is booked now.
    pub slot: &'a Slot,
    /// The order number of the request.
    pub received: u64,
    /// Whether the interview ends, because the applicant was told a rejection.
    pub over: bool,
    /// When.
    pub now: Timestamp,
}

/// Returns the mail that tells an applicant that their interview is cancelled. None if it is over,
/// or if they have no address.
pub fn cancellation(submission: &Submission, booking_release: &BookingRelease<'_>) -> Option<Mail> {
    let BookingRelease { slot, now, .. } = *booking_release;
    let file = submission.interview()?.next_file(Some(slot));
    let news = (AppointmentNews::Cancelled, file);
    let mail = appointment(booking_release.recruitment, submission, slot, news, now);
    mail.filter(|_| slot.end > now)
}

/// Gives the place of a submission back, and tells the applicant unless the slot is over. Returns
/// the interview as it is then. Refused if the submission changed after it was read.
pub async fn release_booking(
    table: &Table,
    submission: &Submission,
    booking_release: &BookingRelease<'_>,
) -> Result<Option<Interview>, TableError> {
    let Some(interview) = submission.interview() else {
        return Ok(None);
    };
    let new = Interview {
        over: booking_release.over,
        ..interview.after_release(booking_release.slot, booking_release.received)
    };
    let mail = cancellation(submission, booking_release);
    let change = InterviewChange {
        submission,
        new: new.clone(),
        to: None,
        mail: mail.as_ref(),
    };
    table.change_interview(change).await?;
    Ok(Some(new))
}

/// Returns the submissions that have a place in a slot.
pub fn seated(slot: &Slot) -> Vec<Id<of::Submission>> {
    let ids = slot.seats.keys().filter_map(|id| ids::parse(id));
    ids.collect()
}

/// Makes a slot invisible, so that nobody can book it any more. Safe to repeat. Returns the slot as
/// it is then; none if it is gone.
pub async fn closed(table: &Table, mut slot: Slot) -> Result<Option<Slot>, TableError> {
    let mut retries = table.retries();
    while !slot.deleted {
        retries.next().await?;
        match table.set_slot_deleted(&slot).await {
            Ok(()) => slot.deleted = true,
            Err(TableError::Refused(_)) => match table.slot(slot.application, slot.id).await? {
                Some(current) => slot = current,
                None => return Ok(None),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(Some(slot))
}

/// Gives all places of a slot back that nobody can book any more. Safe to repeat. Returns the slot
/// as it is then; none if it is gone.
pub async fn release_all_bookings(
    table: &Table,
    (club, application): (&Club, &Application),
    mut slot: Slot,
    received: u64,
    now: Timestamp,
) -> Result<Option<Slot>, TableError> {
    let mut retries = table.retries();
    while !slot.seats.is_empty() {
        retries.next().await?;
        let booked = table
            .submissions_by_id(application.id, &seated(&slot))
            .await?;
        let booking_release = BookingRelease {
            recruitment: (club, application),
            slot: &slot,
            received,
            over: false,
            now,
        };
        for submission in &booked {
            if submission.booked() != Some(slot.id) {
                continue;
            }
            match release_booking(table, submission, &booking_release).await {
                // If somebody else changed it, it is read again.
                Ok(_) | Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        match table.slot(application.id, slot.id).await? {
            None => return Ok(None),
            Some(read) => slot = read,
        }
    }
    Ok(Some(slot))
}
