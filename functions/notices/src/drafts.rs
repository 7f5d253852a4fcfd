//! Reminders of drafts that were not submitted (G2).

use std::collections::HashMap;

use shared::db::TableError;
use shared::domain::{
    Application, BegunDraft, Club, DueEntry, Extension, Person, StoredSubmission, Submission,
    draft_due,
};
use shared::ids::Id;
use shared::mail::draft_reminder;
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::timer::Timer;

impl Timer {
    /// Reminds everybody who has begun a draft and for whom the application ends in 24 hours. Who
    /// has an extension is reminded by an entry of their own.
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
        let extended: HashMap<Id<Person>, &Extension> = extensions
            .iter()
            .map(|extension| (extension.person, extension))
            .collect();
        let end = only
            .and_then(|person| extended.get(&person))
            .map_or(application.end, |own| own.end.max(application.end));
        let due = draft_due(application.start, end);
        // The end was moved since. What is switched off gets an entry when it is switched on.
        if due > now && application.is_active {
            self.finish(entry, Some(due), now).await?;
            return Ok(0);
        }
        let is_over = now > end || !application.is_active;
        if only.is_some_and(|person| !extended.contains_key(&person)) || is_over {
            self.finish(entry, None, now).await?;
            return Ok(0);
        }
        let mut mails = 0;
        for draft in self.table.begun_drafts(id).await? {
            let is_meant = match only {
                Some(person) => draft.person == person,
                None => extended
                    .get(&draft.person)
                    .is_none_or(|own| own.end <= application.end),
            };
            if is_meant && draft.begun_at <= due {
                let place = (&club, &application);
                mails += usize::from(self.remind_of_draft(place, &draft, end, now).await?);
            }
        }
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
        let place = Submission::id_of(id, person, draft.committee);
        let committee_is_there = draft
            .committee
            .is_none_or(|committee| application.committee(committee).is_some());
        let person = self.table.person(person).await?;
        let person = person.filter(|person| !person.erasing && person.notices.drafts);
        let Some(person) = person.filter(|_| committee_is_there) else {
            return Ok(false);
        };
        let stored = self.table.stored_submission(id, place).await?;
        if matches!(stored, StoredSubmission::Present(_)) {
            return Ok(false);
        }
        let submitted = stored.last_submitted();
        let answers = self.table.drafts(id, person.id).await?;
        let is_live = answers.iter().any(|answer| {
            answer.committee == draft.committee
                && !answer.is_removed()
                && answer.is_live(submitted, now)
        });
        let mail = draft_reminder((club, application), &person, draft, end, now);
        let Some(mail) = mail.filter(|_| is_live) else {
            return Ok(false);
        };
        self.table.queue_notice(&mail).await?;
        Ok(true)
    }
}
