//! Which interviews in the calendars of people changed with a record of the stream (V22).

use aws_lambda_events::event::dynamodb::EventRecord;
use shared::domain::{CalendarPart, Membership, Slot, Submission};
use shared::ids;

use crate::image::{Image, Unreadable};

/// Returns the interviews that changed. What a person books or gives back is not among them: it
/// changes the entries beside the profile itself.
///
/// # Errors
///
/// As those of [`crate::record::changes_of`].
pub fn calendars_of(record: &EventRecord) -> Result<Vec<CalendarPart>, Unreadable> {
    let old = Image(&record.change.old_image);
    let new = Image(&record.change.new_image);
    let is_deleted = matches!(new.kind(), "" | "Tombstone");
    let kind = if is_deleted { old.kind() } else { new.kind() };
    match kind {
        "Slot" => Ok(of_slot(old.read("Slot")?, new.read("Slot")?)),
        "Submission" => {
            let (before, after) = (old.read("Submission")?, new.read("Submission")?);
            Ok(of_submission(before, after).into_iter().collect())
        }
        "Membership" => {
            let left = old.read("Membership")?.filter(|_| is_deleted);
            let for_interviewers =
                left.map(|left: Membership| CalendarPart::InterviewsIn(left.person, left.club));
            Ok(for_interviewers.into_iter().collect())
        }
        _ => Ok(vec![]),
    }
}

/// Interviewers see a slot while somebody has booked it. Those who have booked it see its time and
/// place.
fn of_slot(before: Option<Slot>, after: Option<Slot>) -> Vec<CalendarPart> {
    let appearance = |slot: &Slot| (slot.start, slot.end, slot.location.clone(), slot.deleted);
    let for_interviewers = |slot: &Slot| (appearance(slot), slot.interviewers.clone());
    let shown = |slot: &Option<Slot>| {
        let booked = slot.as_ref().filter(|slot| !slot.seats.is_empty());
        booked.map(for_interviewers)
    };
    let mut parts = vec![];
    if shown(&before) != shown(&after) {
        for slot in before.iter().chain(&after) {
            let all = slot.interviewers.iter().map(|one| one.person);
            parts.extend(all.map(|person| CalendarPart::Interviewing(person, slot.application)));
        }
    }
    if let (Some(before), Some(after)) = (&before, &after)
        && appearance(before) != appearance(after)
    {
        let booked = after.seats.keys().filter_map(|id| ids::parse(id));
        parts.extend(booked.map(|id| CalendarPart::BookedBy(after.application, id)));
    }
    parts.sort();
    parts.dedup();
    parts
}

/// A rejection that the applicant may know ends their interview. What they were told in a mail, and
/// what happens to the interview, they know at once.
fn of_submission(before: Option<Submission>, after: Option<Submission>) -> Option<CalendarPart> {
    let (before, after) = before.zip(after)?;
    let published = |one: &Submission| {
        let mailed = one
            .mailed
            .as_ref()
            .map(|published| (published.status, published.at));
        let times = one
            .interview()
            .map(|interview| (interview.booked_at, interview.invited_at, interview.kept));
        (mailed, times)
    };
    let decided = |one: &Submission| (one.status, one.rejected_at.unwrap_or(one.updated_at));
    let goes_on = after.booked().is_some() && before.booked() == after.booked();
    let person = after.person.filter(|_| goes_on)?;
    if published(&before) != published(&after) {
        return Some(CalendarPart::Booked(person, after.id));
    }
    let is_other = decided(&before) != decided(&after);
    is_other.then(|| CalendarPart::Decided(after.club.clone(), after.application, person, after.id))
}
