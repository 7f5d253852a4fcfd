//! Values that are only ever read and written as a whole. In the table, each is one text in JSON: a
//! map of attributes would cost more time in every item of a list.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};

/// A value that is stored as one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonText<T>(pub T);

impl<T: Serialize> Serialize for JsonText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(&self.0).map_err(S::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text(PhantomData)).map(Self)
    }
}

struct Text<T>(PhantomData<T>);

impl<T: DeserializeOwned> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text in JSON")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        serde_json::from_str(text).map_err(E::custom)
    }
}
