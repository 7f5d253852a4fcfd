//! The versions of the catalogue segments. All of them are in one item, and every list reads it.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::db::response::Stored;
use crate::db::{Key, Table, TableError, Write};
use crate::domain::catalogue::keys;
use crate::kind::Kind;

/// The value of the item's `type` attribute.
const TYPE: &str = Kind::Version.name();

/// The versions of all segments. A segment is a partition of the table; both have the same name.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    versions: HashMap<String, u64>,
}

impl Versions {
    /// Reads the versions from the item. If there is no item, nothing was ever written.
    pub(crate) fn of_item(item: Option<Stored>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::default());
        };
        let all: HashMap<String, Value> = item.read()?;
        let number = |(name, value): (String, Value)| Some((name, value.as_u64()?));
        Ok(Self {
            versions: all.into_iter().filter_map(number).collect(),
        })
    }

    /// Returns whether nothing was ever written.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Returns the names of all segments.
    #[cfg(feature = "api")]
    pub(crate) fn segments(&self) -> impl Iterator<Item = &String> {
        self.versions.keys()
    }

    /// Returns the version of a segment; 0 if nothing was ever written there.
    pub fn of(&self, segment: &str) -> u64 {
        self.versions.get(segment).copied().unwrap_or_default()
    }
}

/// Returns the write that increases the versions of the segments of these items. It is part of the
/// transaction that changes them.
pub(crate) fn invalidate(items: &[Key]) -> Write {
    let segments: BTreeSet<String> = items.iter().map(|item| item.pk.clone()).collect();
    invalidate_segments(segments)
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
}
