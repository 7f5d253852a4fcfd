//! An item before or after a change, as the stream tells it.

use serde::Deserialize;
use serde_dynamo::{AttributeValue, Item};
use shared::db::Key;
use shared::ids::{Id, of};

/// A record that cannot be read: of which type, or why.
#[derive(Debug, Clone, Copy)]
pub struct Unreadable(pub &'static str);

/// An item before or after a change; empty if there was none.
#[derive(Clone, Copy)]
pub struct Image<'a>(pub &'a Item);

impl<'a> Image<'a> {
    /// Returns the type of the item; empty if there was none.
    pub fn kind(self) -> &'a str {
        self.text("type").unwrap_or_default()
    }

    /// Reads the item, if it is of this type.
    ///
    /// # Errors
    ///
    /// If it cannot be read: a later release has stored it.
    pub fn read<T: Deserialize<'a>>(self, kind: &'static str) -> Result<Option<T>, Unreadable> {
        if self.kind() != kind {
            return Ok(None);
        }
        // The error is not kept, because it may quote what people wrote (O9).
        let read = serde_dynamo::from_item(self.0.clone());
        read.map(Some).map_err(|_| Unreadable(kind))
    }

    /// Returns the key of the item.
    pub fn key(self) -> Key {
        let part = |name| self.text(name).unwrap_or_default().to_owned();
        Key::new(part("pk"), part("sk"))
    }

    /// Returns an attribute that is a text.
    pub fn text(self, name: &str) -> Option<&'a str> {
        match self.0.get(name) {
            Some(AttributeValue::S(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns who stored the item, if it says so.
    pub fn changed_by(self) -> Option<Id<of::Person>> {
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
