//! What is due: how it is filed by the hour, found and finished (G5).

use crate::db::Key;
use crate::domain::notice::keys;
use std::collections::HashSet;

use chrono::TimeDelta;
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::db::error::ignore_refusal;
use crate::db::read::{Fetch, Range};
use crate::db::{Entity, PARALLEL, Refusal, Table, TableError, Write, to_item};
use crate::domain::application::model::Application;
use crate::domain::conditions::check_not_erasing;
use crate::domain::mail::model::Mail;
use crate::domain::notice::model::{
    BegunDraft, NoticeTimer, REMINDED_BEFORE, ScheduledTask, TaskKind, draft_reminder_at,
};
use crate::domain::slot::model::Slot;
use crate::ids::{Id, made_at, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for ScheduledTask {
    const KIND: Kind = Kind::ScheduledTask;

    fn key(&self) -> Key {
        keys::scheduled(self.hour, &self.what)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl ScheduledTask {
    /// Returns the item as the table stores it, in the JSON of DynamoDB.
    pub fn stored(&self) -> Option<serde_json::Value> {
        let item = serde_dynamo::Item::from(to_item(self).ok()?);
        serde_json::to_value(item).ok()
    }
}

impl Entity for BegunDraft {
    const KIND: Kind = Kind::BegunDraft;

    fn key(&self) -> Key {
        keys::begun_draft(self.application, self.person, self.committee)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Entity for NoticeTimer {
    const KIND: Kind = Kind::NoticeTimer;

    fn key(&self) -> Key {
        keys::notice_timer()
    }
}

impl Application {
    /// Returns when the timer has to look at the drafts of this application; none if it is over.
    pub fn scheduled_task(&self, now: Timestamp) -> Option<ScheduledTask> {
        let what = TaskKind::Drafts {
            club: self.club.clone(),
            application: self.id,
            person: None,
        };
        let is_over = self.deleted.is_some() || !self.is_active || self.end <= now;
        (!is_over).then(|| ScheduledTask::new(draft_reminder_at(self.start, self.end), now, what))
    }
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

/// What is due in an hour.
#[derive(Debug)]
pub struct TasksInHour {
    /// The entries but for the news, in the order of time.
    pub entries: Vec<ScheduledTask>,
    /// Whether news are due, too.
    pub has_news: bool,
}

/// So many people's news are read at once. All people's are due in the same hour, and each entry
/// may have 120 KB.
pub const NEWS_AT_ONCE: usize = 100;
/// Where the timer begins if it never ran.
const BEGINS: TimeDelta = TimeDelta::days(7);
/// How far back it looks.
const GIVEN_UP: TimeDelta = TimeDelta::days(60);

impl Table {
    /// Returns the last hour in which everything that was due is done: 1 read. What was due 60 days
    /// ago helps nobody any more.
    pub async fn hours_done(&self, now: Timestamp) -> Result<Timestamp, TableError> {
        let timer: Option<NoticeTimer> = self.get(keys::notice_timer()).await?;
        let done = timer.map_or_else(|| now.plus(-BEGINS), |timer| timer.hour.min(now));
        Ok(done.max(now.plus(-GIVEN_UP)))
    }

    /// Notes that everything up to this hour is done: 1 write. A timer that is behind changes
    /// nothing.
    pub async fn finish_hours(&self, hour: Timestamp) -> Result<(), TableError> {
        let write =
            Write::put(&NoticeTimer { hour })?.if_new_or(|write| write.if_below("hour", &hour));
        ignore_refusal(self.write(write).await)
    }

    /// Returns what is due in an hour, in the order of time and erasures last, without the news,
    /// which may be more than fit into memory: 1 query, and 1 more if there are news.
    pub async fn tasks_in(&self, hour: Timestamp) -> Result<TasksInHour, TableError> {
        let (mut entries, mut has_news) = (vec![], false);
        let take = |page: Vec<ScheduledTask>| {
            has_news = page
                .iter()
                .any(|one| matches!(one.what, TaskKind::News { .. }));
            entries.extend(page);
            Ok(!has_news)
        };
        let pk = keys::tasks_in(hour);
        self.each_page(false, pk.clone(), Range::All, Fetch::Items, take)
            .await?;
        if has_news {
            // What stands behind the news was not read, or not all of it.
            let is_before = |what: &TaskKind| keys::scheduled(hour, what).sk.as_str() < keys::NEWS;
            entries.retain(|entry| is_before(&entry.what));
            let behind = Range::Between(keys::NEWS_END.to_owned(), "~".to_owned());
            entries.extend(self.query::<ScheduledTask>(pk, behind).await?);
        }
        // However much somebody has stored, the reminders of others do not wait for their erasure.
        let is_erasure = |entry: &ScheduledTask| matches!(entry.what, TaskKind::Erasure { .. });
        entries.sort_by_key(|entry| (is_erasure(entry), entry.at));
        Ok(TasksInHour { entries, has_news })
    }

    /// Returns the next people whose news are due in an hour, in the order of their keys, at most
    /// [`NEWS_AT_ONCE`]: 1 query.
    pub async fn news_in(
        &self,
        hour: Timestamp,
        last: Option<&ScheduledTask>,
    ) -> Result<Vec<ScheduledTask>, TableError> {
        let begin = last.map_or_else(
            || keys::NEWS.to_owned(),
            |last| format!("{}#", keys::scheduled(hour, &last.what).sk),
        );
        let range = Range::Between(begin, keys::NEWS_END.to_owned());
        let size = i32::try_from(NEWS_AT_ONCE).map_err(TableError::failed)?;
        let mut entries = vec![];
        let take = |page: Vec<ScheduledTask>| {
            entries.extend(page);
            Ok(entries.len() < NEWS_AT_ONCE)
        };
        self.each_page(false, keys::tasks_in(hour), range, Fetch::Pages(size), take)
            .await?;
        Ok(entries)
    }

    /// Finishes something that was due: 1 transaction stores the mail, files what follows, and
    /// removes the entry. Refused as [`Refusal::Exists`] if the mail is there already, as
    /// [`Refusal::Erased`] if its person is being erased, and as [`Refusal::Changed`] if another
    /// run was faster, or the entry was filed again.
    pub async fn finish_task(
        &self,
        entry: &ScheduledTask,
        next: Option<&ScheduledTask>,
        mail: Option<&Mail>,
    ) -> Result<(), TableError> {
        let mut writes = vec![];
        let is_same = next.is_some_and(|next| next.key() == entry.key());
        if let Some(next) = next {
            let put = Write::put(next)?;
            writes.push(if is_same {
                put.if_equals("stamp", &entry.stamp)
            } else {
                put
            });
        }
        if !is_same {
            writes.push(Write::delete(entry.key()).if_equals("stamp", &entry.stamp));
        }
        if let Some(mail) = mail {
            writes.push(Write::put(mail)?.if_new().or(Refusal::Exists));
            writes.extend(mail.person.map(check_not_erasing));
        }
        self.transact(writes).await
    }

    /// Stores a reminder: 1 transaction. If an earlier one was given up because it was not true at
    /// that time, this one is the next attempt: 1 read and 1 transaction more. Returns false if a
    /// reminder is stored already, or if its person is being erased.
    pub async fn queue_notice(&self, mut mail: Mail) -> Result<bool, TableError> {
        loop {
            // The token of a transaction makes a late repeat harmless.
            let put = Write::put(&mail)?.if_new().or(Refusal::Exists);
            let person = mail.person.map(check_not_erasing);
            let writes = std::iter::once(put).chain(person);
            match self.transact(writes.collect()).await {
                Ok(()) => return Ok(true),
                Err(TableError::Refused(Refusal::Exists)) => {}
                Err(TableError::Refused(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
            let earlier = self.mail(&mail.id()).await?;
            if !earlier.is_some_and(|earlier| earlier.is_superseded()) {
                return Ok(false);
            }
            mail.attempt += 1;
        }
    }

    /// Returns the drafts of an application that were begun: 1 query.
    pub async fn begun_drafts(
        &self,
        application: Id<of::Application>,
    ) -> Result<Vec<BegunDraft>, TableError> {
        self.query(keys::begun_drafts(application), Range::All)
            .await
    }

    /// Returns the drafts that a person has begun for an application: 1 query.
    pub async fn begun_drafts_of(
        &self,
        application: Id<of::Application>,
        person: Id<of::Person>,
    ) -> Result<Vec<BegunDraft>, TableError> {
        let Key { pk, sk } = keys::begun_draft(application, person, None);
        let own = sk.split_once('#').map_or("", |(person, _)| person);
        self.query(pk, Range::Prefix(format!("{own}#"))).await
    }

    /// Keeps what is noted about a draft until then, in seconds since 1970, if it is there: 1
    /// write. A write that arrives late does not shorten that time.
    pub async fn keep_begun(
        &self,
        (application, person): (Id<of::Application>, Id<of::Person>),
        committee: Option<Id<of::Committee>>,
        expires: i64,
    ) -> Result<(), TableError> {
        let key = keys::begun_draft(application, person, committee);
        let write = Write::update(key).set("expires", &expires);
        let write = write.if_below("expires", &expires);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Removes what was noted until then about a person's drafts to these applications: 1 query for
    /// each, and 1 batch write per 25.
    pub(crate) async fn forget_begun(
        &self,
        person: Id<of::Person>,
        applications: HashSet<Id<of::Application>>,
        until: u64,
    ) -> Result<(), TableError> {
        let until = Timestamp::at(made_at(until));
        let begun = stream::iter(applications)
            .map(|application| self.begun_drafts_of(application, person))
            .buffer_unordered(PARALLEL);
        let begun: Vec<Vec<BegunDraft>> = begun.try_collect().await?;
        let begun = begun.iter().flatten();
        let keys = begun.filter(|one| one.begun_at <= until).map(Entity::key);
        self.delete_many(keys.collect()).await
    }
}
