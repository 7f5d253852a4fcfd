//! Weekly news of the clubs that people follow (G3).

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, Days, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use shared::db::{Refusal, TableError};
use shared::domain::{NewsRhythm, ScheduledTask, Subscription, TaskKind};
use shared::mail::news;
use shared::time::{Timestamp, moment_in};

use crate::club_news::ClubNews;
use crate::timer::Timer;

/// When the news are due on a Monday, in the time zone of the campus.
const AT: Option<NaiveTime> = NaiveTime::from_hms_opt(8, 0, 0);
/// How many things a person's entry remembers.
const KEPT: usize = 5_000;
/// How many lines a mail has.
const LINES: usize = 30;

/// Returns the first Monday at 8 after a moment.
fn next_monday(after: DateTime<Utc>, zone: Tz) -> Timestamp {
    let here = after.with_timezone(&zone);
    let to_monday = (7 - here.weekday().num_days_from_monday()) % 7;
    let on = |days: u64| {
        let day = here.date_naive().checked_add_days(Days::new(days))?;
        Some(moment_in(zone, day.and_time(AT.unwrap_or_default())))
    };
    let this = on(to_monday.into()).filter(|monday| *monday > after);
    let monday = this.or_else(|| on((to_monday + 7).into()));
    Timestamp::at(monday.unwrap_or(after + TimeDelta::days(7)))
}

/// Returns the ids that are remembered: what there is now, and of what was told before the newest.
/// That is not told again, also if it was away for some weeks.
fn remembered(there: &BTreeSet<u64>, shown: &[u64]) -> Vec<u64> {
    let before: BTreeSet<u64> = shown.iter().copied().collect();
    let before = before.iter().rev().filter(|id| !there.contains(id));
    let newest_first = there.iter().rev().chain(before);
    newest_first.take(KEPT).copied().collect()
}

impl Timer {
    /// Tells a person what is new, and files the entry for the next Monday.
    pub(crate) async fn tell_news(
        &self,
        entry: &ScheduledTask,
        now: Timestamp,
        clubs: &mut ClubNews,
    ) -> Result<usize, TableError> {
        let TaskKind::News {
            person,
            on_since,
            last,
            shown,
        } = &entry.what
        else {
            return Ok(0);
        };
        let person = self.table.person(*person).await?.filter(|person| {
            let notices = &person.notices;
            let is_on = notices.news == NewsRhythm::Weekly && notices.on_since == Some(*on_since);
            is_on && !person.erasing
        });
        let Some(person) = person else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        let mut news_day = next_monday(last.moment(), self.settings.mail.time_zone);
        if news_day > now {
            self.finish(entry, Some(news_day), now).await?;
            return Ok(0);
        }
        // Mondays that nobody told are told with the last one.
        loop {
            let later = next_monday(news_day.moment(), self.settings.mail.time_zone);
            if later > now {
                break;
            }
            news_day = later;
        }
        let followed = self.table.bookmarks_of::<Subscription>(person.id).await?;
        let (mut there, mut new) = (BTreeSet::new(), vec![]);
        for follows in &followed {
            let since = follows.created_at.max(*on_since);
            // Whoever followed the club at the last news knows what was there then.
            let is_old = last > on_since && since <= *last;
            let of_club = clubs.of(&self.table, &follows.club, now).await?;
            for thing in of_club.iter() {
                let is_new = !shown.contains(&thing.id) && (is_old || thing.since >= since);
                there.insert(thing.id);
                if is_new {
                    new.push(thing.item.clone());
                }
            }
        }
        new.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
        let has_more = new.len() > LINES;
        new.truncate(LINES);
        let mail = (!new.is_empty()).then(|| news(&person, new, has_more, news_day, now));
        let next = TaskKind::News {
            person: person.id,
            on_since: *on_since,
            last: news_day,
            shown: remembered(&there, shown),
        };
        let next = ScheduledTask::new(
            next_monday(news_day.moment(), self.settings.mail.time_zone),
            now,
            next,
        );
        let mail = mail.flatten();
        let done = self.table.finish_task(entry, Some(&next), mail.as_ref());
        if let Err(TableError::Refused(Refusal::Exists)) = done.await {
            self.table.finish_task(entry, Some(&next), None).await?;
            return Ok(0);
        }
        Ok(usize::from(mail.is_some()))
    }
}
