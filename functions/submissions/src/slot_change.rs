//! The change of a slot by an officer (K3).

use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{Application, AppointmentNews, Club, Mail, Slot, SlotChange};
use shared::limits;
use shared::mail::appointment;
use shared::reason::Reason;
use shared::web::{ApiError, Code, Mode, Reader, Result};

use crate::slot_body::{ShownSlot, SlotInput, interviewers};
use crate::slot_store::check_committee;

/// Changes a slot as it was read, and tells everybody who has booked it if they must know.
pub(crate) async fn change(
    app: &Context,
    (club, application): (&Club, &Application),
    mut shown: ShownSlot,
    input: SlotInput,
) -> Result<ShownSlot> {
    let old = shown.slot.clone();
    let mut new = old.clone();
    let mut reader = Reader::new(Mode::Update);
    let requested = input.read(&mut reader, application, &mut new);
    reader.finish()?;
    let (is_smaller, booked) = (new.capacity < old.capacity, old.seats.len());
    if is_smaller && usize::from(new.capacity) < booked {
        return Err(ApiError::field("capacity", Reason::MoreBooked).coded(Code::InUse));
    }
    if new.committee != old.committee && booked > 0 {
        let why = Reason::BookedForCommittee;
        return Err(ApiError::field("committee", why).coded(Code::InUse));
    }
    if let Some(people) = requested.interviewers {
        let (found, members) = interviewers(app, &club.code, &people).await?;
        new.interviewers = found;
        shown.interviewers = members;
    }
    let note = requested.note.filter(|note| *note != shown.note);
    if new == old && note.is_none() {
        return Ok(shown);
    }
    new.version = app.next_id();
    let is_elsewhere = (new.start, new.end, &new.location) != (old.start, old.end, &old.location);
    new.revision += u32::from(is_elsewhere);
    if is_elsewhere && new.revision > limits::SLOT_REVISIONS {
        let why = Reason::ChangedTooOften { limit: 50 };
        return Err(ApiError::rule(why).coded(Code::Quota));
    }
    let mails = if is_elsewhere {
        mails(app, (club, application), &shown, &new)?
    } else {
        vec![]
    };
    let stored = || SlotChange {
        old: &old,
        new: &new,
        note: note.as_deref(),
        mails: &mails,
    };
    let (mut now, mut retries) = (application.clone(), app.table.retries());
    loop {
        retries.next().await?;
        match app.table.update_slot(stored(), &now, app.now()).await {
            Err(TableError::Refused(Refusal::ReferenceDeleted)) => {
                let read = app.table.application(&club.code, application.id).await?;
                now = read.ok_or(ApiError::NotFound)?;
                check_committee(&new, &now)?;
            }
            // An interviewer is being erased.
            Err(TableError::Refused(Refusal::Erased)) => return Err(ApiError::Changed),
            done => break done?,
        }
    }
    shown.slot = new;
    shown.note = note.unwrap_or(shown.note);
    Ok(shown)
}

/// One mail for everybody who has booked the slot. Nobody is told of what is over.
fn mails(
    app: &Context,
    (club, application): (&Club, &Application),
    shown: &ShownSlot,
    new: &Slot,
) -> Result<Vec<Mail>> {
    let now = app.now();
    if new.end <= now && shown.slot.end <= now {
        return Ok(vec![]);
    }
    let mut mails = vec![];
    for id in shown.slot.seats.keys() {
        let booked = shown.bookings.iter().find(|one| one.id.to_string() == *id);
        let booked = booked.filter(|one| one.booked() == Some(new.id));
        // The submission was read before the slot, or after it. Both are read again.
        let submission = booked.ok_or(ApiError::Changed)?;
        let Some(interview) = submission.interview() else {
            return Err(ApiError::Changed);
        };
        // The applicant knows of a rejection, and has no interview any more (K9).
        if submission.is_interview_over(application, now.moment()) {
            continue;
        }
        let file = interview.file + i64::from(new.revision);
        let news = (AppointmentNews::Changed, file);
        mails.extend(appointment((club, application), submission, new, news, now));
    }
    Ok(mails)
}
