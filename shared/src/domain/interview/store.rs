//! Interviews: how they are booked, moved and released. Each is one transaction of the submission,
//! the slots, and the booking beside the profile (K7).

use std::collections::BTreeMap;

use crate::db;
use crate::db::read::{Fetch, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::interview::keys;
use crate::domain::interview::model::Booking;
use crate::domain::outbox::model::{AppointmentNews, Mail};
use crate::domain::slot::model::{OwnInterviews, Slot};
use crate::domain::submission::interview::Interview;
use crate::domain::submission::model::Submission;
use crate::domain::{person, slot, submission};
use crate::ids::{Id, of};
use crate::kind::Kind;

impl Entity for Booking {
    const KIND: Kind = Kind::Booking;

    fn key(&self) -> Key {
        keys::booking(self.person, self.submission)
    }
}

/// A change of an interview.
pub struct InterviewChange<'a> {
    /// The submission as it was read. If its decision, its last mail or its interview changed after
    /// that, nothing is written.
    pub submission: &'a Submission,
    /// The interview as it shall be.
    pub new: Interview,
    /// The slot that `new` books, as it was read.
    pub to: Option<&'a Slot>,
    /// The mail that tells the applicant.
    pub mail: Option<&'a Mail>,
}

impl Submission {
    /// Returns its booked slot, if there is one.
    pub fn booked(&self) -> Option<Id<of::Slot>> {
        self.interview()?.slot
    }

    /// Returns what is stored beside the profile for its booked slot, if there is one.
    pub fn booking(&self) -> Option<Booking> {
        let interview = self.interview()?;
        Some(Booking {
            person: self.person?,
            submission: self.id.get(),
            club: self.club.clone(),
            application: self.application,
            slot: interview.slot?,
            received: interview.received,
            calendar_revision: None,
        })
    }

    /// Returns the writes that give back the places of these submissions. The caller writes the
    /// submissions, in the same transaction, under the condition that they have not changed.
    pub(crate) fn release_bookings<'a>(
        submissions: impl IntoIterator<Item = &'a Self>,
    ) -> Vec<Write> {
        Self::release_bookings_in(submissions, |_, write| write)
    }

    /// The same, with a condition of its own for each slot.
    pub(crate) fn release_bookings_in<'a>(
        submissions: impl IntoIterator<Item = &'a Self>,
        condition: impl Fn(Id<of::Slot>, Write) -> Write,
    ) -> Vec<Write> {
        let (mut slots, mut writes) = (BTreeMap::new(), vec![]);
        for submission in submissions {
            let Some(slot) = submission.booked() else {
                continue;
            };
            let write = slots
                .remove(&slot)
                .unwrap_or_else(|| Write::update(slot::keys::slot(submission.application, slot)));
            slots.insert(slot, Write::remove(write, &submission.seat()));
            if let Some(person) = submission.person {
                let booking = keys::booking(person, submission.id.get());
                writes.push(Write::delete(booking));
            }
        }
        // Two submissions of a person may have booked the same slot.
        let slots = slots.into_iter();
        writes.extend(slots.map(|(slot, write)| condition(slot, write.if_exists())));
        writes
    }

    /// Returns the attribute of a slot that says that it has a place there.
    fn seat(&self) -> String {
        format!("seats.{}", self.id)
    }

    /// Returns the write of its interview, under the condition that nobody changed it.
    fn interview_write(&self, new: &Interview) -> Write {
        let write = Write::update(self.key()).set("interview", new);
        // A place that is free because of a rejection is released in the request of somebody else.
        let write = if new.over {
            write.set(db::keys::CHANGED_BY, &None::<u64>)
        } else {
            write.by_actor()
        };
        write
            .if_is("interview", self.interview.as_ref())
            .if_equals("sequence", &self.sequence)
            .if_equals("person", &self.person)
    }

    /// Returns the write that takes a place in a slot, if there is one.
    fn take_booking(&self, slot: &Slot) -> Write {
        Write::update(slot.key())
            .set(&self.seat(), &self.sequence)
            .if_equals("version", &slot.version)
            .if_none("deleted")
            .if_fewer("seats", "capacity")
    }
}

impl Table {
    /// Books, moves or releases an interview: 1 transaction. Refused if the submission changed
    /// after it was read, or if the slot changed or has no free place.
    pub async fn change_interview(&self, change: InterviewChange<'_>) -> Result<(), TableError> {
        let InterviewChange {
            submission,
            new,
            to,
            mail,
        } = change;
        let moves = new.slot != submission.booked();
        let mut writes = vec![
            submission
                .interview_write(&new)
                .if_equals("status", &submission.status)
                .if_is("mailed", submission.mailed.as_ref()),
        ];
        let booking = Submission {
            interview: Some(new.clone()),
            ..submission.clone()
        }
        .booking();
        match to.filter(|_| moves).zip(booking) {
            Some((slot, booking)) => {
                writes.push(Write::put(&booking)?);
                writes.push(submission.take_booking(slot));
                if let Some(before) = submission.booked() {
                    let before = Write::update(slot::keys::slot(submission.application, before));
                    writes.push(before.remove(&submission.seat()).if_exists());
                }
            }
            None if moves => writes.extend(Submission::release_bookings([submission])),
            None => {}
        }
        if let Some(mail) = mail {
            writes.push(Write::put(mail)?.if_new());
        }
        self.transact(writes).await
    }

    /// Returns what a person has booked, and where they hold interviews: 1 query, for half the
    /// price of other reads. It may be a moment old.
    pub async fn appointments(
        &self,
        person: Id<of::Person>,
    ) -> Result<(Vec<Booking>, Vec<OwnInterviews>), TableError> {
        let (mut booked, mut interviewing) = (vec![], vec![]);
        let range = Range::Between(
            slot::keys::OWN_INTERVIEWS.into(),
            format!("{}~", keys::BOOKINGS),
        );
        let take = |page: Vec<Stored>| {
            for item in page {
                match item.kind() {
                    Booking::TYPE => booked.extend(readable([item])),
                    OwnInterviews::TYPE => interviewing.extend(readable([item])),
                    _ => {}
                }
            }
            Ok(true)
        };
        self.each_page(
            false,
            person::keys::own(person),
            range,
            Fetch::Eventual,
            take,
        )
        .await?;
        Ok((booked, interviewing))
    }

    /// Returns the slots and the submissions of these bookings: 1 batch read per 50. What is not
    /// read consistently may be a moment old, and costs half.
    pub async fn booked_slots(
        &self,
        bookings: &[Booking],
        consistent: bool,
    ) -> Result<(Vec<Slot>, Vec<Submission>), TableError> {
        let keys = bookings.iter().flat_map(|one| {
            let submission = submission::keys::submission(one.application, Id::new(one.submission));
            [slot::keys::slot(one.application, one.slot), submission]
        });
        let found: Vec<Stored> = self.get_all(keys.collect(), consistent).await?;
        let is_slot = |item: &Stored| item.kind() == Slot::TYPE;
        let (slots, submissions): (Vec<_>, Vec<_>) = found.into_iter().partition(is_slot);
        Ok((readable(slots), readable(submissions)))
    }

    /// Returns what a person has booked: 1 query.
    pub async fn bookings(&self, person: Id<of::Person>) -> Result<Vec<Booking>, TableError> {
        let range = Range::Prefix(keys::BOOKINGS.into());
        self.query(person::keys::own(person), range).await
    }
}

/// Returns the condition under which the news of an appointment may still be told: no rejection
/// that the applicant was told has ended the interview. A cancellation is told in any case.
pub(crate) fn not_over(mail: &Mail) -> Option<Write> {
    let appointment = mail.appointment.as_ref()?;
    if appointment.news == AppointmentNews::Cancelled {
        return None;
    }
    let submission = submission::keys::submission(appointment.application_id?, Id::new(mail.about));
    let check = Write::check(submission).if_none("interview.over");
    Some(check.or(Refusal::Superseded))
}
