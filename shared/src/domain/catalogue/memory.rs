//! Catalogues in memory. A warm function can answer a list with one read: the versions of the
//! segments of the catalogue.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use tokio::sync::Mutex;

use crate::db::{PARALLEL, Table, TableError};
use crate::domain::catalogue::segment::{Items, Listed, Segment, Update, read_update};
use crate::domain::catalogue::versions::Versions;
use crate::domain::club::model::Club;
use crate::domain::event::model::{Event, Showing, Span};
use crate::domain::event::store::EventListing;
use crate::domain::keys;
use crate::text::{ClubCode, html};
use crate::{ids, text};

/// Memory for the segments of one catalogue, in bytes as counted by [`Listed::size`]. If more is
/// needed, the segments that were not used recently are removed.
const MAX_CATALOGUE_BYTES: usize = 96 * 1024 * 1024;

/// Where an item is: the number of its segment in the request, and its position there.
#[derive(Debug, Clone, Copy)]
pub struct ListedAt {
    /// The number of the segment.
    pub segment: usize,
    /// The position in the segment.
    pub position: usize,
}

/// The items of several segments, in the order of the request.
pub type PartItems<L> = Vec<Items<L>>;

/// The segments of a catalogue in memory, each with its version.
pub struct Catalogue<L>(Mutex<Loaded<L>>);

struct Loaded<L> {
    segments: HashMap<String, Segment<L>>,
    /// How often the catalogue was used.
    uses: u64,
}

impl<L> Default for Catalogue<L> {
    fn default() -> Self {
        Self(Mutex::new(Loaded {
            segments: HashMap::new(),
            uses: 0,
        }))
    }
}

impl<L: Listed> Catalogue<L> {
    /// Returns the items of these segments, in the order of their keys. The result includes every
    /// write whose response was sent before `versions` was read. Of a segment in memory only what
    /// changed is read, and segments that were never written are not read at all.
    pub async fn segments(
        &self,
        table: &Table,
        versions: &Versions,
        requested_names: &[String],
        now: DateTime<Utc>,
    ) -> Result<PartItems<L>, TableError> {
        // The lock is held while loading, so that concurrent requests wait for the same load.
        let mut loaded = self.0.lock().await;
        let loaded = &mut *loaded;
        loaded.uses += 1;
        let segments = &loaded.segments;
        let written = requested_names
            .iter()
            .filter(|name| versions.of(name) > 0)
            .cloned();
        let reads = stream::iter(written.collect::<Vec<String>>()).map(async |name| {
            let update = read_update(segments.get(&name), table, &name, versions, now).await?;
            Ok::<_, TableError>((name, update))
        });
        let updates: Vec<_> = reads.buffer_unordered(PARALLEL).try_collect().await?;
        for (name, update) in updates {
            match (loaded.segments.get_mut(&name), update) {
                (Some(segment), update) => segment.apply(update, versions, now),
                (None, Update::All(segment)) => drop(loaded.segments.insert(name, segment)),
                (None, _) => {}
            }
        }
        let mut items = Vec::with_capacity(requested_names.len());
        for name in requested_names {
            let segment = loaded
                .segments
                .get_mut(name)
                .filter(|_| versions.of(name) > 0);
            items.push(segment.map_or_else(Arc::default, |segment| {
                segment.used = loaded.uses;
                segment.items.clone()
            }));
        }
        loaded.shrink();
        Ok(items)
    }
}

impl<L> Loaded<L> {
    /// Removes segments that this use did not need, the least recently used first, until the rest
    /// fits.
    fn shrink(&mut self) {
        let mut size: usize = self.segments.values().map(|segment| segment.size).sum();
        while size > MAX_CATALOGUE_BYTES {
            let unused = self
                .segments
                .iter()
                .filter(|(_, segment)| segment.used < self.uses)
                .min_by_key(|(_, segment)| segment.used);
            let Some(name) = unused.map(|(name, _)| name.clone()) else {
                return;
            };
            size -= self
                .segments
                .remove(&name)
                .map_or(0, |segment| segment.size);
        }
    }
}

/// A club in a list, with its searchable text.
pub struct ListedClub {
    /// The club.
    pub club: Club,
    /// Name, code, subtitle and the text of the description, folded (no case, no diacritics).
    pub text: String,
    /// The name, folded.
    pub name: String,
    /// A number derived from the code. It decides the order of clubs that are otherwise equal.
    pub tie_break: u64,
}

impl Listed for ListedClub {
    type Stored = Club;
    /// C9
    const COUNTERS_LAST: Option<TimeDelta> = Some(TimeDelta::minutes(5));

    fn new(club: Club) -> Self {
        let profile = &club.profile;
        let texts = [
            profile.name.as_str(),
            &club.code,
            &profile.subtitle,
            &html::to_words(&profile.description),
        ]
        .join("\n");
        Self {
            text: text::searchable(&texts),
            name: text::searchable(&profile.name),
            tie_break: ids::derived("lot", &[&club.code]),
            club,
        }
    }

    fn size(&self) -> usize {
        self.club.profile.description.len() + self.text.len() + 1_000
    }
}

/// All clubs, including archived ones and those that wait for approval.
pub struct Clubs(PartItems<ListedClub>);

impl Clubs {
    /// Returns all clubs, segment by segment.
    pub fn iter(&self) -> impl Iterator<Item = &ListedClub> {
        self.0
            .iter()
            .flat_map(|segment| segment.iter().map(Arc::as_ref))
    }

    /// Returns where the club that hosts an event is.
    pub fn host(&self, listed: &ListedEvent) -> Option<ListedAt> {
        let (segment, code) = (listed.club_part, &listed.event.club);
        let position = self
            .0
            .get(segment)?
            .binary_search_by(|club| club.club.code.cmp(code));
        position.ok().map(|position| ListedAt { segment, position })
    }

    /// Returns the club at a position that [`Clubs::host`] returned.
    pub fn at(&self, listed_at: ListedAt) -> &ListedClub {
        &self.0[listed_at.segment][listed_at.position]
    }

    /// Returns the club with this code.
    pub fn get(&self, code: &ClubCode) -> Option<&ListedClub> {
        let segment = self.0.get(usize::try_from(keys::club_part(code)).ok()?)?;
        let position = segment
            .binary_search_by(|listed| listed.club.code.cmp(code))
            .ok()?;
        segment.get(position).map(Arc::as_ref)
    }
}

/// Returns the names of the segments of the catalogue that contain clubs.
pub fn club_segments() -> Vec<String> {
    (0..keys::CLUB_PARTS).map(keys::clubs).collect()
}

impl Catalogue<ListedClub> {
    /// Returns all clubs.
    pub async fn clubs(
        &self,
        table: &Table,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Clubs, TableError> {
        self.segments(table, versions, &club_segments(), now)
            .await
            .map(Clubs)
    }
}

/// An event in a list, with its searchable text.
pub struct ListedEvent {
    /// The event.
    pub event: Event,
    /// Name and the text of the description, folded.
    pub text: String,
    /// When its showings start and end. It is what lists are ordered by.
    pub span: Option<Span>,
    /// The number of the segment of the catalogue that has its club.
    pub club_part: usize,
}

impl Listed for ListedEvent {
    type Stored = EventListing;

    fn new(EventListing { event, .. }: EventListing) -> Self {
        let texts = [event.name.as_str(), &html::to_words(&event.description)].join("\n");
        Self {
            text: text::searchable(&texts),
            span: event.span(),
            club_part: usize::try_from(keys::club_part(&event.club)).unwrap_or_default(),
            event,
        }
    }

    fn size(&self) -> usize {
        let showings = self.event.showings.iter();
        let location = |showing: &Showing| showing.location.as_ref().map_or(0, String::len);
        let showings: usize = showings.map(|showing| location(showing) + 200).sum();
        self.event.description.len() + self.text.len() + showings + 500
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_segments_are_dropped_when_memory_is_full() {
        let segment = Segment::<()>::empty;
        let third = MAX_CATALOGUE_BYTES / 3 + 1;
        let segments = [
            ("old", segment(1, third)),
            ("small", segment(2, 10)),
            ("young", segment(3, third)),
            ("now", segment(4, third)),
        ];
        let mut loaded = Loaded {
            segments: segments
                .map(|(name, segment)| (name.to_owned(), segment))
                .into(),
            uses: 4,
        };
        loaded.shrink();
        let mut names: Vec<&str> = loaded.segments.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["now", "small", "young"],
            "the longest unused goes, and no more than it takes"
        );
        // The segments of the current request stay, whatever their size.
        loaded
            .segments
            .insert("huge".into(), segment(4, MAX_CATALOGUE_BYTES));
        loaded.shrink();
        assert!(
            loaded.segments.contains_key("huge")
                && loaded.segments.contains_key("now")
                && loaded.segments.len() == 2
        );
    }
}
