//! What a record of the stream changed (Z6).

use aws_lambda_events::event::dynamodb::EventRecord;
use shared::domain::{
    Application, ChangeType, Club, Delivery, Event, Membership, MembershipRequest, NewChange, Slot,
    Submission, Ticket, TicketKey, TicketState, Withdrawal,
};
use shared::ids::{self, Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::image::{Image, Unreadable};

/// Whether a record could be read.
type Read = Result<(), Unreadable>;

/// The changes of one record, in their order.
struct FoundChanges<'a> {
    record: &'a EventRecord,
    changes: Vec<(ClubCode, NewChange)>,
}

/// The object that changed, and the club and the application that it belongs to.
struct Subject<'a> {
    club: &'a ClubCode,
    object: Option<u64>,
    application: Option<Id<of::Application>>,
    ticket: Option<TicketKey>,
}

impl<'a> Subject<'a> {
    /// An object of a club.
    fn of<T>(club: &'a ClubCode, id: Id<T>) -> Self {
        Self {
            club,
            object: Some(id.get()),
            application: None,
            ticket: None,
        }
    }

    /// An object of an application.
    fn within(self, application: Id<of::Application>) -> Self {
        Self {
            application: Some(application),
            ..self
        }
    }
}

impl FoundChanges<'_> {
    fn add(&mut self, subject: &Subject<'_>, change_type: ChangeType, by: Option<Id<of::Person>>) {
        let change = NewChange {
            event: format!("{}#{}", self.record.event_id, self.changes.len()),
            at: Timestamp::at(self.record.change.approximate_creation_date_time),
            change_type,
            object: subject.object,
            application: subject.application,
            ticket: subject.ticket,
            by,
        };
        self.changes.push((subject.club.clone(), change));
    }
}

/// Returns what a record changed, each with its club. The same record always gives the same.
///
/// # Errors
///
/// If it cannot be read. Nothing is guessed then: it must wait for a function that can read it.
pub fn changes_of(record: &EventRecord) -> Result<Vec<(ClubCode, NewChange)>, Unreadable> {
    if record.change.old_image.is_empty() && record.event_name != "INSERT" {
        return Err(Unreadable("the stream has no old images"));
    }
    let (old, new) = (
        Image(&record.change.old_image),
        Image(&record.change.new_image),
    );
    let changes = vec![];
    let mut found = FoundChanges { record, changes };
    // What was deleted may leave something else in its place.
    let is_deleted = matches!(new.kind(), "" | "Tombstone" | "Withdrawal");
    let kind = if is_deleted { old.kind() } else { new.kind() };
    match kind {
        "Application" => application(&mut found, old, new),
        "Submission" => submission(&mut found, old, new),
        "Slot" => slot(&mut found, old, new),
        "Membership" => member(&mut found, old, new),
        "MembershipRequest" => request(&mut found, old, new),
        "Event" => event(&mut found, old, new),
        "Ticket" => ticket(&mut found, old, new),
        "Club" => club(&mut found, old, new),
        _ => Ok(()),
    }?;
    Ok(found.changes)
}

/// Returns the delivery of a webhook for which a record asks; none if it asks for none.
///
/// # Errors
///
/// As those of [`changes_of`].
pub fn asked_of(record: &EventRecord) -> Result<Option<Delivery>, Unreadable> {
    let delivery: Option<Delivery> = Image(&record.change.new_image).read("Delivery")?;
    Ok(delivery.filter(|delivery| delivery.requested.is_some()))
}

fn application(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Application> = old.read("Application")?;
    let after: Option<Application> = new.read("Application")?;
    let Some(latest) = after.as_ref().or(before.as_ref()) else {
        return Ok(());
    };
    // While it is not sure whether an application has submissions, its deletion may be taken back.
    let is_there = |one: &Option<Application>| {
        one.as_ref()
            .is_some_and(|application| application.deleted != Some(true))
    };
    let change = match (is_there(&before), is_there(&after)) {
        (false, true) => ChangeType::ApplicationCreated,
        (true, false) => ChangeType::ApplicationDeleted,
        (true, true) => {
            let is_shown = |one: &Option<Application>| {
                let shown = one.as_ref().filter(|one| one.deleted.is_none());
                shown.map(|one| (one.version, one.is_decided))
            };
            match (is_shown(&before), is_shown(&after)) {
                // The note that something is decided changes nothing that anybody sees.
                (Some(before), Some(after)) if before.0 != after.0 && before.1 == after.1 => {
                    ChangeType::ApplicationUpdated
                }
                _ => return Ok(()),
            }
        }
        (false, false) => return Ok(()),
    };
    let by = new.changed_by().or(old.changed_by());
    let subject = Subject::of(&latest.club, latest.id);
    found.add(&subject, change, by);
    Ok(())
}

fn submission(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Submission> = old.read("Submission")?;
    let after: Option<Submission> = new.read("Submission")?;
    let Some(latest) = after.as_ref().or(before.as_ref()) else {
        return Ok(());
    };
    let subject = Subject::of(&latest.club, latest.id).within(latest.application);
    // What remains of an erased person's submission does not change any more.
    let before = match &before {
        Some(before) if before.person.is_none() => return Ok(()),
        Some(before) => before,
        None => {
            found.add(&subject, ChangeType::SubmissionCreated, latest.person);
            return Ok(());
        }
    };
    let after = after.as_ref().filter(|after| after.person.is_some());
    let mut by = new.changed_by();
    if let Some(after) = after {
        // A new name or school is in all submissions of a person: one request of theirs would be as
        // many changes.
        if after.revision != before.revision {
            found.add(&subject, ChangeType::SubmissionUpdated, after.person);
        }
        if after.status != before.status || after.reason != before.reason {
            found.add(&subject, ChangeType::SubmissionDecided, by);
        }
    } else {
        let withdrawal: Option<Withdrawal> = new.read("Withdrawal")?;
        let is_withdrawn = withdrawal.is_some_and(|one| one.withdrawn == one.revision);
        by = if is_withdrawn { before.person } else { by };
        let change = if is_withdrawn {
            ChangeType::SubmissionWithdrawn
        } else {
            ChangeType::SubmissionDeleted
        };
        found.add(&subject, change, by);
    }
    let change = match (before.booked(), after.and_then(Submission::booked)) {
        (None, Some(_)) => ChangeType::InterviewIsBooked,
        (Some(_), None) => ChangeType::InterviewCancelled,
        (Some(from), Some(to)) if from != to => ChangeType::InterviewMoved,
        _ => return Ok(()),
    };
    found.add(&subject, change, by);
    Ok(())
}

/// A slot that gets another time or place moves the interviews in it.
fn slot(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Slot> = old.read("Slot")?;
    let after: Option<Slot> = new.read("Slot")?;
    let Some((before, after)) = before.zip(after) else {
        return Ok(());
    };
    if before.revision == after.revision {
        return Ok(());
    }
    for id in after.seats.keys() {
        let Some(submission) = ids::parse::<of::Submission>(id) else {
            continue;
        };
        let subject = Subject::of(&after.club, submission).within(after.application);
        found.add(&subject, ChangeType::InterviewMoved, new.changed_by());
    }
    Ok(())
}

fn member(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Membership> = old.read("Membership")?;
    let after: Option<Membership> = new.read("Membership")?;
    let Some(latest) = after.as_ref().or(before.as_ref()) else {
        return Ok(());
    };
    let change = match (&before, &after) {
        (None, _) => ChangeType::MemberAdded,
        (_, None) => ChangeType::MemberRemoved,
        _ if new.is_same_as(old, &["version", "changed_by", "undelivered"]) => return Ok(()),
        _ => ChangeType::MemberUpdated,
    };
    let subject = Subject::of(&latest.club, latest.id);
    found.add(&subject, change, new.changed_by());
    Ok(())
}

fn request(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<MembershipRequest> = old.read("MembershipRequest")?;
    let after: Option<MembershipRequest> = new.read("MembershipRequest")?;
    let (latest, change) = match (&before, &after) {
        (None, Some(after)) => (after, ChangeType::RequestCreated),
        (Some(before), None) => (before, ChangeType::RequestDeleted),
        _ => return Ok(()),
    };
    let subject = Subject::of(&latest.club, latest.id);
    let by = after.as_ref().map(|request| request.person);
    let by = by.or(new.changed_by());
    found.add(&subject, change, by);
    Ok(())
}

fn event(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Event> = old.read("Event")?;
    let after: Option<Event> = new.read("Event")?;
    let (latest, change) = match (&before, &after) {
        (None, Some(after)) => (after, ChangeType::EventCreated),
        (Some(before), None) => (before, ChangeType::EventDeleted),
        (Some(before), Some(after)) if before.version != after.version => {
            (after, ChangeType::EventUpdated)
        }
        _ => return Ok(()),
    };
    let subject = Subject::of(&latest.club, latest.id);
    found.add(&subject, change, new.changed_by());
    Ok(())
}

/// Tickets that wait or take part in a draw are nobody's yet.
fn ticket(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Ticket> = old.read("Ticket")?;
    let Some(after): Option<Ticket> = new.read("Ticket")? else {
        return Ok(());
    };
    let subject = Subject {
        club: &after.club,
        object: None,
        application: None,
        ticket: Some(TicketKey {
            event: after.event,
            showing: after.showing,
            ticket: after.id,
        }),
    };
    let is_valid = |ticket: &Ticket| ticket.state == TicketState::Valid;
    let was_valid = before.as_ref().is_some_and(is_valid);
    let scans = |ticket: &Ticket| ticket.checked_in_at;
    let change = match (was_valid, is_valid(&after)) {
        (false, true) => ChangeType::TicketTaken,
        (true, false) => ChangeType::TicketCancelled,
        _ if before.as_ref().and_then(scans) != scans(&after) => ChangeType::TicketCheckedIn,
        (true, true) if before.is_some_and(|before| before.code != after.code) => {
            ChangeType::TicketTransferred
        }
        _ => return Ok(()),
    };
    found.add(&subject, change, new.changed_by());
    Ok(())
}

/// A new club is no change: its list of changes begins with its first owner.
fn club(found: &mut FoundChanges<'_>, old: Image<'_>, new: Image<'_>) -> Read {
    let before: Option<Club> = old.read("Club")?;
    let after: Option<Club> = new.read("Club")?;
    let Some((before, after)) = before.zip(after) else {
        return Ok(());
    };
    if before.version == after.version {
        return Ok(());
    }
    let subject = Subject {
        club: &after.code,
        object: None,
        application: None,
        ticket: None,
    };
    found.add(&subject, ChangeType::ClubUpdated, new.changed_by());
    Ok(())
}
