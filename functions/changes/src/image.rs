//! An item before or after a change, as the stream tells it.

use serde::Deserialize;
use serde_dynamo::{AttributeValue, Item};
use shared::domain::Person;
use shared::ids::Id;

/// An item before or after a change; empty if there was none.
#[derive(Clone, Copy)]
pub struct Image<'a>(pub &'a Item);

impl<'a> Image<'a> {
    /// Returns the type of the item; empty if there was none.
    pub fn kind(self) -> &'a str {
        match self.0.get("type") {
            Some(AttributeValue::S(kind)) => kind,
            _ => "",
        }
    }

    /// Reads the item, if it is of this type. None if it cannot be read.
    pub fn read<T: Deserialize<'a>>(self, kind: &str) -> Option<T> {
        if self.kind() != kind {
            return None;
        }
        let read = serde_dynamo::from_item(self.0.clone());
        // The error is not logged, because it may quote what people wrote (O9).
        if read.is_err() {
            tracing::error!(kind, "a record of the stream cannot be read");
        }
        read.ok()
    }

    /// Returns who stored the item, if it says so.
    pub fn changed_by(self) -> Option<Id<Person>> {
        match self.0.get("changed_by") {
            Some(AttributeValue::N(number)) => number.parse().ok().map(Id::new),
            _ => None,
        }
    }

    /// Returns whether two items are the same, but for these attributes.
    pub fn is_same_as(self, other: Self, but: &[&str]) -> bool {
        let names = |image: Self| {
            let names = image.0.keys().filter(|name| !but.contains(&name.as_str()));
            names.count()
        };
        let is_same = |(name, value): (&String, &AttributeValue)| {
            but.contains(&name.as_str()) || other.0.get(name) == Some(value)
        };
        names(self) == names(other) && self.0.iter().all(is_same)
    }
}
