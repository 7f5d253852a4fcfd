//! A part of a catalogue in memory, and what it takes to bring it up to date.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::db::read::Range;
use crate::db::{Entity, Key, Table, TableError};
use crate::domain::catalogue::versions::{Change, Versions};

/// Reads are not isolated from a transaction that runs at the same time: a reader may get the new
/// version and then the item in its old state. So each changed item is read once more after this
/// time, when no transaction runs that long.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(1);

/// After this time the whole part is read again, in case all that was missed.
const LASTS: TimeDelta = TimeDelta::hours(6);

/// Counters are refreshed for at least so many items in one read.
const SLICE: usize = 25;

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

/// The items of a part, ordered by their keys.
pub type Items<L> = Arc<Vec<Arc<L>>>;

pub(super) struct Part<L> {
    pub(super) name: String,
    version: u64,
    /// When the whole part was read.
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
    /// The counters before this position are younger than the others, which are as of this time.
    refreshed: (usize, DateTime<Utc>),
}

/// What has to be read to bring a part up to date.
enum Due {
    Nothing,
    /// Single items, and the items at these positions.
    Some(Vec<String>, Slice),
    All,
}

type Slice = std::ops::Range<usize>;

/// What was read to bring a part up to date.
pub(super) enum Update<L: Listed> {
    Nothing,
    /// The items that were wanted, and what was found.
    Some(Vec<String>, Slice, Vec<L::Stored>),
    All(Part<L>),
}

/// Reads what `part` lacks.
pub(super) async fn read_update<L: Listed>(
    part: Option<&Part<L>>,
    table: &Table,
    name: &str,
    versions: &Versions,
    now: DateTime<Utc>,
) -> Result<Update<L>, TableError> {
    let due = part.map_or(Due::All, |part| part.due(versions, now));
    match (part, due) {
        (Some(_), Due::Nothing) => Ok(Update::Nothing),
        (Some(part), Due::Some(keys, slice)) => {
            let found = part.read(table, &keys, slice.clone()).await?;
            Ok(Update::Some(keys, slice, found))
        }
        _ => Ok(Update::All(Part::load(table, name, versions, now).await?)),
    }
}

impl<L: Listed> Part<L> {
    /// Reads a whole part.
    async fn load(
        table: &Table,
        name: &str,
        versions: &Versions,
        now: DateTime<Utc>,
    ) -> Result<Self, TableError> {
        let stored: Vec<L::Stored> = table.query(name.to_owned(), Range::All).await?;
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

    /// What has to be read so that the part includes all that `versions` knows.
    fn due(&self, versions: &Versions, now: DateTime<Utc>) -> Due {
        if (now - self.at).abs() > LASTS {
            return Due::All;
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
                return Due::All;
            }
        }
        let settled = |at: &DateTime<Utc>| (now - *at).abs() >= SETTLED_AFTER;
        let unsettled = self.unsettled.iter().filter(|(_, at)| settled(at));
        keys.extend(unsettled.map(|(key, _)| key.clone()));
        keys.sort_unstable();
        keys.dedup();
        let slice = self.slice(now);
        if keys.is_empty() && slice.is_empty() {
            Due::Nothing
        } else {
            Due::Some(keys, slice)
        }
    }

    /// The positions whose counters should be read now. Steady use reads a few each time, and a use
    /// after a pause reads all.
    fn slice(&self, now: DateTime<Utc>) -> Slice {
        let all = self.items.len();
        let (from, since) = self.refreshed;
        let Some(lasts) = L::COUNTERS_LAST.filter(|_| all > 0) else {
            return 0..0;
        };
        let age = usize::try_from((now - since).abs().num_milliseconds()).unwrap_or(usize::MAX);
        let lasts = usize::try_from(lasts.num_milliseconds()).unwrap_or(1);
        if age >= lasts {
            return 0..all;
        }
        let share = all * age / lasts;
        if share < SLICE.min(all) {
            return 0..0;
        }
        // One more than the share, because its fraction is lost each time.
        from..(from + share + 1).min(all)
    }

    /// Reads the items with these keys and at these positions.
    async fn read(
        &self,
        table: &Table,
        keys: &[String],
        slice: Slice,
    ) -> Result<Vec<L::Stored>, TableError> {
        let wanted = keys
            .iter()
            .map(|key| Key::new(self.name.clone(), key.clone()));
        let counters = async {
            match self.keys.get(slice).unwrap_or_default() {
                [from, .., to] | [from @ to] => {
                    let range = Range::Between(from.clone(), to.clone());
                    table.query(self.name.clone(), range).await
                }
                [] => Ok(vec![]),
            }
        };
        let (changed, mut found) = futures::try_join!(table.get_many(wanted.collect()), counters)?;
        found.extend(changed.into_entities());
        Ok(found)
    }

    /// Puts what was read in its place.
    pub(super) fn apply(&mut self, update: Update<L>, versions: &Versions, now: DateTime<Utc>) {
        let (keys, slice, found) = match update {
            Update::Nothing => return,
            Update::All(part) => return *self = part,
            Update::Some(keys, slice, found) => (keys, slice, found),
        };
        let mut items = Vec::clone(&self.items);
        let mut gone: HashSet<String> = self.keys[slice.clone()]
            .iter()
            .chain(&keys)
            .cloned()
            .collect();
        for item in found {
            let key = item.key().sk;
            gone.remove(&key);
            let listed = Arc::new(L::new(item));
            match self.keys.binary_search(&key) {
                Ok(position) => items[position] = listed,
                Err(position) => {
                    self.keys.insert(position, key);
                    items.insert(position, listed);
                }
            }
        }
        for key in gone {
            if let Ok(position) = self.keys.binary_search(&key) {
                self.keys.remove(position);
                items.remove(position);
            }
        }
        self.size = items.iter().map(|item| item.size()).sum();
        if !slice.is_empty() {
            let end = if slice.end >= items.len() {
                0
            } else {
                slice.end
            };
            self.refreshed = (end, now);
        }
        self.items = Arc::new(items);
        self.note(keys, versions, now);
    }

    /// Notes which changes the part has.
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
impl<L> Part<L> {
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
