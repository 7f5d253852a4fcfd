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
    /// Reads the slots: 1 batch read if anything is booked, and for who holds interviews 1 query of
    /// each application and 1 batch read.
    pub(crate) async fn read(
        app: &Shared,
        person: &Person,
        own: &OwnEntries,
        booked: Vec<Booking>,
        mut held: Vec<OwnInterviews>,
    ) -> Result<Self, TableError> {
        held.retain(|held| own.clubs.contains(&held.club));
        held.sort_by_key(|held| std::cmp::Reverse(held.application));
        held.truncate(HELD);
        let clubs: BTreeSet<&ClubCode> = held.iter().map(|held| &held.club).collect();
        let members = clubs.into_iter().map(async |club| {
            app.table
                .members_among(club, std::iter::once(person.id))
                .await
        });
        let wanted = booked.iter().map(|one| (one.application, one.slot));
        let of_applications = held.iter().map(|held| app.table.slots(held.application));
        let (slots, members, all) = futures::try_join!(
            app.table.slots_by_id(wanted),
            try_join_all(members),
            try_join_all(of_applications)
        )?;
        let members: HashMap<ClubCode, Membership> = members
            .into_iter()
            .flatten()
            .map(|member| (member.club.clone(), member))
            .collect();
        let mut found: Vec<(Slot, Role)> = booked
            .into_iter()
            .filter_map(|one| {
                let role = Role::Applicant(Id::new(one.submission));
                Some((slots.get(&one.slot)?.clone(), role))
            })
            .collect();
        let is_held = |slot: &Slot| {
            let member = members.get(&slot.club);
            let holds = |member| slot.interviewers.iter().any(|one| one.is(member));
            member.is_some_and(holds) && !slot.seats.is_empty()
        };
        let all = all.into_iter().flatten().filter(is_held);
        found.extend(all.map(|slot| (slot, Role::Interviewer)));
        Ok(Self(found))
    }
}
