//! Strict reading of JSON bodies: an array is not accepted as an object (H10), and error messages
//! use the words of the API, not the type names of Rust (H8).

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Number, Value};
use strum::IntoEnumIterator;

use crate::reason::Reason;

/// A JSON value that is read strictly at every level.
pub(super) struct Strict(pub Value);

impl IntoDeserializer<'_, ReadError> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What is wrong with a value, and the key of an object that it is wrong with: one that is missing,
/// or that the object does not have.
#[derive(Debug)]
pub(super) struct ReadError {
    pub name: Option<String>,
    pub reason: Reason,
    /// The keys that the object may have, if it has another one.
    pub allowed: &'static [&'static str],
}

impl ReadError {
    fn at(name: &str, reason: Reason) -> Self {
        Self {
            name: Some(name.to_owned()),
            reason,
            allowed: &[],
        }
    }
}

impl From<Reason> for ReadError {
    fn from(reason: Reason) -> Self {
        Self {
            name: None,
            reason,
            allowed: &[],
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(formatter)
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    /// Types that read themselves tell a [`Reason`] without parameters, which serde passes on as
    /// its sentence.
    fn custom<T: fmt::Display>(message: T) -> Self {
        let error = message.to_string();
        let reason = Reason::iter().find(|reason| reason.to_string() == error);
        reason.unwrap_or(Reason::InvalidBody { error }).into()
    }

    fn unknown_variant(_: &str, allowed: &'static [&'static str]) -> Self {
        Reason::not_one_of(allowed).into()
    }

    fn unknown_field(name: &str, allowed: &'static [&'static str]) -> Self {
        Self {
            allowed,
            ..Self::at(name, Reason::UnknownField)
        }
    }

    fn missing_field(name: &'static str) -> Self {
        Self::at(name, Reason::Required)
    }
}

impl Strict {
    fn whole_number<'de, V: Visitor<'de>>(
        self,
        is_one: fn(&Number) -> bool,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.0 {
            Value::Number(number) if is_one(number) => self
                .0
                .deserialize_any(visitor)
                .map_err(|_| Reason::NotNumber.into()),
            _ => Err(Reason::NotNumber.into()),
        }
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict)))
            }
            Value::Object(fields) => visitor.visit_map(MapDeserializer::new(
                fields
                    .into_iter()
                    .map(|(name, value)| (name, Strict(value))),
            )),
            other => other
                .deserialize_any(visitor)
                .map_err(serde::de::Error::custom),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if self.0.is_object() {
            self.deserialize_any(visitor)
        } else {
            Err(Reason::NotObject.into())
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.0.is_array() {
            self.deserialize_any(visitor)
        } else {
            Err(Reason::NotList.into())
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.0.is_boolean() {
            self.deserialize_any(visitor)
        } else {
            Err(Reason::NotBoolean.into())
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.0.is_string() {
            self.deserialize_any(visitor)
        } else {
            Err(Reason::NotText.into())
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_i64, visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_i64, visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_i64, visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_i64, visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_u64, visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_u64, visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_u64, visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.whole_number(Number::is_u64, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.0
            .deserialize_enum(name, variants, visitor)
            .map_err(|_| Reason::not_one_of(variants).into())
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::Strict;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only whether it can be read is of interest")]
    struct Thing {
        id: u64,
        name: Option<String>,
        parts: Vec<Nested>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "likewise")]
    struct Nested {
        on: bool,
    }

    // proves H6, H8, H10
    #[test]
    fn arrays_are_no_objects_and_messages_name_no_types() {
        let read = |value| Thing::deserialize(Strict(value)).map_err(|error| error.to_string());
        assert!(read(json!({ "id": 1, "name": null, "parts": [{ "on": true }] })).is_ok());
        for (value, why) in [
            (json!([1, "x", []]), "Expected an object."),
            (json!({ "id": 1, "parts": [[true]] }), "Expected an object."),
            (
                json!({ "id": 1.5, "parts": [] }),
                "Expected a whole number.",
            ),
            (json!({ "id": -1, "parts": [] }), "Expected a whole number."),
            (
                json!({ "id": 1, "name": 7, "parts": [] }),
                "Expected a text.",
            ),
            (json!({ "id": 1, "parts": {} }), "Expected a list."),
            (
                json!({ "id": 1, "parts": [{ "on": "yes" }] }),
                "Expected true or false.",
            ),
        ] {
            assert_eq!(read(value).unwrap_err(), why);
        }
    }
}
