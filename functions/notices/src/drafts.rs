//! Reminders of drafts that were not submitted (G2).

use std::collections::HashMap;

use chrono::TimeDelta;
use futures::future::try_join_all;
use shared::db::TableError;
use shared::domain::{Application, BegunDraft, Club, Extension, ScheduledTask, draft_reminder_at};
use shared::ids::{Id, of};
use shared::mail::draft_reminder;
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::timer::{Looked, Run, Timer};

/// How many drafts are looked at together.
const AT_ONCE: usize = 16;

/// When a draft is due whose person may submit until `end`. Whoever began after a late opening had
/// less time than from the start.
fn reminder_for(draft: &BegunDraft, application: &Application, end: Timestamp) -> Timestamp {
    let opened = application.open_since();
    let is_late = opened <= draft.begun_at;
    draft_reminder_at(if is_late { opened } else { application.start }, end)
}

/// When drafts that were begun after a late opening are due next, also those of people with an
/// extension: their entries may be done.
fn next_reminder<'a>(
    application: &Application,
    extended: impl Iterator<Item = &'a Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let opened = application.open_since();
    if opened == application.start {
        return None;
    }
    let ends = extended.map(|own| application.end.max(*own));
    let all = std::iter::once(application.end).chain(ends);
    all.map(|end| draft_reminder_at(opened, end))
        .filter(|reminder_at| *reminder_at > now)
        .min()
}

impl Timer {
    /// Reminds everybody who has begun a draft and for whom the application ends in 24 hours. An
    /// extension has an entry of its own, for `only` its person.
    pub(crate) async fn remind_of_drafts(
        &self,
        entry: &ScheduledTask,
        (code, id, only): (&ClubCode, Id<of::Application>, Option<Id<of::Person>>),
        run: &Run,
    ) -> Result<Looked, TableError> {
        let now = run.now;
        let club = self.table.club(code).await?;
        let application = self.table.application(code, id).await?;
        let Some((club, application)) = club.zip(application) else {
            self.finish(entry, None, now).await?;
            return Ok(Looked::default());
        };
        let is_open = !club.archived && club.approved == Some(true);
        let is_off = !is_open || !application.is_active;
        let extensions = match only {
            Some(person) => {
                let extension = Extension::id_of(id, person);
                self.table
                    .extension(id, extension)
                    .await?
                    .into_iter()
                    .collect()
            }
            None if is_off => vec![],
            None => self.table.extensions(id).await?,
        };
        let extended: HashMap<Id<of::Person>, Timestamp> = extensions
            .iter()
            .map(|extension| (extension.person, extension.end))
            .collect();
        let end_of = |person| {
            let own = extended.get(&person);
            own.map_or(application.end, |own| application.end.max(*own))
        };
        let reminder_of = |end| draft_reminder_at(application.start, end);
        let end = only.map_or(application.end, end_of);
        if is_off {
            // When an application is switched on, it gets an entry for everybody, but none for
            // people with an extension. When a club is restored or approved, nothing gets an entry.
            let is_filed_then = only.is_none() && is_open;
            let later = now.plus(TimeDelta::hours(1));
            let again = (!is_filed_then && end > later).then(|| reminder_of(end).max(later));
            self.finish(entry, again, now).await?;
            return Ok(Looked::default());
        }
        // The end was moved since then.
        let reminder_at = reminder_of(end);
        if reminder_at > now {
            self.finish(entry, Some(reminder_at), now).await?;
            return Ok(Looked::default());
        }
        let mut drafts = match only {
            Some(person) => self.table.begun_drafts_of(id, person).await?,
            None => self.table.begun_drafts(id).await?,
        };
        drafts.retain(|draft| {
            let end = end_of(draft.person);
            let reminder_at = reminder_for(draft, &application, end);
            draft.begun_at <= reminder_at && reminder_at <= now && now <= end
        });
        let recruitment = (&club, &application);
        let mut mails = 0;
        for part in drafts.chunks(AT_ONCE) {
            if run.is_over() {
                let is_left = true;
                return Ok(Looked { mails, is_left });
            }
            let looks = part
                .iter()
                .map(|draft| self.remind_of_draft(recruitment, draft, end_of(draft.person), now));
            let queued: Vec<bool> = try_join_all(looks).await?;
            mails += queued.iter().filter(|is_queued| **is_queued).count();
        }
        let again = next_reminder(&application, extended.values(), now);
        self.finish(entry, again, now).await?;
        Ok(Looked::of(mails))
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
        self.table.queue_notice(mail).await
    }
}
