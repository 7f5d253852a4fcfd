//! Slots as officers see and write them (K1, K2).

use std::collections::HashMap;

use serde::Serialize;
use shared::bookings::seated;
use shared::domain::{Application, Interviewer, Membership, Personal, Slot, Submission};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::{Line, List, Places, SlotNote};
use shared::time::Timestamp;
use shared::web::{Mode, Reader, Reference, Result};
use shared::{Context, limits};
use utoipa::ToSchema;

/// A slot: a time at which a club holds interviews.
#[derive(Debug, Serialize, ToSchema)]
pub struct SlotBody {
    /// Id of the slot.
    #[schema(value_type = u64)]
    id: Id<of::Slot>,
    /// When it begins.
    start_time: Timestamp,
    /// When it ends.
    end_time: Timestamp,
    /// Where it is, one line. If it is an https address, it can be shown as a link.
    location: String,
    /// How many people can book it.
    capacity: u16,
    /// Id of the committee that it is for; null if it is for all.
    #[schema(value_type = Option<u64>)]
    committee: Option<Id<of::Committee>>,
    /// The members of the club who hold the interviews.
    interviewers: Vec<NamedPerson>,
    /// A note of the officers.
    note: String,
    /// How many people have booked it.
    booked: usize,
    /// Who has booked it, the first first.
    bookings: Vec<BookingBody>,
}

/// A person by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedPerson {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// User name.
    username: String,
    /// Whole name.
    name: String,
}

impl NamedPerson {
    fn new(id: Id<of::Person>, personal: &Personal) -> Self {
        Self {
            id,
            username: personal.username.clone(),
            name: personal.name.clone(),
        }
    }
}

/// Somebody who has booked a slot.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookingBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    submission: Id<of::Submission>,
    /// The applicant.
    user: NamedPerson,
    /// Whether the applicant came; null if nobody has noted it.
    attended: Option<bool>,
    /// When it was booked.
    booked_at: Option<Timestamp>,
}

/// A slot with everything that its body needs.
#[derive(Debug, Clone)]
pub struct ShownSlot {
    pub(crate) slot: Slot,
    pub(crate) note: String,
    /// The submissions that have booked it.
    pub(crate) bookings: Vec<Submission>,
    /// The memberships of those who hold the interviews.
    pub(crate) interviewers: Vec<Membership>,
}

impl ShownSlot {
    /// Reads what belongs to a slot: 3 parallel reads, in one round.
    pub(crate) async fn of(app: &Context, slot: Slot) -> Result<Self> {
        let people = slot.interviewers.iter().map(|one| one.person);
        let booked = seated(&slot);
        let (note, bookings, interviewers) = futures::try_join!(
            app.table.slot_note(slot.application, slot.id),
            app.table.submissions_by_id(slot.application, &booked),
            app.table.members_among(&slot.club, people)
        )?;
        Ok(Self {
            slot,
            note,
            bookings,
            interviewers,
        })
    }

    /// Reads what belongs to the slots of an application: 3 parallel reads.
    pub(crate) async fn all_of(
        app: &Context,
        (club, application): (&ClubCode, Id<of::Application>),
        slots: Vec<Slot>,
    ) -> Result<Vec<Self>> {
        let mut people: Vec<Id<of::Person>> = slots
            .iter()
            .flat_map(|slot| slot.interviewers.iter().map(|one| one.person))
            .collect();
        people.sort();
        people.dedup();
        let booked: Vec<Id<of::Submission>> = slots.iter().flat_map(seated).collect();
        let (notes, bookings, members) = futures::try_join!(
            app.table.slot_notes(application),
            app.table.submissions_by_id(application, &booked),
            app.table.members_among(club, people.into_iter())
        )?;
        let mut in_slot: HashMap<Id<of::Slot>, Vec<Submission>> = HashMap::new();
        for submission in bookings {
            if let Some(slot) = submission.booked() {
                in_slot.entry(slot).or_default().push(submission);
            }
        }
        let show = |slot: Slot| Self {
            note: notes.get(&slot.id).cloned().unwrap_or_default(),
            bookings: in_slot.remove(&slot.id).unwrap_or_default(),
            interviewers: members
                .iter()
                .filter(|member| slot.interviewers.iter().any(|one| one.is(member)))
                .cloned()
                .collect(),
            slot,
        };
        Ok(slots.into_iter().map(show).collect())
    }

    /// Returns the body of the slot as this officer sees it.
    pub(crate) fn body(&self, officer: Id<of::Person>) -> SlotBody {
        let Self {
            slot,
            note,
            bookings,
            interviewers,
        } = self;
        let interviewer = |one: &Interviewer| {
            let member = interviewers.iter().find(|member| one.is(member))?;
            Some(NamedPerson::new(one.person, &member.personal))
        };
        let mut booked: Vec<&Submission> = bookings
            .iter()
            .filter(|submission| submission.booked() == Some(slot.id))
            .collect();
        booked.sort_by_key(|submission| {
            let interview = submission.interview();
            interview.map(|interview| (interview.booked_at, interview.received))
        });
        SlotBody {
            id: slot.id,
            start_time: slot.start,
            end_time: slot.end,
            location: slot.location.clone(),
            capacity: slot.capacity,
            committee: slot.committee,
            interviewers: slot.interviewers.iter().filter_map(interviewer).collect(),
            note: note.clone(),
            booked: slot.seats.len(),
            bookings: booked
                .into_iter()
                .filter_map(|submission| booking(submission, officer))
                .collect(),
        }
    }
}

/// A booking. Nobody is told of themselves whether they came.
fn booking(submission: &Submission, officer: Id<of::Person>) -> Option<BookingBody> {
    let interview = submission.interview()?;
    let personal = &submission.applicant.as_ref()?.personal;
    Some(BookingBody {
        submission: submission.id,
        user: NamedPerson::new(submission.person?, personal),
        attended: interview
            .attended
            .filter(|_| submission.person != Some(officer)),
        booked_at: interview.booked_at,
    })
}

shared::input! {
    /// A slot.
    pub struct SlotInput {
        /// When it begins. It may be in the past.
        pub(crate) start_time: Timestamp, Required;
        /// When it ends: after it begins, and at most 24 hours later.
        pub(crate) end_time: Timestamp, Required;
        /// Where it is: one line, at most 255 characters.
        pub(crate) location: Line, Optional;
        /// How many people can book it, from 1 to 50.
        pub(crate) capacity: Places, Optional = 1;
        /// Id of the committee that it is for, or null for all.
        pub(crate) committee: Option<Reference>, Optional;
        /// User ids of those who hold the interviews: at most 10 members of the club.
        pub(crate) interviewers: List<Reference, { limits::INTERVIEWERS }>, Optional;
        /// A note of the officers, at most 2,000 characters.
        pub(crate) note: SlotNote, Optional;
        /// Whether interviewers may have another interview at that time.
        pub(crate) overlap: bool, Free = false;
    }
}

/// What a request says about a slot, besides its fields: to be checked against the club.
pub(crate) struct RequestedSlot {
    /// The note, if it was sent.
    pub(crate) note: Option<String>,
    /// The interviewers, if they were sent.
    pub(crate) interviewers: Option<Vec<Id<of::Person>>>,
    /// Whether interviewers may have another interview at that time.
    pub(crate) overlap: bool,
}

impl SlotInput {
    /// Reads the fields into `slot`, and collects what is wrong in `reader`.
    pub(crate) fn read(
        self,
        reader: &mut Reader,
        application: &Application,
        slot: &mut Slot,
    ) -> RequestedSlot {
        reader.set(self.start_time, &mut slot.start);
        reader.set(self.end_time, &mut slot.end);
        check_times(reader, slot.start, slot.end);
        reader.set(self.location, &mut slot.location);
        reader.set(self.capacity, &mut slot.capacity);
        if let Some(committee) = reader.get(self.committee) {
            let committee = committee.map(Reference::id);
            if committee.is_some_and(|id| application.committee(id).is_none()) {
                let why = Reason::unknown("committee");
                reader.errors.add("committee", why);
            }
            slot.committee = committee;
        }
        let interviewers = reader.get(self.interviewers);
        let interviewers: Option<Vec<Id<of::Person>>> =
            interviewers.map(|all| all.into_iter().map(Reference::id).collect());
        if interviewers
            .as_ref()
            .is_some_and(|all| all.len() > limits::INTERVIEWERS)
        {
            let limit = limits::INTERVIEWERS;
            let why = Reason::TooMany { limit };
            reader.errors.add("interviewers", why);
        }
        RequestedSlot {
            note: reader.get(self.note),
            interviewers,
            overlap: reader.get(self.overlap).unwrap_or_default(),
        }
    }
}

/// Checks that the end is after the start, and at most 24 hours later.
fn check_times(reader: &mut Reader, start: Timestamp, end: Timestamp) {
    if reader.errors.has("start_time") || reader.errors.has("end_time") {
        return;
    }
    if end <= start {
        reader.errors.add(
            "end_time",
            Reason::NotAfter {
                field: "start_time",
            },
        );
    } else if end.moment() - start.moment() > limits::SLOT_TIME {
        let limit = limits::SLOT_TIME.num_hours();
        let why = Reason::TooManyHours { limit };
        reader.errors.add("end_time", why);
    }
}

/// Returns the interviewers with these ids, if all of them are members of the club: 1 batch read.
pub(crate) async fn interviewers(
    app: &Context,
    club: &ClubCode,
    requested: &[Id<of::Person>],
) -> Result<(Vec<Interviewer>, Vec<Membership>)> {
    let members = app
        .table
        .members_among(club, requested.iter().copied())
        .await?;
    let mut reader = Reader::new(Mode::Create);
    let mut found: Vec<Interviewer> = Vec::new();
    for (i, id) in requested.iter().enumerate() {
        match members.iter().find(|member| member.person == *id) {
            Some(member) if found.iter().all(|found_member| found_member.person != *id) => {
                found.push(Interviewer::new(member));
            }
            Some(_) => {}
            None => {
                let why = Reason::UnknownMember;
                reader.errors.add(format!("interviewers.{i}"), why);
            }
        }
    }
    reader.finish()?;
    Ok((found, members))
}
