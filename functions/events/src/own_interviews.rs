//! Interviews in the calendar of a person: those that they have booked, and those that they hold

use std::collections::{BTreeSet, HashMap};

use futures::future::try_join_all;
use serde::Serialize;
use shared::Context;
use shared::db::TableError;
use shared::domain::{
    Booking, Club, Clubs, Membership, OwnEntries, OwnInterviews, Person, Slot, Submission,
};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::text::ics::Component;
use shared::time::Timestamp;
use shared::web::{Result, SourceTag};

/// What the person does in a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    /// They come as an applicant, with this submission. The number is that of its last calendar
    /// file.
    Applicant(Id<of::Submission>, u32),
    /// They hold the interviews.
    Interviewer,
}

impl Role {
    /// What its entry is about: what it is called, its id, and a number that changes with it.
    pub(crate) fn revision(self, slot: &Slot) -> (&'static str, u64, u64) {
        match self {
            Self::Applicant(id, file) => ("interview", id.get(), file.into()),
            Self::Interviewer => ("interviews", slot.id.get(), slot.revision.into()),
        }
    }

    /// The entry. Its time stamp is its beginning, so that an unchanged calendar stays the same.
    pub(crate) fn entry(self, slot: &Slot, club: &Club, site: &str) -> Component {
        let (code, application) = (&club.code, slot.application);
        let (uid, sequence, what, page) = match self {
            Self::Applicant(id, file) => (
                format!("interview-{id}@clubs"),
                file,
                "Interview",
                format!("{site}/submissions/{id}/interview/"),
            ),
            Self::Interviewer => (
                format!("interviews-{}@clubs", slot.id),
                slot.revision,
                "Interviews",
                format!("{site}/clubs/{code}/applications/{application}/interviews/"),
            ),
        };
        let name = format!("{what}: {}", club.profile.name);
        let mut entry = Component::new("VEVENT");
        entry
            .raw("UID", &uid)
            .raw("SEQUENCE", &sequence.to_string())
            .time("DTSTAMP", slot.start.moment())
            .time("DTSTART", slot.start.moment())
            .time("DTEND", slot.end.moment())
            .text("SUMMARY", &name)
            .raw("URL", &page);
        if !slot.location.is_empty() {
            entry.text("LOCATION", &slot.location);
        }
        entry
    }
}

/// How long a tag that is made from revisions stays the same, in seconds. After that, the slots are
/// read again, so that a revision that was not set does no lasting harm.
const DAY: i64 = 86_400;

/// Of how many applications, the newest, the interviews are shown that a person holds.
const MOST_INTERVIEWING: usize = 20;

/// What a person has booked, and where they hold interviews.
pub(crate) struct Appointments<'a> {
    person: Id<of::Person>,
    clubs: &'a Clubs,
    booked: Vec<Booking>,
    interviewing: Vec<OwnInterviews>,
    /// Whether the slots are read each time: it costs no more than a unit.
    are_few: bool,
}

/// Slots in which a person is.
type Slots = Vec<(Slot, Role)>;

impl<'a> Appointments<'a> {
    /// What the table has beside the profile of a person, without clubs that they have left. If
    /// `costs_more`, the rest of the calendar needed more reads than usual.
    pub(crate) fn of(
        person: &Person,
        own: &OwnEntries,
        (booked, mut interviewing): (Vec<Booking>, Vec<OwnInterviews>),
        clubs: &'a Clubs,
        costs_more: bool,
    ) -> Self {
        interviewing.retain(|interviewing| own.clubs.contains(&interviewing.club));
        interviewing.sort_by_key(|interviewing| std::cmp::Reverse(interviewing.application));
        interviewing.truncate(MOST_INTERVIEWING);
        Self {
            person: person.id,
            clubs,
            are_few: booked.len() <= 1 && interviewing.is_empty() && !costs_more,
            booked,
            interviewing,
        }
    }

    /// The club with this code, if it is not archived.
    pub(crate) fn club(&self, code: &ClubCode) -> Option<&'a Club> {
        let club = self.clubs.iter().find(|one| one.club.code == *code);
        club.map(|one| &one.club).filter(|club| !club.archived)
    }

    /// The tag of a calendar that has these appointments and what is in `others`, made from their
    /// revisions (V22); none if they are read each time.
    pub(crate) fn tag(&self, others: impl Serialize, now: Timestamp) -> Result<Option<SourceTag>> {
        if self.are_few {
            return Ok(None);
        }
        let name = |code: &ClubCode| Some(&self.club(code)?.profile.name);
        // When results are released, interviews of rejected people end.
        let released_at = |one: &Booking| {
            let releases = &self.club(&one.club)?.releases;
            let release = releases.get(&one.application.to_string())?;
            Some(*release).filter(|release| *release <= now)
        };
        let booked = self.booked.iter();
        let booked: Vec<_> = booked
            .map(|one| (one, name(&one.club), released_at(one)))
            .collect();
        let interviewing = self.interviewing.iter();
        let interviewing: Vec<_> = interviewing.map(|one| (one, name(&one.club))).collect();
        // The days of people begin at different times, so that not all are read at midnight.
        let offset = self.person.get() % DAY.unsigned_abs();
        let day = (now.epoch_seconds() + offset.cast_signed()).div_euclid(DAY);
        Ok(Some(SourceTag::of(&(others, booked, interviewing, day))?))
    }

    /// Reads the slots: 1 batch read if anything is booked, another one of the applications that
    /// rejected the person, and for who holds interviews 1 query of each application and 1 batch
    /// read. With a tag, the reads are consistent: what the revisions tell of is seen.
    pub(crate) async fn read(&self, app: &Context) -> Result<Slots> {
        let (mut found, interviewing) =
            futures::try_join!(self.booked(app), self.interviewing(app))?;
        found.extend(interviewing);
        Ok(found)
    }

    /// What the person has booked, without interviews that ended because the person knows that they
    /// were rejected. Their places are given back when somebody asks (K9).
    async fn booked(&self, app: &Context) -> Result<Slots, TableError> {
        let read = app.table.booked_slots(&self.booked, !self.are_few);
        let (slots, submissions) = read.await?;
        let slots: HashMap<Id<of::Slot>, Slot> =
            slots.into_iter().map(|slot| (slot.id, slot)).collect();
        let submissions: HashMap<Id<of::Submission>, Submission> =
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
        let found = self.booked.iter().filter_map(|one| {
            let id = Id::new(one.submission);
            let slot = slots.get(&one.slot)?;
            let submission = submissions.get(&id)?;
            let file = submission.interview()?.file + i64::from(slot.revision);
            let role = Role::Applicant(id, u32::try_from(file).unwrap_or_default());
            (!is_over(slot, submission)).then(|| (slot.clone(), role))
        });
        Ok(found.collect())
    }

    /// The booked slots in which the person holds interviews.
    async fn interviewing(&self, app: &Context) -> Result<Slots, TableError> {
        let interviewing = &self.interviewing;
        let clubs: BTreeSet<ClubCode> = interviewing
            .iter()
            .map(|interviewing| interviewing.club.clone())
            .collect();
        let of_applications = interviewing
            .iter()
            .map(|interviewing| app.table.slots(interviewing.application));
        let (members, all) = futures::try_join!(
            app.table.memberships_in(self.person, clubs),
            try_join_all(of_applications)
        )?;
        let members: HashMap<&ClubCode, &Membership> =
            members.iter().map(|one| (&one.club, one)).collect();
        let is_theirs = |slot: &Slot| {
            let member = members.get(&slot.club);
            let holds = |member| slot.interviewers.iter().any(|one| one.is(member));
            member.is_some_and(|member| holds(member)) && !slot.seats.is_empty()
        };
        let all = all.into_iter().flatten().filter(is_theirs);
        Ok(all.map(|slot| (slot, Role::Interviewer)).collect())
    }
}
