//! Events; their copies in the catalogue, by the month in which they end; and the items that find
//! the club of an event by the event's id.

use serde::{Deserialize, Serialize};

use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::catalogue::versions::{invalidate, invalidate_segments};
use crate::domain::club;
use crate::domain::event::keys;
use crate::domain::event::model::{Event, EventText};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::limits;
use crate::text::ClubCode;
use crate::text::html::{beginning, beginning_of};

impl Entity for Event {
    const KIND: Kind = Kind::Event;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::event(&self.club, self.id)
    }
}

impl Entity for EventText {
    const KIND: Kind = Kind::EventText;

    fn key(&self) -> Key {
        keys::event_text(&self.club, self.event)
    }
}

/// The copy of an event in the catalogue. It exists only while the event has showings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EventListing {
    /// The catalogue segment (partition) that holds this copy.
    pub segment: String,
    /// The event, with a shortened description.
    pub event: Event,
}

impl Entity for EventListing {
    const KIND: Kind = Kind::EventListing;

    fn key(&self) -> Key {
        keys::event_listing(&self.segment, self.event.id)
    }
}

/// The club that an event belongs to. It never changes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EventClub {
    pub(crate) event: Id<of::Event>,
    pub(crate) club: ClubCode,
}

impl Entity for EventClub {
    const KIND: Kind = Kind::EventClub;

    fn key(&self) -> Key {
        keys::event_club(self.event)
    }
}

/// Returns the segment of the catalogue that has a copy of an event; none if it has no showings.
pub fn segment_of(event: &Event) -> Option<String> {
    event
        .span()
        .map(|span| keys::events(&span.ends.1.to_string()))
}

/// Returns an event as lists across clubs store it: with only the beginning of its description.
pub fn listed(event: &Event) -> Event {
    Event {
        description: beginning(&event.description),
        text: None,
        ..event.clone()
    }
}

/// Splits an event into the item that lists of its club read, and its whole description if that is
/// longer.
fn split(event: &Event) -> (Event, Option<EventText>) {
    let short = beginning_of(&event.description, limits::EVENT_DESCRIPTION);
    let whole = (short != event.description).then(|| EventText {
        event: event.id,
        club: event.club.clone(),
        version: event.version,
        description: event.description.clone(),
    });
    let item = Event {
        description: short,
        text: whole.as_ref().map(|whole| whole.version),
        ..event.clone()
    };
    (item, whole)
}

/// Returns the write of the whole description that belongs to the write of an event.
fn write_text(event: &Event, whole: Option<&EventText>) -> Result<Write, TableError> {
    match whole {
        Some(whole) => Write::put(whole),
        None => Ok(Write::delete(keys::event_text(&event.club, event.id))),
    }
}

fn listing(event: &Event) -> Option<EventListing> {
    segment_of(event).map(|segment| EventListing {
        segment,
        event: listed(event),
    })
}

impl Table {
    /// Returns the events of a club, each with the beginning of its description: 1 query.
    pub async fn events(&self, club: &ClubCode) -> Result<Vec<Event>, TableError> {
        self.query(
            club::keys::club_items(club),
            Range::Prefix(keys::EVENTS.into()),
        )
        .await
    }

    /// Passes the events of a club to `each`, with one page of them in memory: 1 query.
    pub async fn each_event(
        &self,
        club: &ClubCode,
        mut each: impl FnMut(Event),
    ) -> Result<(), TableError> {
        let (pk, range) = (
            club::keys::club_items(club),
            Range::Prefix(keys::EVENTS.into()),
        );
        self.each_page(false, pk, range, Fetch::Items, |page: Vec<Event>| {
            page.into_iter().for_each(&mut each);
            Ok(true)
        })
        .await
    }

    /// Returns an event of a club with its whole description: 1 batch read, repeated if the two
    /// items do not match.
    pub async fn event(
        &self,
        club: &ClubCode,
        id: Id<of::Event>,
    ) -> Result<Option<Event>, TableError> {
        let (head, text) = (keys::event(club, id), keys::event_text(club, id));
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let mut found = self.get_many(vec![head.clone(), text.clone()]).await?;
            let Some(mut event) = found.take::<Event>(&head)? else {
                return Ok(None);
            };
            let Some(version) = event.text.take() else {
                return Ok(Some(event));
            };
            let whole = found.take::<EventText>(&text)?;
            if let Some(whole) = whole.filter(|whole| whole.version == version) {
                event.description = whole.description;
                return Ok(Some(event));
            }
        }
    }

    /// Returns the club of an event: 1 read.
    pub async fn club_of_event(&self, id: Id<of::Event>) -> Result<Option<ClubCode>, TableError> {
        Ok(self
            .get::<EventClub>(keys::event_club(id))
            .await?
            .map(|found| found.club))
    }

    /// Stores a new event and counts it. Refused as [`Refusal::Quota`] if the club already has
    /// `limit` events.
    pub async fn create_event(
        &self,
        event: &Event,
        limit: Option<usize>,
    ) -> Result<(), TableError> {
        let pointer = EventClub {
            event: event.id,
            club: event.club.clone(),
        };
        let count = Write::update(club::keys::club(&event.club))
            .count("events", 1)
            .if_exists();
        let count = match limit {
            Some(limit) => count.if_below("events", &limit),
            None => count,
        };
        let (item, whole) = split(event);
        let mut writes = vec![
            Write::create(&item)?.or(Refusal::Exists),
            Write::create(&pointer)?.or(Refusal::Exists),
            count.or(Refusal::Quota),
        ];
        writes.extend(whole.as_ref().map(Write::put).transpose()?);
        writes.extend(
            Self::relist(None, event)?
                .into_iter()
                .map(|write| write.or(Refusal::Exists)),
        );
        self.transact(writes).await
    }

    /// Replaces an event, and stores what belongs to it. Refused if it no longer has the version of
    /// `old`.
    pub async fn update_event(
        &self,
        old: &Event,
        new: &Event,
        beside: Vec<Write>,
    ) -> Result<(), TableError> {
        let (item, whole) = split(new);
        let mut writes = vec![Write::put(&item)?.if_equals("version", &old.version)];
        if whole.is_some() || split(old).1.is_some() {
            writes.push(write_text(new, whole.as_ref())?);
        }
        writes.extend(Self::relist(Some(old), new)?);
        writes.extend(beside);
        self.transact(writes).await
    }

    /// Deletes an event. Refused if it no longer has the version of `event`.
    pub async fn delete_event(&self, event: &Event) -> Result<(), TableError> {
        let mut writes = vec![
            Write::delete_with_tombstone(event.key()).if_equals("version", &event.version),
            Write::delete(keys::event_club(event.id)),
            Write::delete(keys::event_text(&event.club, event.id)),
            Write::update(club::keys::club(&event.club))
                .count("events", -1)
                .if_exists(),
        ];
        let without_showings = Event {
            showings: vec![],
            ..event.clone()
        };
        writes.extend(Self::relist(Some(event), &without_showings)?);
        self.transact(writes).await
    }

    /// Stores events as they are. Only for loading data into a table that has no other writers.
    pub async fn load_events(&self, events: &[Event]) -> Result<(), TableError> {
        let clubs: Vec<EventClub> = events
            .iter()
            .map(|event| EventClub {
                event: event.id,
                club: event.club.clone(),
            })
            .collect();
        self.load(events).await?;
        self.load(&clubs).await?;
        self.load_listings(events).await
    }

    /// Stores only the catalogue copies of events. Lists across clubs read nothing else.
    pub async fn load_listings(&self, events: &[Event]) -> Result<(), TableError> {
        let listings: Vec<EventListing> = events.iter().filter_map(listing).collect();
        self.load(&listings).await?;
        let mut months: Vec<String> = listings
            .iter()
            .map(|listing| listing.segment.clone())
            .collect();
        months.sort();
        months.dedup();
        if months.is_empty() {
            Ok(())
        } else {
            self.write(invalidate_segments(months)).await.map(drop)
        }
    }

    /// Returns the writes that update the catalogue when an event changes from `old` to `new`.
    /// While it moves to another segment, a list that reads both at this moment may show it in
    /// neither; the next one reads them again.
    fn relist(old: Option<&Event>, new: &Event) -> Result<Vec<Write>, TableError> {
        let current = listing(new);
        let left = old.and_then(segment_of);
        let left = left.filter(|left| current.as_ref().is_none_or(|one| one.segment != *left));
        let left = left.map(|left| keys::event_listing(&left, new.id));
        let put = current.as_ref().map(Write::put).transpose()?;
        let moved: Vec<Key> = current
            .iter()
            .map(Entity::key)
            .chain(left.clone())
            .collect();
        let moved = (!moved.is_empty()).then(|| invalidate(&moved));
        let delete = left.map(Write::delete);
        Ok(put.into_iter().chain(delete).chain(moved).collect())
    }
}
