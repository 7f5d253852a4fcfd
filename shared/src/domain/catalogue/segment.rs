//! A segment of a catalogue in memory, and what it takes to bring it up to date.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::read::Range as KeyRange;
use crate::db::{Entity, Key, Table, TableError};
use crate::domain::catalogue::versions::{Change, Versions};

/// Reads are not isolated from a transaction that runs at the same time: a reader may get the new
/// version and then the item in its old state. No transaction runs as long as this, so each changed
/// item is read once more after this time.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(1);

/// After this time the whole segment is read again, in case a change was missed all the same.
const LASTS: TimeDelta = TimeDelta::hours(1);

/// Counters are refreshed for at least so many items in one read.
const SLICE: usize = 25;

/// The counters of a smaller segment are refreshed all at once. In a larger one a slice waits for
/// at most a quarter of the time that counters last.
const SMALL: usize = 4 * SLICE;

/// An item of a catalogue.
pub trait Listed: Sized + Send + Sync + 'static {
    /// The stored form of the item.
    type Stored: Entity + 'static;
    /// How old what does not change the version may be: the counters. `None` if there are none.
    const COUNTERS_LAST: Option<TimeDelta> = None;

    /// Returns the form that is listed and searched.
    fn new(stored: Self::Stored) -> Self;

    /// Returns the approximate size in bytes.
    fn size(&self) -> usize;
}

/// The items of a segment, ordered by their keys.
pub type Items<L> = Arc<Vec<Arc<L>>>;

pub(super) struct Segment<L> {
    pub(super) name: String,
    version: u64,
    /// When the whole segment was read.
    at: DateTime<Utc>,
    /// The sort keys of the items.
    keys: Vec<String>,
    pub(super) items: Items<L>,
    pub(super) size: usize,
    /// The last use of the catalogue that needed this part.
    pub(super) used: u64,
    /// The changes that were seen and are still in the versions.
    seen: HashSet<String>,
    /// The items that were read soon after a change, and when.
    unsettled: Vec<(String, DateTime<Utc>)>,
    /// The position of the oldest counters, and when the last ones were read.
    refreshed: (usize, DateTime<Utc>),
}

/// What has to be read to bring a segment up to date.
enum Stale {
    Nothing,
    /// Single items, and the items at these positions.
    Some(Vec<String>, SegmentSlice),
    All,
    /// All, because not all changes are named.
    Unnamed,
}

/// Where it begins, and how many. It goes on at the beginning of the segment.
#[derive(Clone, Copy, Default)]
pub(super) struct SegmentSlice {
    from: usize,
    len: usize,
}

impl SegmentSlice {
    /// The positions whose counters should be read now, of a segment with `all` items. Steady use
    /// reads a few each time, and a use after a pause reads all.
    fn stale(
        all: usize,
        (from, since): (usize, DateTime<Utc>),
        now: DateTime<Utc>,
        lasts: TimeDelta,
    ) -> Self {
        if all == 0 {
            return Self::default();
        }
        let millis = |time: TimeDelta| usize::try_from(time.abs().num_milliseconds());
        let age = millis(now - since).unwrap_or(usize::MAX);
        let lasts = millis(lasts).unwrap_or(1);
        let len = if all < SMALL {
            if age < lasts { 0 } else { all }
        } else {
            // A quarter of the time is left for the wait until a slice is large enough.
            let share = all.saturating_mul(age) / (lasts * 3 / 4);
            if share < SLICE {
                0
            } else {
                (share + 1).min(all)
            }
        };
        Self {
            from: from % all,
            len,
        }
    }

    /// The slice as ranges in a segment with `all` items.
    fn ranges(self, all: usize) -> [Range<usize>; 2] {
        let end = self.from + self.len;
        [self.from..end.min(all), 0..end.saturating_sub(all)]
    }
}

/// What was read to bring a segment up to date.
pub(super) enum Update<L: Listed> {
    Nothing,
    /// The items that were wanted, and what was found.
    Some(Vec<String>, SegmentSlice, Vec<L::Stored>),
    All(Segment<L>),
}

/// Reads what `segment` lacks.
pub(super) async fn read_update<L: Listed>(
    segment: Option<&Segment<L>>,
    table: &Table,
    name: &str,
    versions: &Versions,
    now: DateTime<Utc>,
) -> Result<Update<L>, TableError> {
    let stale = segment.map_or(Stale::All, |segment| segment.stale(versions, now));
    match (segment, stale) {
        (Some(_), Stale::Nothing) => Ok(Update::Nothing),
        (Some(segment), Stale::Some(keys, slice)) => {
            let found = segment.read(table, &keys, slice).await?;
            Ok(Update::Some(keys, slice, found))
        }
        (_, stale) => {
            let mut segment = Segment::load(table, name, versions, now).await?;
            // What changed without a name is also read once more after a minute.
            if matches!(stale, Stale::Unnamed) {
                segment.at = now - LASTS + SETTLED_AFTER;
            }
            Ok(Update::All(segment))
        }
    }
}

impl<L: Listed> Segment<L> {
    /// Reads a whole segment.
    async fn load(
        table: &Table,
        name: &str,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Self, TableError> {
        let stored: Vec<L::Stored> = table.query(name.to_owned(), KeyRange::All).await?;
        let changes = versions.changes(name);
        let read = |change: &Change| (change.key.clone(), now);
        let keys = stored.iter().map(|item| item.key().sk).collect();
        let items: Vec<Arc<L>> = stored
            .into_iter()
            .map(|item| Arc::new(L::new(item)))
            .collect();
        Ok(Self {
            name: name.to_owned(),
            version: versions.of(name),
            at: now,
            keys,
            size: items.iter().map(|item| item.size()).sum(),
            items: Arc::new(items),
            used: 0,
            unsettled: changes.iter().map(read).collect(),
            seen: changes.into_iter().map(|change| change.id).collect(),
            refreshed: (0, now),
        })
    }

    /// What has to be read so that the segment includes all that `versions` knows.
    fn stale(&self, versions: &Versions, now: DateTime<Utc>) -> Stale {
        if (now - self.at).abs() >= LASTS {
            return Stale::All;
        }
        let mut keys: Vec<String> = Vec::new();
        // Another request may have read newer versions before.
        let missed = versions.of(&self.name).saturating_sub(self.version);
        if missed > 0 {
            let changes = versions.changes(&self.name);
            let new = changes
                .into_iter()
                .filter(|change| !self.seen.contains(&change.id));
            keys.extend(new.map(|change| change.key));
            // Some changes are not named, or not any more.
            if u64::try_from(keys.len()) != Ok(missed) {
                return Stale::Unnamed;
            }
        }
        let settled = |at: &DateTime<Utc>| (now - *at).abs() >= SETTLED_AFTER;
        let unsettled = self.unsettled.iter().filter(|(_, at)| settled(at));
        keys.extend(unsettled.map(|(key, _)| key.clone()));
        keys.sort_unstable();
        keys.dedup();
        let lasts = L::COUNTERS_LAST;
        let slice = lasts.map_or_else(SegmentSlice::default, |lasts| {
            SegmentSlice::stale(self.items.len(), self.refreshed, now, lasts)
        });
        if keys.is_empty() && slice.len == 0 {
            Stale::Nothing
        } else {
            Stale::Some(keys, slice)
        }
    }

    /// Reads the items with these keys and at these positions.
    async fn read(
        &self,
        table: &Table,
        keys: &[String],
        slice: SegmentSlice,
    ) -> Result<Vec<L::Stored>, TableError> {
        let requested = keys
            .iter()
            .map(|key| Key::new(self.name.clone(), key.clone()));
        let counters = async |range: Range<usize>| match self.keys.get(range).unwrap_or_default() {
            [from, .., to] | [from @ to] => {
                let range = KeyRange::Between(from.clone(), to.clone());
                table.query(self.name.clone(), range).await
            }
            [] => Ok(vec![]),
        };
        let [first, second] = slice.ranges(self.keys.len());
        let (changed, mut found, more) = futures::try_join!(
            table.get_many(requested.collect()),
            counters(first),
            counters(second)
        )?;
        found.extend::<Vec<L::Stored>>(more);
        found.extend(changed.into_entities());
        Ok(found)
    }

    /// Puts what was read in its place.
    pub(super) fn apply(&mut self, update: Update<L>, versions: &Versions, now: DateTime<Utc>) {
        let (keys, slice, found) = match update {
            Update::Nothing => return,
            Update::All(segment) => return *self = segment,
            Update::Some(keys, slice, found) => (keys, slice, found),
        };
        let mut items = Vec::clone(&self.items);
        let counted = slice.ranges(self.keys.len()).into_iter();
        let counted = counted.filter_map(|range| self.keys.get(range));
        let mut missing: HashSet<String> = counted.flatten().chain(&keys).cloned().collect();
        for item in found {
            let key = item.key().sk;
            missing.remove(&key);
            let listed = Arc::new(L::new(item));
            match self.keys.binary_search(&key) {
                Ok(position) => items[position] = listed,
                Err(position) => {
                    self.keys.insert(position, key);
                    items.insert(position, listed);
                }
            }
        }
        for key in missing {
            if let Ok(position) = self.keys.binary_search(&key) {
                self.keys.remove(position);
                items.remove(position);
            }
        }
        self.size = items.iter().map(|item| item.size()).sum();
        if slice.len > 0 {
            self.refreshed = (slice.from + slice.len, now);
        }
        self.items = Arc::new(items);
        self.note(keys, versions, now);
    }

    /// Notes which changes the segment has.
    fn note(&mut self, read: Vec<String>, versions: &Versions, now: DateTime<Utc>) {
        let read: HashSet<String> = read.into_iter().collect();
        self.unsettled.retain(|(key, _)| !read.contains(key));
        if versions.of(&self.name) < self.version {
            return;
        }
        self.version = versions.of(&self.name);
        let changes = versions.changes(&self.name);
        for change in &changes {
            if !self.seen.contains(&change.id) {
                self.unsettled.push((change.key.clone(), now));
            }
        }
        self.seen = changes.into_iter().map(|change| change.id).collect();
    }
}

#[cfg(test)]
impl<L> Segment<L> {
    pub(super) fn empty(used: u64, size: usize) -> Self {
        Self {
            name: String::new(),
            version: 1,
            at: DateTime::default(),
            keys: vec![],
            items: Arc::default(),
            size,
            used,
            seen: HashSet::new(),
            unsettled: vec![],
            refreshed: (0, DateTime::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves C9
    #[test]
    fn counters_are_at_most_five_minutes_old() {
        let lasts = TimeDelta::minutes(5);
        for all in [1, 2, 26, 27, 30, 49, 50, 99, 100, 105, 130, 1250] {
            // Seconds between two lists, repeated.
            for pauses in [
                &[1][..],
                &[7],
                &[61],
                &[1, 1, 1, 290],
                &[299],
                &[140, 20],
                &[301],
            ] {
                let mut now = DateTime::<Utc>::default();
                let mut read = vec![now; all];
                let mut refreshed = (0, now);
                for pause in pauses.iter().cycle().take(2_000) {
                    now += TimeDelta::seconds(*pause);
                    let slice = SegmentSlice::stale(all, refreshed, now, lasts);
                    for position in slice.ranges(all).into_iter().flatten() {
                        read[position] = now;
                    }
                    if slice.len > 0 {
                        refreshed = (slice.from + slice.len, now);
                    }
                    let oldest = read.iter().map(|at| now - *at).max();
                    assert!(oldest <= Some(lasts), "{all} items, {pauses:?}: {oldest:?}");
                }
            }
        }
    }
}
