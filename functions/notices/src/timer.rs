//! The run of the timer: hour by hour, what is due.

use std::time::Duration;

use chrono::TimeDelta;
use serde::Serialize;
use shared::db::{Table, TableError};
use shared::domain::{
    LOOKS_BACK, MailId, MailKind, NEWS_AT_ONCE, ScheduledTask, TaskKind, hour_of,
};
use shared::metrics::Unit;
use shared::settings::Settings;
use shared::time::Timestamp;
use tokio::time::Instant;

use crate::club_news::ClubNews;

/// No entry is begun after this time. The next run goes on, and rarely finds this one at work.
const BEGIN_WITHIN: Duration = Duration::from_secs(50);

/// Looks at what is due.
pub struct Timer {
    pub(crate) table: Table,
    pub(crate) settings: Settings,
}

/// A run of the timer.
pub(crate) struct Run {
    /// The time at which it began. Everything in it is looked at as of this time.
    pub(crate) now: Timestamp,
    began: Instant,
    /// The clubs that were read for news.
    clubs: ClubNews,
    worked: Worked,
    /// What the oldest entry was due at that it looked at.
    oldest: Timestamp,
    /// The last error. What failed stays for the next run.
    failed: Option<TableError>,
}

impl Run {
    fn new(now: Timestamp) -> Self {
        Self {
            now,
            began: Instant::now(),
            clubs: ClubNews::default(),
            worked: Worked::default(),
            oldest: now,
            failed: None,
        }
    }

    /// Returns whether nothing more is begun.
    pub(crate) fn is_over(&self) -> bool {
        self.began.elapsed() > BEGIN_WITHIN
    }
}

/// What became of an entry.
#[derive(Default)]
pub(crate) struct Looked {
    /// Number of mails that were queued.
    pub(crate) mails: usize,
    /// Whether something is left for the next run.
    pub(crate) is_left: bool,
}

impl Looked {
    /// All is done.
    pub(crate) fn of(mails: usize) -> Self {
        let is_left = false;
        Self { mails, is_left }
    }
}

/// What a run did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Worked {
    /// Number of entries that it looked at.
    pub entries: usize,
    /// Number of mails that it queued.
    pub mails: usize,
}

/// The log line of a run.
#[derive(Serialize)]
struct RunLine {
    message: &'static str,
    entries: usize,
    mails: usize,
    /// How late the oldest entry was that it looked at.
    behind_ms: i64,
}

impl RunLine {
    const METRICS: [(&'static str, Unit); 1] = [("behind_ms", Unit::Milliseconds)];
}

impl Timer {
    /// A timer for a table.
    pub fn new(table: Table, settings: Settings) -> Self {
        Self { table, settings }
    }

    /// Looks at everything that is due at `now`, the earliest hour first. What fails stays for the
    /// next run; then the error is returned at the end.
    ///
    /// # Errors
    ///
    /// Those of the table.
    pub async fn run(&self, now: Timestamp) -> Result<Worked, TableError> {
        let mut run = Run::new(now);
        let done_until = self.table.hours_done(now).await?;
        let (mut hour, mut done) = (hour_of(done_until.plus(-LOOKS_BACK)), done_until);
        // News may take hours. What has a time of its own does not wait for those of earlier hours.
        let mut looked = vec![];
        while hour <= now {
            let tasks = self.table.tasks_in(hour).await?;
            if !self.look_through(&tasks.entries, &mut run).await {
                break;
            }
            looked.push((hour, tasks.has_news, run.failed.is_none()));
            hour = hour.plus(TimeDelta::hours(1));
        }
        let failed = run.failed.take();
        for (hour, has_news, is_done) in looked {
            if has_news && !self.tell_all_news(hour, &mut run).await? {
                break;
            }
            if is_done && run.failed.is_none() {
                done = done.max(hour);
            }
        }
        if done > done_until {
            self.table.finish_hours(done).await?;
        }
        self.log(run.worked, now, run.oldest);
        failed.or(run.failed).map_or(Ok(run.worked), Err)
    }

    /// Looks at the news that are due in an hour. Returns false if the run ends before that is
    /// done.
    async fn tell_all_news(&self, hour: Timestamp, run: &mut Run) -> Result<bool, TableError> {
        let mut last = None;
        loop {
            let news = self.table.news_in(hour, last.as_ref()).await?;
            if !self.look_through(&news, run).await {
                return Ok(false);
            }
            if news.len() < NEWS_AT_ONCE {
                return Ok(true);
            }
            last = news.into_iter().last();
        }
    }

    /// Looks at what is due of these entries. Returns false if the run ends before that is done.
    async fn look_through(&self, entries: &[ScheduledTask], run: &mut Run) -> bool {
        let now = run.now;
        for entry in entries.iter().filter(|entry| entry.at <= now) {
            if run.is_over() {
                return false;
            }
            run.oldest = run.oldest.min(entry.at.max(entry.filed_at));
            match self.look_at(entry, run).await {
                Ok(looked) => {
                    run.worked.entries += 1;
                    run.worked.mails += looked.mails;
                    if looked.is_left {
                        return false;
                    }
                }
                // Another run was faster, or the entry was filed again: the next run sees it.
                Err(TableError::Refused(_)) => {}
                Err(error) => {
                    tracing::error!(%error, "something that was due was not done");
                    run.failed = Some(error);
                }
            }
        }
        true
    }

    async fn look_at(&self, entry: &ScheduledTask, run: &mut Run) -> Result<Looked, TableError> {
        let now = run.now;
        let mails = match &entry.what {
            TaskKind::Drafts {
                club,
                application,
                person,
            } => {
                let of = (club, *application, *person);
                return self.remind_of_drafts(entry, of, run).await;
            }
            TaskKind::Slot { application, slot } => {
                let of = (*application, *slot);
                self.remind_of_interviews(entry, of, now).await?
            }
            TaskKind::Upload {
                person,
                application,
                file,
            } => {
                let of = (*person, *application, *file);
                self.remove_upload(entry, of, now).await?;
                0
            }
            TaskKind::Webhook { key } => {
                self.look_at_webhook(entry, key, now).await?;
                0
            }
            TaskKind::Erasure { person, created_at } => {
                self.erase(entry, (*person, *created_at), now).await?;
                0
            }
            TaskKind::ClubEnd { club, version } => {
                return self.end_club(entry, (club, *version), run).await;
            }
            TaskKind::Appointment {
                submission,
                sequence,
                attempt,
            } => {
                let mail = MailId {
                    about: *submission,
                    sequence: *sequence,
                    kind: MailKind::Appointment,
                    attempt: *attempt,
                };
                self.table.release_mail(&mail, now).await?;
                self.finish(entry, None, now).await?;
                0
            }
            TaskKind::Tickets { event, showing, .. } => {
                self.look_at_tickets(entry, (*event, *showing), now).await?
            }
            TaskKind::News { .. } => self.tell_news(entry, now, &mut run.clubs).await?,
        };
        Ok(Looked::of(mails))
    }

    /// Writes the log line of a run, in a deployed stack as metrics (O17).
    fn log(&self, worked: Worked, now: Timestamp, oldest: Timestamp) {
        let behind = now.moment() - oldest.moment();
        let line = RunLine {
            message: "notices",
            entries: worked.entries,
            mails: worked.mails,
            behind_ms: behind.num_milliseconds(),
        };
        if let Some(metrics) = &self.settings.metrics {
            metrics.log(now.moment(), &line, &RunLine::METRICS, &[&[]]);
        } else if worked.entries > 0 {
            tracing::info!(
                entries = line.entries,
                mails = line.mails,
                behind_ms = line.behind_ms,
                "notices"
            );
        }
    }

    /// Finishes an entry: it is removed, or filed again for a later time.
    pub(crate) async fn finish(
        &self,
        entry: &ScheduledTask,
        again: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let next = again.map(|at| ScheduledTask::new(at, now, entry.what.clone()));
        self.table.finish_task(entry, next.as_ref(), None).await
    }
}
