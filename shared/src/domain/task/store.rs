//! What is due: how it is filed by the hour, and found (G5).

use chrono::TimeDelta;

use crate::db::error::ignore_refusal;
use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Table, TableError, Write, to_item};
use crate::domain::task::keys;
use crate::domain::task::model::{NoticeTimer, ScheduledTask, TaskKind};
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

impl Entity for NoticeTimer {
    const KIND: Kind = Kind::NoticeTimer;

    fn key(&self) -> Key {
        keys::notice_timer()
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

    /// Files an entry: 1 write.
    pub async fn file_task(&self, task: &ScheduledTask) -> Result<(), TableError> {
        self.write(Write::put(task)?).await.map(drop)
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
}
