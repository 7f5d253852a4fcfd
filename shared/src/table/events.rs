//! Events, their listings by the month in which they end, and where an event is found by its id alone.

use serde::{Deserialize, Serialize};

use super::catalogue::moved;
use super::{Entity, Key, Range, Table, TableError, Write, keys};
use crate::models::Event;

impl Entity for Event {
    const TYPE: &'static str = "Event";

    fn key(&self) -> Key {
        keys::event(&self.club, self.id)
    }
}

/// The copy of an event in the catalogue, as long as it has showings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EventListing {
    /// The event.
    pub event: Event,
}

impl Entity for EventListing {
    const TYPE: &'static str = "EventListing";

    fn key(&self) -> Key {
        let end = self.event.span().map_or_else(String::new, |span| span.ends.1.to_string());
        keys::event_listing(&end, self.event.id)
    }
}

/// Which club an event belongs to; never changes.
#[derive(Debug, Serialize, Deserialize)]
struct EventClub {
    event: u64,
    club: String,
}

impl Entity for EventClub {
    const TYPE: &'static str = "EventClub";

    fn key(&self) -> Key {
        keys::event_club(self.event)
    }
}

fn listing(event: &Event) -> Option<EventListing> {
    event.span().map(|_| EventListing { event: event.clone() })
}

impl Table {
    /// The events of a club: 1 query.
    pub async fn events(&self, club: &str) -> Result<Vec<Event>, TableError> {
        self.query(keys::club_items(club), Range::Prefix(keys::EVENTS.into())).await
    }

    /// An event of a club: 1 read.
    pub async fn event(&self, club: &str, id: u64) -> Result<Option<Event>, TableError> {
        self.get(keys::event(club, id)).await
    }

    /// The club of an event: 1 read.
    pub async fn club_of_event(&self, id: u64) -> Result<Option<String>, TableError> {
        Ok(self.get::<EventClub>(keys::event_club(id)).await?.map(|found| found.club))
    }

    /// Stores a new event.
    pub async fn create_event(&self, event: &Event) -> Result<(), TableError> {
        let pointer = EventClub { event: event.id, club: event.club.clone() };
        let mut writes = vec![Write::put(event)?.if_new(), Write::put(&pointer)?.if_new()];
        writes.extend(relist(None, Some(event))?);
        self.transact(writes).await
    }

    /// Replaces an event. Refused (0) if it is no longer at the version of `old`.
    pub async fn update_event(&self, old: &Event, new: &Event) -> Result<(), TableError> {
        let mut writes = vec![Write::put(new)?.if_equals("version", &old.version)];
        writes.extend(relist(Some(old), Some(new))?);
        self.transact(writes).await
    }

    /// Deletes an event. Refused (0) if it is no longer at the version of `event`.
    pub async fn delete_event(&self, event: &Event) -> Result<(), TableError> {
        let mut writes = vec![Write::delete(event.key()).if_equals("version", &event.version), Write::delete(keys::event_club(event.id))];
        writes.extend(relist(Some(event), None)?);
        self.transact(writes).await
    }

    /// Stores events as they are: for loading data into a table that nobody else writes.
    pub async fn load_events(&self, events: &[Event]) -> Result<(), TableError> {
        let clubs: Vec<EventClub> = events.iter().map(|event| EventClub { event: event.id, club: event.club.clone() }).collect();
        self.load(events).await?;
        self.load(&clubs).await?;
        self.load_listings(events).await
    }

    /// Lists events as they are, which is all that lists across clubs read.
    pub async fn load_listings(&self, events: &[Event]) -> Result<(), TableError> {
        let listings: Vec<EventListing> = events.iter().filter_map(listing).collect();
        self.load(&listings).await?;
        let mut months: Vec<String> = listings.iter().map(|listing| listing.key().pk).collect();
        months.sort();
        months.dedup();
        if months.is_empty() { Ok(()) } else { self.write(moved(months)).await.map(drop) }
    }
}

/// The writes that bring the catalogue from one state of an event to another.
fn relist(old: Option<&Event>, new: Option<&Event>) -> Result<Vec<Write>, TableError> {
    let (old, new) = (old.and_then(listing), new.and_then(listing));
    let (before, now) = (old.as_ref().map(Entity::key), new.as_ref().map(Entity::key));
    let mut writes: Vec<Write> = before.clone().filter(|key| Some(key) != now.as_ref()).map(Write::delete).into_iter().collect();
    if let Some(new) = &new {
        writes.push(Write::put(new)?);
    }
    let mut months: Vec<String> = [before, now].into_iter().flatten().map(|key| key.pk).collect();
    months.dedup();
    if !months.is_empty() {
        writes.push(moved(months));
    }
    Ok(writes)
}
