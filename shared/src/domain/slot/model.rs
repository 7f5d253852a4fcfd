use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::member::model::Membership;
use crate::domain::task::model::{REMINDED_BEFORE, ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A time at which a club holds interviews (K1). Its note is in a [`SlotNote`], so that a booking
/// does not write it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Id of the slot.
    pub id: Id<of::Slot>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// When it begins.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Where it is, one line.
    pub location: String,
    /// How many people can book it.
    pub capacity: u16,
    /// The committee that it is for; none if it is for all.
    pub committee: Option<Id<of::Committee>>,
    /// Who holds the interviews.
    pub interviewers: Vec<Interviewer>,
    /// Changes with each change by an officer. Bookings do not change it.
    pub version: u64,
    /// How often its time or place changed.
    pub revision: u32,
    /// The submissions that have booked it, by their id, with their sequence.
    pub seats: BTreeMap<String, u64>,
    /// Whether it is being deleted. It is then invisible, and its bookings are being removed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// The id of the request that created it ([`crate::web::NewId`]).
    pub creation: u64,
}

impl Slot {
    /// Returns the key by which a list is sorted, the earliest first.
    pub fn sort_key(&self) -> (Timestamp, Id<of::Slot>) {
        (self.start, self.id)
    }

    /// Returns whether all its places are taken.
    pub fn is_full(&self) -> bool {
        self.seats.len() >= usize::from(self.capacity)
    }

    /// Returns the entry beside the profile of each of its interviewers.
    pub fn own_interviews(&self) -> impl Iterator<Item = OwnInterviews> {
        self.interviewers.iter().map(|one| OwnInterviews {
            person: one.person,
            application: self.application,
            club: self.club.clone(),
            calendar_revision: Some(self.version),
        })
    }

    /// Returns whether it takes place at the same time as another one.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns whether a submission for this committee may book it.
    pub fn is_for(&self, committee: Option<Id<of::Committee>>) -> bool {
        self.committee.is_none() || self.committee == committee
    }
}

/// Somebody who holds interviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interviewer {
    /// Id of the user.
    pub person: Id<of::Person>,
    /// [`crate::domain::Membership::creation`] of their membership: who leaves the club leaves the
    /// slots, also if they come back.
    pub membership: u64,
}

impl Interviewer {
    /// Returns a member as an interviewer.
    pub fn new(member: &Membership) -> Self {
        Self {
            person: member.person,
            membership: member.creation,
        }
    }

    /// Returns whether this is the membership that it was made from.
    pub fn is(&self, member: &Membership) -> bool {
        self.person == member.person && self.membership == member.creation
    }
}

/// What the officers note about a slot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SlotNote {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the slot.
    pub slot: Id<of::Slot>,
    /// Plain text.
    pub note: String,
}

/// Tells where a person holds interviews, for their calendar. It may remain after they left the
/// slots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OwnInterviews {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Code of the club.
    pub club: ClubCode,
    /// Another number after each change of what the calendar shows
    /// ([`crate::domain::CalendarPart`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar_revision: Option<u64>,
}

impl Slot {
    /// Returns when the timer has to look at the bookings of this slot; none if nobody who books
    /// now would be reminded.
    pub fn scheduled_task(&self, now: Timestamp) -> Option<ScheduledTask> {
        let what = TaskKind::Slot {
            application: self.application,
            slot: self.id,
        };
        let at = self.start.plus(-REMINDED_BEFORE);
        (at > now || (self.start > now && !self.seats.is_empty()))
            .then(|| ScheduledTask::new(at, now, what))
    }
}
