//! Catalogues in memory, in segments: clubs by a hash of their code, events by month, and the
//! collections that admins edit. Each segment has a version, which every write increases in its
//! transaction. A list reads the versions, and again each segment that moved.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use tokio::sync::Mutex;

use crate::db::read::Range;
use crate::db::{Entity, PARALLEL, Table, TableError};
use crate::domain::catalogue::versions::Versions;

/// Memory for the segments of one catalogue, in bytes as counted by [`Listed::size`]. If more is
/// needed, the segments that were not used recently are removed.
const MAX_CATALOGUE_BYTES: usize = 96 * 1024 * 1024;

/// Reads are not isolated from a transaction that runs at the same time: a reader may get the new
/// version and then an item in its old state. No transaction runs as long as this, so a segment is
/// read once more after this time.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(1);

/// After this time a segment is read again, in case a change was missed all the same.
const LASTS: TimeDelta = TimeDelta::hours(1);

/// An item of a catalogue.
pub trait Listed: Sized + Send + Sync + 'static {
    /// The stored form of the item.
    type Stored: Entity + 'static;
    /// How old what does not change the version may be: the counters of clubs.
    const LASTS: TimeDelta = LASTS;

    /// Returns the form that is listed and searched.
    fn new(stored: Self::Stored) -> Self;

    /// Returns the approximate size in bytes.
    fn size(&self) -> usize;
}

/// The items of a segment, ordered by their keys.
pub type Items<L> = Arc<Vec<L>>;

struct Segment<L> {
    version: u64,
    items: Items<L>,
    size: usize,
    /// When it is read again, also if its version is the same.
    until: DateTime<Utc>,
    /// The last use of the catalogue that needed this segment.
    used: u64,
}

impl<L: Listed> Segment<L> {
    /// Returns whether it is as `versions` says. Another request may have read newer versions
    /// before.
    fn is_current(&self, version: u64, now: DateTime<Utc>) -> bool {
        self.version >= version && now < self.until
    }

    /// Reads a segment. It is read again soon, unless nothing changed since it was read before.
    async fn load(
        table: &Table,
        name: &str,
        version: u64,
        is_settled: bool,
        now: DateTime<Utc>,
    ) -> Result<Self, TableError> {
        let stored: Vec<L::Stored> = table.query(name.to_owned(), Range::All).await?;
        let items: Vec<L> = stored.into_iter().map(L::new).collect();
        let lasts = if is_settled { L::LASTS } else { SETTLED_AFTER };
        Ok(Self {
            version,
            size: items.iter().map(L::size).sum(),
            items: Arc::new(items),
            until: now + lasts,
            used: 0,
        })
    }
}

/// Where an item is: the number of its segment in the request, and its position there.
#[derive(Debug, Clone, Copy)]
pub struct ListedAt {
    /// The number of the segment.
    pub segment: usize,
    /// The position in the segment.
    pub position: usize,
}

/// The items of several segments, in the order of the request.
pub type SegmentItems<L> = Vec<Items<L>>;

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
    /// write whose response was sent before `versions` was read. Segments that were never written
    /// are not read at all.
    pub async fn segments(
        &self,
        table: &Table,
        versions: &Versions,
        requested_names: &[String],
        now: DateTime<Utc>,
    ) -> Result<SegmentItems<L>, TableError> {
        // The lock is held while loading, so that concurrent requests wait for the same load.
        let mut loaded = self.0.lock().await;
        let loaded = &mut *loaded;
        loaded.uses += 1;
        let stale = requested_names.iter().filter_map(|name| {
            let (version, old) = (versions.of(name), loaded.segments.get(name));
            let is_current = old.is_some_and(|old| old.is_current(version, now));
            let is_settled = old.is_some_and(|old| old.version >= version);
            (version > 0 && !is_current).then(|| (name.clone(), version, is_settled))
        });
        let stale: Vec<(String, u64, bool)> = stale.collect();
        let reads = stream::iter(stale).map(async |(name, version, is_settled)| {
            let segment = Segment::load(table, &name, version, is_settled, now).await?;
            Ok::<_, TableError>((name, segment))
        });
        let read: Vec<_> = reads.buffer_unordered(PARALLEL).try_collect().await?;
        loaded.segments.extend(read);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_segments_are_dropped_when_memory_is_full() {
        let third = MAX_CATALOGUE_BYTES / 3 + 1;
        let segment = |used, size| Segment::<()> {
            version: 1,
            items: Arc::default(),
            size,
            until: DateTime::default(),
            used,
        };
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
