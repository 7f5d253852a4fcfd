//! Reads entities from DynamoDB's JSON, in which each value is an object with the name of its type:
//! `{"name": {"S": "Chess"}, "members": {"N": "12"}}`.
//!
//! The SDK would make a map of attribute values of each item, and `serde_dynamo` another one. That
//! was most of the time of a long list.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

/// Reads an item from its JSON.
pub(crate) fn read_item<'de, T: Deserialize<'de>>(json: &'de str) -> serde_json::Result<T> {
    T::deserialize(Item(&mut serde_json::Deserializer::from_str(json)))
}

/// The types of values that items have.
#[derive(Clone, Copy, Deserialize)]
enum Kind {
    S,
    N,
    B,
    #[serde(rename = "BOOL")]
    Bool,
    #[serde(rename = "NULL")]
    Null,
    M,
    L,
}

/// What a type asks its deserializer for.
#[derive(Clone, Copy)]
enum Expected {
    /// The value, whatever it is.
    Any,
    /// Nothing for `NULL`, something for all others.
    Option,
    /// A variant: its name, or a map of its name and its content.
    Enum,
}

/// A deserializer of an item: a JSON object of attributes.
struct Item<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Item<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Content(visitor, Expected::Any))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// A deserializer of an attribute: a JSON object with one key, the type of the value.
struct Attribute<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Attribute<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Open(visitor, Expected::Any))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Open(visitor, Expected::Option))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Open(visitor, Expected::Enum))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_ignored_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// Reads the type of an attribute, then its value.
struct Open<V>(V, Expected);

impl<'de, V: Visitor<'de>> Visitor<'de> for Open<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<V::Value, A::Error> {
        let kind = map.next_key()?;
        let kind = kind.ok_or_else(|| A::Error::custom("an attribute without a type"))?;
        Opened { kind, map }.read(self.0, self.1)
    }
}

/// A deserializer of an attribute whose type is read. `map` continues with its value.
struct Opened<A> {
    kind: Kind,
    map: A,
}

impl<'de, A: MapAccess<'de>> Opened<A> {
    fn read<V: Visitor<'de>>(
        mut self,
        visitor: V,
        expected: Expected,
    ) -> Result<V::Value, A::Error> {
        match (self.kind, expected) {
            (Kind::Null, _) => {
                self.map.next_value::<IgnoredAny>()?;
                match expected {
                    Expected::Option => visitor.visit_none(),
                    Expected::Any | Expected::Enum => visitor.visit_unit(),
                }
            }
            (_, Expected::Option) => visitor.visit_some(self),
            (kind, _) => self.map.next_value_seed(Value(kind, visitor, expected)),
        }
    }
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Opened<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        self.read(visitor, Expected::Any)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        self.read(visitor, Expected::Option)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.read(visitor, Expected::Enum)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Reads the value of an attribute of this type.
struct Value<V>(Kind, V, Expected);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Value<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<V::Value, D::Error> {
        let Self(kind, visitor, expected) = self;
        match (kind, expected) {
            (Kind::S, Expected::Enum) => json.deserialize_str(Name(visitor)),
            (Kind::N, _) => json.deserialize_str(Number(visitor)),
            (Kind::B, _) => json.deserialize_str(Bytes(visitor)),
            (Kind::M, _) => json.deserialize_map(Content(visitor, expected)),
            (Kind::L, _) => json.deserialize_seq(Content(visitor, expected)),
            (Kind::S | Kind::Bool | Kind::Null, _) => json.deserialize_any(visitor),
        }
    }
}

/// Shows a visitor the entries of a map, or the elements of a list.
struct Content<V>(V, Expected);

impl<'de, V: Visitor<'de>> Visitor<'de> for Content<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let entries = Entries(map);
        match self.1 {
            Expected::Enum => self.0.visit_enum(MapAccessDeserializer::new(entries)),
            Expected::Any | Expected::Option => self.0.visit_map(entries),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Entries(list))
    }
}

/// The keys and attributes of a map, or the attributes of a list.
pub(crate) struct Entries<A>(pub(crate) A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(OfAttribute(seed))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(OfAttribute(seed))
    }
}

/// Reads an attribute as `T` is read.
struct OfAttribute<T>(T);

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for OfAttribute<T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<T::Value, D::Error> {
        self.0.deserialize(Attribute(json))
    }
}

/// Shows a visitor the bytes in a text (base64).
struct Bytes<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Bytes<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.0
            .visit_byte_buf(STANDARD.decode(text).map_err(E::custom)?)
    }
}

/// Shows a visitor the number in a text.
struct Number<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Number<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        if let Ok(number) = text.parse() {
            return self.0.visit_u64(number);
        }
        if let Ok(number) = text.parse() {
            return self.0.visit_i64(number);
        }
        let number = text.parse().map_err(|_| E::custom("not a number"))?;
        self.0.visit_f64(number)
    }
}

/// Shows a visitor the variant with this name.
struct Name<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Name<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a variant")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(StrDeserializer::<E>::new(name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::read_item;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Point,
        Circle { radius: f64 },
        Line(u64, u64),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        size: u8,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        text: String,
        letter: char,
        large: u64,
        negative: i64,
        fraction: f64,
        truth: bool,
        nothing: Option<String>,
        something: Option<u32>,
        list: Vec<Option<i8>>,
        map: BTreeMap<String, Vec<Inner>>,
        shapes: Vec<Shape>,
        pair: (u8, String),
        #[serde(flatten)]
        inner: Inner,
    }

    fn whole() -> Whole {
        Whole {
            text: "\"quoted\" \\ ü\n".into(),
            letter: 'ß',
            large: u64::MAX,
            negative: i64::MIN,
            fraction: 0.25,
            truth: true,
            nothing: None,
            something: Some(7),
            list: vec![Some(-1), None],
            map: [("a".to_owned(), vec![Inner { size: 1 }])].into(),
            shapes: vec![
                Shape::Point,
                Shape::Circle { radius: 1.5 },
                Shape::Line(1, 2),
            ],
            pair: (3, "b".into()),
            inner: Inner { size: 9 },
        }
    }

    #[test]
    fn reads_what_serde_dynamo_writes() {
        let item: serde_dynamo::Item = serde_dynamo::to_item(whole()).expect("an item");
        let json = serde_json::to_string(&item).expect("JSON");
        assert_eq!(read_item::<Whole>(&json).expect("the same"), whole());
    }

    #[test]
    fn refuses_what_does_not_fit() {
        for wrong in [
            json!({ "size": { "S": "7" } }),
            json!({ "size": { "N": "300" } }),
            json!({ "size": { "N": "seven" } }),
            json!({ "size": {} }),
            json!({ "size": { "X": "7" } }),
            json!({ "size": { "NULL": true } }),
            json!({ "other": { "N": "7" } }),
            json!([]),
        ] {
            let read = read_item::<Inner>(&wrong.to_string());
            assert!(read.is_err(), "{wrong} was read as {read:?}");
        }
    }
}
