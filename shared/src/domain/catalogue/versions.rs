//! The versions of the catalogue parts. All of them are in one item, and every list reads it.

use std::collections::HashMap;

use serde_json::Value;

use crate::db::answer::Stored;
use crate::db::read::Range;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::keys;
use crate::time::Timestamp;

/// The value of the item's `type` attribute.
const TYPE: &str = "Version";

/// The versions of all parts. A part is a partition of the table; both have the same name.
#[derive(Debug, Clone, Default)]
pub struct Versions(HashMap<String, u64>);

impl Versions {
    /// Reads the versions from the item. If there is no item, nothing was ever written.
    pub(crate) fn of_item(item: Option<Stored>) -> Result<Self, TableError> {
        let Some(item) = item else {
            return Ok(Self::default());
        };
        let all: HashMap<String, Value> = item.read()?;
        let number = |(name, value): (String, Value)| Some((name, value.as_u64()?));
        Ok(Self(all.into_iter().filter_map(number).collect()))
    }

    /// Returns whether nothing was ever written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the version of a part; 0 if nothing was ever written there.
    pub fn of(&self, part: &str) -> u64 {
        self.0.get(part).copied().unwrap_or_default()
    }

    /// Returns the parts with events whose last showing ends between `from` and `to`, in order of
    /// time. Parts are whole months, so they may contain other events too.
    pub fn event_parts(&self, from: Option<Timestamp>, to: Option<Timestamp>) -> Vec<String> {
        let part = |time: Timestamp| keys::events(&time.to_string());
        let (from, to) = (from.map(part), to.map(part));
        let all = self
            .0
            .keys()
            .filter(|part| part.starts_with(keys::EVENT_PARTS));
        let inside = all.filter(|part| {
            from.as_ref().is_none_or(|from| *part >= from)
                && to.as_ref().is_none_or(|to| *part <= to)
        });
        let mut parts: Vec<String> = inside.cloned().collect();
        parts.sort();
        parts
    }
}

/// Returns the write that increases the versions of these parts, so that warm functions load them
/// again. It is part of the transaction that changes the content.
pub(crate) fn moved(parts: impl IntoIterator<Item = String>) -> Write {
    parts.into_iter().fold(
        Write::update(keys::versions()).set("type", &TYPE),
        |write, part| write.add(&part, 1),
    )
}

impl Table {
    /// Opens the connection, so that the first request does not have to wait for it. Errors are
    /// ignored here; the first request will report them.
    pub async fn warm_up(&self) {
        let _ = self.read(keys::versions()).await;
    }

    /// Returns the versions of all parts: 1 read.
    pub async fn versions(&self) -> Result<Versions, TableError> {
        Versions::of_item(self.read(keys::versions()).await?)
    }

    /// Returns all items of a part: 1 query.
    pub async fn catalogue_part<E: Entity>(&self, part: &str) -> Result<Vec<E>, TableError> {
        self.query(part.to_owned(), Range::All).await
    }
}
