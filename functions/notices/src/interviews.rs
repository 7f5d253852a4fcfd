//! Reminders of booked interviews (G2).

use chrono::TimeDelta;
use shared::bookings::seated;
use shared::db::TableError;
use shared::domain::{REMINDED_BEFORE, ScheduledTask};
use shared::ids::{Id, of};
use shared::mail::interview_reminder;
use shared::time::Timestamp;

use crate::timer::Timer;

impl Timer {
    /// Reminds everybody who has booked a slot that begins in 24 hours, and not later than that.
    pub(crate) async fn remind_of_interviews(
        &self,
        entry: &ScheduledTask,
        (application, slot): (Id<of::Application>, Id<of::Slot>),
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let slot = self.table.slot(application, slot).await?;
        let Some(slot) = slot.filter(|slot| !slot.deleted && slot.start > now) else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        let reminder_at = slot.start.plus(-REMINDED_BEFORE);
        if reminder_at > now {
            self.finish(entry, Some(reminder_at), now).await?;
            return Ok(0);
        }
        let club = self.table.club(&slot.club).await?;
        let application = self.table.application(&slot.club, application).await?;
        let Some((club, application)) = club.zip(application) else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        if club.archived {
            // When it is restored, its slots get no entry.
            let later = now.plus(TimeDelta::hours(1));
            let again = (slot.start > later).then_some(later);
            self.finish(entry, again, now).await?;
            return Ok(0);
        }
        let booked = self
            .table
            .submissions_by_id(application.id, &seated(&slot))
            .await?;
        let people = booked.iter().filter_map(|submission| submission.person);
        let people = self.table.people(people).await?;
        let mut mails = 0;
        for submission in &booked {
            let interview = submission.interview();
            let is_early = interview.is_some_and(|interview| {
                interview.slot == Some(slot.id)
                    && interview.booked_at.is_some_and(|at| at <= reminder_at)
            });
            let person = submission.person.and_then(|person| people.get(&person));
            let person = person.filter(|person| !person.erasing && person.notices.interviews);
            // Their place is given back when somebody asks (K9).
            let is_over = submission.is_interview_over(&application, now.moment());
            let Some(person) = person.filter(|_| is_early && !is_over) else {
                continue;
            };
            let recruitment = (&club, &application);
            if let Some(mail) = interview_reminder(recruitment, person, submission, &slot, now) {
                mails += usize::from(self.table.queue_notice(mail).await?);
            }
        }
        self.finish(entry, None, now).await?;
        Ok(mails)
    }
}
