//! What is news of a club: its open applications, and its events with a showing soon (G3).

use std::collections::HashMap;
use std::sync::Arc;

use chrono::TimeDelta;
use shared::db::{Table, TableError};
use shared::domain::{Application, Club, Event, NewsItem, Window};
use shared::ids;
use shared::ids::of;
use shared::text::ClubCode;
use shared::time::Timestamp;

/// How far ahead showings are told.
const AHEAD: TimeDelta = TimeDelta::days(14);

/// Something that a club has, and since when it is news.
pub(crate) struct Thing {
    pub(crate) id: u64,
    pub(crate) since: Timestamp,
    pub(crate) item: NewsItem,
}

/// The clubs that a run has read. Each one is read once, however many people follow it.
#[derive(Default)]
pub(crate) struct ClubNews(HashMap<ClubCode, Arc<Vec<Thing>>>);

impl ClubNews {
    /// Returns what is news of a club: its open applications, and its events with a showing in the
    /// next two weeks. A club that nobody sees has none.
    pub(crate) async fn of(
        &mut self,
        table: &Table,
        code: &ClubCode,
        now: Timestamp,
    ) -> Result<Arc<Vec<Thing>>, TableError> {
        if let Some(found) = self.0.get(code) {
            return Ok(found.clone());
        }
        let club = table.club(code).await?;
        let found = match club.filter(|club| !club.archived && club.approved == Some(true)) {
            Some(club) => read(table, &club, now).await?,
            None => vec![],
        };
        let found = Arc::new(found);
        self.0.insert(code.clone(), found.clone());
        Ok(found)
    }
}

async fn read(table: &Table, club: &Club, now: Timestamp) -> Result<Vec<Thing>, TableError> {
    let mut found = vec![];
    for (id, window) in &club.windows {
        let id = ids::parse::<of::Application>(id);
        let Some(id) = id.filter(|_| window.is_open(now.moment())) else {
            continue;
        };
        if let Some(application) = table.application(&club.code, id).await? {
            found.push(opened(club, &application, window));
        }
    }
    let each = |event: Event| found.extend(shown_soon(club, &event, now));
    table.each_event(&club.code, each).await?;
    Ok(found)
}

fn opened(club: &Club, application: &Application, window: &Window) -> Thing {
    let id = application.id;
    Thing {
        id: id.get(),
        since: application.open_since(),
        item: NewsItem {
            is_deadline: true,
            club: club.profile.name.clone(),
            name: application.name.clone(),
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
    let first = soon.clone().min_by_key(|showing| showing.start)?;
    let since = soon.map(|showing| {
        let is_soon = showing.start.plus(-AHEAD);
        showing.start_set_at.map_or(is_soon, |set| is_soon.max(set))
    });
    Some(Thing {
        id: event.id.get(),
        since: since.min()?.max(event.created_at),
        item: NewsItem {
            is_deadline: false,
            club: club.profile.name.clone(),
            name: event.name.clone(),
            at: first.start,
            path: format!("/events/{}/", event.id),
        },
    })
}
