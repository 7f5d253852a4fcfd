//! Interviews in the calendar of a person: those that they have booked, and those that they hold

use std::collections::{BTreeSet, HashMap};

use futures::future::try_join_all;
use icalendar::{Component as _, Event as Entry, EventLike as _};
use shared::Shared;
use shared::db::TableError;
use shared::domain::{
    Booking, Club, Membership, OwnEntries, OwnInterviews, Person, Slot, Submission,
};
use shared::ids::Id;
use shared::text::ClubCode;

use crate::calendar::without_control_characters;

/// What the person does in a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    /// They come as an applicant, with this submission.
    Applicant(Id<Submission>),
    /// They hold the interviews.
    Interviewer,
}

impl Role {
    /// The entry. Its time stamp is its beginning, so that an unchanged calendar stays the same.
    pub(crate) fn entry(self, slot: &Slot, club: &Club, site: &str) -> Entry {
        let (code, application) = (&club.code, slot.application);
        let (uid, what, page) = match self {
            Self::Applicant(id) => (
                format!("interview-{id}@clubs"),
                "Interview",
                format!("{site}/submissions/{id}/interview/"),
            ),
            Self::Interviewer => (
                format!("interviews-{}@clubs", slot.id),
                "Interviews",
                format!("{site}/clubs/{code}/applications/{application}/interviews/"),
            ),
        };
        let name = format!("{what}: {}", club.profile.name);
        let mut entry = Entry::new();
        entry
            .uid(&uid)
            .sequence(slot.revision)
            .timestamp(slot.start.moment())
            .starts(slot.start.moment())
            .ends(slot.end.moment())
            .summary(&without_control_characters(&name))
            .url(&page);
        if !slot.location.is_empty() {
            entry.location(&without_control_characters(&slot.location));
        }
        entry.done()
    }
}

/// The slots of a person.
#[derive(Debug, Default)]
pub(crate) struct Interviews(pub(crate) Vec<(Slot, Role)>);

/// Of how many applications, the newest, the interviews are shown that a person holds.
const HELD: usize = 20;

impl Interviews {
    /// Reads the slots as they were a moment ago: 1 batch read if anything is booked, another one
    /// of the applications that rejected the person, and for who holds interviews 1 query of each
    /// application and 1 batch read.
    pub(crate) async fn read(
        app: &Shared,
        person: &Person,
        own: &OwnEntries,
        booked: Vec<Booking>,
        held: Vec<OwnInterviews>,
    ) -> Result<Self, TableError> {
        let (mut found, held) =
            futures::try_join!(booked_by(app, booked), held_by(app, person, own, held))?;
        found.extend(held);
        Ok(Self(found))
    }
}

type Slots = Vec<(Slot, Role)>;

/// What the person has booked, without interviews that ended because the person knows that they
/// were rejected. Their places are given back when somebody asks (K9).
async fn booked_by(app: &Shared, booked: Vec<Booking>) -> Result<Slots, TableError> {
    let (slots, submissions) = app.table.booked_lately(&booked).await?;
    let slots: HashMap<Id<Slot>, Slot> = slots.into_iter().map(|slot| (slot.id, slot)).collect();
    let submissions: HashMap<Id<Submission>, Submission> =
        submissions.into_iter().map(|one| (one.id, one)).collect();
    let now = app.clock.now();
    let rejected = submissions.values().filter(|one| one.status.is_rejection());
    let rejected = rejected.map(|one| (one.club.clone(), one.application));
    let applications = app.table.applications_by_id(rejected).await?;
    let is_over = |slot: &Slot, submission: &Submission| {
        let application = applications.get(&submission.application);
        slot.start.moment() > now
            && application.is_some_and(|found| submission.is_interview_over(found, now))
    };
    let found = booked.into_iter().filter_map(|one| {
        let id = Id::new(one.submission);
        let slot = slots.get(&one.slot)?;
        let goes_on = !is_over(slot, submissions.get(&id)?);
        goes_on.then(|| (slot.clone(), Role::Applicant(id)))
    });
    Ok(found.collect())
}

/// The booked slots in which the person holds interviews.
async fn held_by(
    app: &Shared,
    person: &Person,
    own: &OwnEntries,
    mut held: Vec<OwnInterviews>,
) -> Result<Slots, TableError> {
    held.retain(|held| own.clubs.contains(&held.club));
    held.sort_by_key(|held| std::cmp::Reverse(held.application));
    held.truncate(HELD);
    let clubs: BTreeSet<ClubCode> = held.iter().map(|held| held.club.clone()).collect();
    let of_applications = held
        .iter()
        .map(|held| app.table.slots_lately(held.application));
    let (members, all) = futures::try_join!(
        app.table.memberships_lately(person.id, clubs),
        try_join_all(of_applications)
    )?;
    let members: HashMap<&ClubCode, &Membership> =
        members.iter().map(|one| (&one.club, one)).collect();
    let is_held = |slot: &Slot| {
        let member = members.get(&slot.club);
        let holds = |member| slot.interviewers.iter().any(|one| one.is(member));
        member.is_some_and(|member| holds(member)) && !slot.seats.is_empty()
    };
    let all = all.into_iter().flatten().filter(is_held);
    Ok(all.map(|slot| (slot, Role::Interviewer)).collect())
}
