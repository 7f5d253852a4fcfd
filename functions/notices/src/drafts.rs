//! Reminders of drafts that were not submitted (G2).

use std::collections::HashMap;

use chrono::TimeDelta;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use shared::db::TableError;
use shared::domain::{Application, BegunDraft, Club, DueEntry, Person, draft_due};
use shared::ids::Id;
use shared::mail::draft_reminder;
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::timer::Timer;

/// How many drafts are looked at together.
const AT_ONCE: usize = 16;

impl Timer {
    /// Reminds everybody who has begun a draft and for whom the application ends in 24 hours. An
    /// extension has an entry of its own, for `only` its person.
    pub(crate) async fn remind_of_drafts(
        &self,
        entry: &DueEntry,
        (code, id, only): (&ClubCode, Id<Application>, Option<Id<Person>>),
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let club = self.table.club(code).await?.filter(|club| !club.archived);
        let application = self.table.application(code, id).await?;
        let Some((club, application)) = club.zip(application) else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        let extensions = self.table.extensions(id).await?;
        let extended: HashMap<Id<Person>, Timestamp> = extensions
            .iter()
            .map(|extension| (extension.person, extension.end))
            .collect();
        let end_of = |person| {
            let own = extended.get(&person);
            own.map_or(application.end, |own| application.end.max(*own))
        };
        let due_of = |end| draft_due(application.start, end);
        // What is switched off gets an entry when it is switched on, but not for those whose
        // extension goes on after its end.
        if !application.is_active {
            let later = now.plus(TimeDelta::hours(1));
            let extended = only.filter(|person| end_of(*person) > later);
            self.finish(entry, extended.map(|_| later), now).await?;
            return Ok(0);
        }
        // The end was moved since then.
        let due = due_of(only.map_or(application.end, end_of));
        if due > now {
            self.finish(entry, Some(due), now).await?;
            return Ok(0);
        }
        let mut drafts = self.table.begun_drafts(id).await?;
        drafts.retain(|draft| {
            let end = end_of(draft.person);
            let due = due_of(end);
            let is_meant = only.is_none_or(|person| person == draft.person);
            is_meant && draft.begun_at <= due && due <= now && now <= end
        });
        let place = (&club, &application);
        let looks: Vec<_> = drafts
            .iter()
            .map(|draft| self.remind_of_draft(place, draft, end_of(draft.person), now))
            .collect();
        let looks = stream::iter(looks).buffer_unordered(AT_ONCE);
        let queued: Vec<bool> = looks.try_collect().await?;
        let mails = queued.iter().filter(|is_queued| **is_queued).count();
        self.finish(entry, None, now).await?;
        Ok(mails)
    }

    /// Queues the reminder, if the draft is there, was not submitted, and the person wants it.
    async fn remind_of_draft(
        &self,
        (club, application): (&Club, &Application),
        draft: &BegunDraft,
        end: Timestamp,
        now: Timestamp,
    ) -> Result<bool, TableError> {
        let (id, person) = (application.id, draft.person);
        let committee_is_there = draft
            .committee
            .is_none_or(|committee| application.committee(committee).is_some());
        let person = self.table.person(person).await?;
        let person = person.filter(|person| !person.erasing && person.notices.drafts);
        let Some(person) = person.filter(|_| committee_is_there) else {
            return Ok(false);
        };
        let of = (id, person.id);
        if !self.table.has_draft(of, draft.committee, now).await? {
            return Ok(false);
        }
        let Some(mail) = draft_reminder((club, application), &person, draft, end, now) else {
            return Ok(false);
        };
        self.table.queue_notice(&mail).await
    }
}
