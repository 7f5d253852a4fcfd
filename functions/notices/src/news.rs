//! Weekly news of the clubs that people follow (G3).

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, Days, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use shared::db::TableError;
use shared::domain::{
    Application, Club, Due, DueEntry, Event, NewsItem, NewsRhythm, Subscription, Window,
};
use shared::ids::{self, Id};
use shared::mail::news;
use shared::time::Timestamp;

use crate::timer::Timer;

/// When the news are due on a Monday, in the time zone of the campus.
const AT: Option<NaiveTime> = NaiveTime::from_hms_opt(8, 0, 0);
/// How far ahead showings are told.
const AHEAD: TimeDelta = TimeDelta::days(14);
/// How many things a person's entry remembers: the newest ones.
const KEPT: usize = 5_000;
/// How many lines a mail has.
const LINES: usize = 30;

/// Returns the first Monday at 8 after a moment.
fn next_monday(after: DateTime<Utc>, zone: Tz) -> Timestamp {
    let here = after.with_timezone(&zone);
    let to_monday = (7 - here.weekday().num_days_from_monday()) % 7;
    let on = |days: u64| {
        let day = here.date_naive().checked_add_days(Days::new(days))?;
        let time = day.and_time(AT.unwrap_or_default());
        Some(
            time.and_local_timezone(zone)
                .earliest()?
                .with_timezone(&Utc),
        )
    };
    let this = on(to_monday.into()).filter(|monday| *monday > after);
    let monday = this.or_else(|| on((to_monday + 7).into()));
    Timestamp::at(monday.unwrap_or(after + TimeDelta::days(7)))
}

/// Something that a club has, and since when it is news.
struct Thing {
    id: u64,
    since: Timestamp,
    item: NewsItem,
}

impl Timer {
    /// Tells a person what is new, and files the entry for the next Monday.
    pub(crate) async fn tell_news(
        &self,
        entry: &DueEntry,
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let Due::News {
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
            notices.news == NewsRhythm::Weekly && notices.on_since == Some(*on_since)
        });
        let Some(person) = person.filter(|person| !person.erasing) else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        let mut due = next_monday(last.moment(), self.zone);
        if due > now {
            self.finish(entry, Some(due), now).await?;
            return Ok(0);
        }
        // Mondays that nobody told are told with the last one.
        loop {
            let later = next_monday(due.moment(), self.zone);
            if later > now {
                break;
            }
            due = later;
        }
        let followed = self.table.bookmarks_of::<Subscription>(person.id).await?;
        let (mut told, mut new) = (BTreeSet::new(), vec![]);
        for follows in &followed {
            let since = follows.created_at.max(*on_since);
            // Whoever followed the club at the last news knows what was there then.
            let is_old = last > on_since && since <= *last;
            let (things, known) = self.things_of(follows, now).await?;
            // What was told is not told again, also if it was away for some weeks.
            told.extend(shown.iter().filter(|id| known.contains(id)));
            for thing in things {
                let is_new = !shown.contains(&thing.id) && (is_old || thing.since >= since);
                told.insert(thing.id);
                if is_new {
                    new.push(thing.item);
                }
            }
        }
        new.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
        let has_more = new.len() > LINES;
        new.truncate(LINES);
        let mail = (!new.is_empty()).then(|| news(&person, new, has_more, due, now));
        let next = Due::News {
            person: person.id,
            on_since: *on_since,
            last: due,
            shown: told.into_iter().rev().take(KEPT).collect(),
        };
        let next = DueEntry::new(next_monday(due.moment(), self.zone), now, next);
        let mail = mail.flatten();
        let done = self.table.finish_due(entry, Some(&next), mail.as_ref());
        done.await?;
        Ok(usize::from(mail.is_some()))
    }

    /// The open applications of a club and its events with a showing in the next two weeks; and the
    /// ids of all its applications and events.
    async fn things_of(
        &self,
        follows: &Subscription,
        now: Timestamp,
    ) -> Result<(Vec<Thing>, BTreeSet<u64>), TableError> {
        let club = self.table.club(&follows.club).await?;
        let Some(club) = club.filter(|club| !club.archived && club.approved == Some(true)) else {
            return Ok((vec![], BTreeSet::new()));
        };
        let mut things = vec![];
        let open = club
            .windows
            .iter()
            .filter(|(_, window)| window.is_open(now.moment()));
        for (id, window) in open {
            let Some(id) = ids::parse::<Application>(id) else {
                continue;
            };
            if let Some(application) = self.table.application(&club.code, id).await? {
                things.push(opened(&club, id, &application.name, window));
            }
        }
        let events = self.table.events(&club.code).await?;
        things.extend(
            events
                .iter()
                .filter_map(|event| shown_soon(&club, event, now)),
        );
        let applications = club
            .windows
            .keys()
            .filter_map(|id| ids::parse::<Application>(id));
        let known = applications.map(Id::get);
        let known = known.chain(events.iter().map(|event| event.id.get()));
        Ok((things, known.collect()))
    }
}

fn opened(club: &Club, id: Id<Application>, name: &str, window: &Window) -> Thing {
    Thing {
        id: id.get(),
        since: window.start,
        item: NewsItem {
            is_deadline: true,
            club: club.profile.name.clone(),
            name: name.to_owned(),
            at: window.end,
            path: format!("/clubs/{}/apply/{id}/", club.code),
        },
    }
}

fn shown_soon(club: &Club, event: &Event, now: Timestamp) -> Option<Thing> {
    let soon = event
        .showings
        .iter()
        .filter(|showing| showing.start > now && showing.start <= now.plus(AHEAD));
    let first = soon.min_by_key(|showing| showing.start)?;
    Some(Thing {
        id: event.id.get(),
        since: event.created_at.max(first.start.plus(-AHEAD)),
        item: NewsItem {
            is_deadline: false,
            club: club.profile.name.clone(),
            name: event.name.clone(),
            at: first.start,
            path: format!("/events/{}/", event.id),
        },
    })
}
