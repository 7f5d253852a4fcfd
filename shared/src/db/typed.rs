//! Reads items that must be of one type. The attribute `type` is read on the way, so this takes one
//! pass.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use crate::db::attributes::Entries;
use crate::db::keys;

/// Reads an item that must be of the type `kind`.
pub(crate) fn read_typed<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    json: D,
    kind: &str,
) -> Result<T, D::Error> {
    let is_right = Cell::new(false);
    let item = json.deserialize_map(WithType {
        kind,
        is_right: &is_right,
        entity: PhantomData,
    })?;
    if is_right.get() {
        Ok(item)
    } else {
        Err(D::Error::custom("another type"))
    }
}

/// Reads an item, and its type beside.
struct WithType<'a, T> {
    kind: &'a str,
    is_right: &'a Cell<bool>,
    entity: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for WithType<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(TypedEntries {
            entries: Entries(map),
            kind: self.kind,
            is_right: self.is_right,
        }))
    }
}

/// The entries of an item without those that all items have.
struct TypedEntries<'a, A> {
    entries: Entries<A>,
    kind: &'a str,
    is_right: &'a Cell<bool>,
}

/// The name of an attribute.
#[derive(Deserialize)]
struct AttributeName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for TypedEntries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(AttributeName(name)) = self.entries.next_key()? {
            if name != keys::TYPE {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            let kind: String = self.entries.next_value()?;
            self.is_right.set(kind == self.kind);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}
