//! Slots for interviews, and who has booked them.

use chrono::{DateTime, TimeDelta};
use shared::domain::{
    Application, Booking, Interviewer, Membership, OwnInterviews, Slot, SlotNote, Status,
    Submission,
};
use shared::time::Timestamp;

use super::Numbers;
use super::recruitment::Recruitments;

/// All items of the interviews.
#[derive(Default)]
pub struct Interviews {
    pub slots: Vec<Slot>,
    pub notes: Vec<SlotNote>,
    pub bookings: Vec<Booking>,
    pub own: Vec<OwnInterviews>,
}

/// How many slots an application has, and how many of the last applicants have booked one.
const SLOTS: i64 = 8;
const BOOKED: usize = 3;

/// Makes slots for the two open applications, invites who is not decided, and books some.
pub fn interviews(
    numbers: &Numbers,
    recruitments: &mut Recruitments,
    members: &[Membership],
    now: Timestamp,
) -> Interviews {
    let mut all = Interviews::default();
    for application in &recruitments.applications[..2] {
        let slots = slots(numbers, application, members, now);
        all.own.extend(slots[0].own_interviews());
        all.slots.extend(slots);
    }
    all.notes.push(SlotNote {
        application: all.slots[0].application,
        slot: all.slots[0].id,
        note: "Bring the robot.".into(),
    });
    let application = recruitments.applications[0].id;
    let mut pending: Vec<&mut Submission> = recruitments
        .submissions
        .iter_mut()
        .map(|response| &mut response.submission)
        .filter(|one| one.application == application && one.status == Status::Pending)
        .collect();
    pending.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
    for (n, submission) in pending.into_iter().enumerate() {
        submission.interview = Some(submission.invited());
        if n < BOOKED {
            all.book(submission, n, now);
        }
    }
    all
}

impl Interviews {
    /// Books the n-th slot of the application for a submission.
    pub fn book(&mut self, submission: &mut Submission, n: usize, now: Timestamp) {
        let of_application = |slot: &&mut Slot| slot.application == submission.application;
        let mut slots = self.slots.iter_mut().filter(of_application);
        let Some(slot) = slots.nth(n) else {
            return;
        };
        slot.seats
            .insert(submission.id.to_string(), submission.sequence);
        let invited = submission.invited();
        let at = submission.submitted_at.max(now.plus(TimeDelta::hours(-2)));
        submission.interview = Some(invited.booked(None, slot, 0, at));
        self.bookings.extend(submission.booking());
    }
}

/// An afternoon of interviews in four days.
fn slots(
    numbers: &Numbers,
    application: &Application,
    members: &[Membership],
    now: Timestamp,
) -> Vec<Slot> {
    let officers = members
        .iter()
        .filter(|member| member.club == application.club);
    let interviewers: Vec<Interviewer> = officers.take(1).map(Interviewer::new).collect();
    let day = now.moment().date_naive().and_time(chrono::NaiveTime::MIN);
    let first = Timestamp::at(DateTime::from_naive_utc_and_offset(day, chrono::Utc));
    let first = first.plus(TimeDelta::days(4) + TimeDelta::hours(14));
    let slot = |n: i64| {
        let start = first.plus(TimeDelta::minutes(30 * n));
        Slot {
            id: numbers.next(),
            club: application.club.clone(),
            application: application.id,
            start,
            end: start.plus(TimeDelta::minutes(25)),
            location: "Workshop, room 2".into(),
            capacity: 1,
            committee: None,
            interviewers: interviewers.clone(),
            version: 1,
            revision: 0,
            seats: [].into(),
            deleted: false,
            creation: 1,
        }
    };
    (0..SLOTS).map(slot).collect()
}
