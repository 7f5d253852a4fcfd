//! The versions of the catalogue segments. All of them are in one item, and every list reads it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::db::response::Stored;
use crate::db::{Key, Table, TableError, Write};
use crate::domain::keys;
use crate::time::Timestamp;

/// The value of the item's `type` attribute.
const TYPE: &str = "Version";

/// The beginning of the names of the attributes with the last changes.
const SLOT_NAME: &str = "change";

/// The item also names the last changes, so that who saw the versions before them reads only what
/// changed. Each has one of these places. More would make the item larger than 1 KB, and every
/// write of the catalogue dearer.
const CHANGE_SLOTS: usize = 8;

/// The versions of all segments. A segment is a partition of the table; both have the same name.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    versions: HashMap<String, u64>,
    changes: Vec<(String, Change)>,
}

/// A change of an item of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// Differs for each change.
    pub(crate) id: String,
    /// The sort key of the item.
    pub(crate) key: String,
}

impl Change {
    /// Reads a change and the name of its segment.
    fn parse(text: &str) -> Option<(String, Self)> {
        let mut words = text.splitn(3, ' ').map(str::to_owned);
        let (id, segment, key) = (words.next()?, words.next()?, words.next()?);
        Some((segment, Self { id, key }))
    }
}

impl Versions {
    /// Reads the versions from the item. If there is no item, nothing was ever written.
    pub(crate) fn of_item(item: Option<Stored>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::default());
        };
        let all: HashMap<String, Value> = item.read()?;
        let change_slots = all.iter().filter(|(name, _)| name.starts_with(SLOT_NAME));
        let changes = change_slots.filter_map(|(_, value)| Change::parse(value.as_str()?));
        let changes = changes.collect();
        let number = |(name, value): (String, Value)| Some((name, value.as_u64()?));
        Ok(Self {
            versions: all.into_iter().filter_map(number).collect(),
            changes,
        })
    }

    /// Returns whether nothing was ever written.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Returns the version of a segment; 0 if nothing was ever written there.
    pub fn of(&self, segment: &str) -> u64 {
        self.versions.get(segment).copied().unwrap_or_default()
    }

    /// Returns the last changes of a segment that are still named.
    pub(crate) fn changes(&self, segment: &str) -> Vec<Change> {
        let own = self.changes.iter().filter(|(of, _)| of == segment);
        own.map(|(_, change)| change.clone()).collect()
    }

    /// Returns the segments with events whose last showing ends between `from` and `to`, in order
    /// of time. Segments are whole months, so they may contain other events too.
    pub fn event_segments(&self, from: Option<Timestamp>, to: Option<Timestamp>) -> Vec<String> {
        let segment = |time: Timestamp| keys::events(&time.to_string());
        let (from, to) = (from.map(segment), to.map(segment));
        let all = self
            .versions
            .keys()
            .filter(|segment| segment.starts_with(keys::EVENT_PARTS));
        let inside = all.filter(|segment| {
            from.as_ref().is_none_or(|from| *segment >= from)
                && to.as_ref().is_none_or(|to| *segment <= to)
        });
        let mut segments: Vec<String> = inside.cloned().collect();
        segments.sort();
        segments
    }
}

/// Each segment once, with the number of its items.
fn segments_of(items: &[Key]) -> Vec<(i64, String)> {
    let mut numbers: BTreeMap<&str, i64> = BTreeMap::new();
    for item in items {
        *numbers.entry(&item.pk).or_default() += 1;
    }
    let each = numbers.into_iter();
    each.map(|(segment, number)| (number, segment.to_owned()))
        .collect()
}

/// Returns the write that makes everybody read these segments again. It follows a load of data.
pub(crate) fn invalidate_segments(segments: impl IntoIterator<Item = String>) -> Write {
    segments.into_iter().fold(
        Write::update(keys::versions()).set("type", &TYPE),
        |write, segment| write.add(&segment, 1),
    )
}

impl Table {
    /// Opens the connection, so that the first request does not have to wait for it: 1 read.
    pub async fn warm_up(&self) -> Result<(), TableError> {
        self.read(keys::versions()).await.map(drop)
    }

    /// Returns the versions of all segments: 1 read.
    pub async fn versions(&self) -> Result<Versions, TableError> {
        Versions::of_item(self.read(keys::versions()).await?)
    }

    /// Returns the versions as they were a moment ago: 1 read, for half the price.
    pub async fn eventual_versions(&self) -> Result<Versions, TableError> {
        Versions::of_item(self.get_all(vec![keys::versions()], false).await?.pop())
    }

    /// Returns the write that increases the versions of the segments of these items and names the
    /// changes, so that warm functions read the items again. It is part of the transaction that
    /// changes them.
    pub(crate) fn invalidate(&self, items: &[Key]) -> Write {
        let mut write = Write::update(keys::versions()).set("type", &TYPE);
        for (number, segment) in segments_of(items) {
            write = write.add(&segment, number);
        }
        if items.len() > CHANGE_SLOTS {
            return write;
        }
        // Without a random number a change may have the id of another one. Then nobody finds as
        // many changes as the versions say, and the whole segment is read.
        let mut random = [0; 4];
        let _ = aws_lc_rs::rand::fill(&mut random);
        let id = u32::from_be_bytes(random);
        let number = u8::try_from(items.len()).unwrap_or_default();
        let first = self.changes.fetch_add(number, Ordering::Relaxed);
        for (at, item) in items.iter().enumerate() {
            let change_slot = (usize::from(first) + at) % CHANGE_SLOTS;
            let change = format!("{id:08x}{at} {} {}", item.pk, item.sk);
            write = write.set(&format!("{SLOT_NAME}{change_slot}"), &change);
        }
        write
    }
}
