//! Ids of other objects in a request.

use serde::{Deserialize, Deserializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::ids::Id;
use crate::reason::Reason;
use crate::text::FieldType;

/// A reference: an id, or an object with an `id`, so that a client can PUT what GET returned (H13).
#[derive(Debug, Clone, Copy)]
pub struct Reference(u64);

impl Reference {
    /// Returns a reference to an object.
    pub fn to<T>(id: Id<T>) -> Self {
        Self(id.get())
    }

    /// Returns the id.
    pub fn id<T>(self) -> Id<T> {
        Id::new(self.0)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let id = value
            .get("id")
            .filter(|_| value.is_object())
            .unwrap_or(&value)
            .as_u64();
        id.map(Self)
            .ok_or_else(|| serde::de::Error::custom(Reason::NotReference))
    }
}

/// A reference in a request that refuses what it does not know (H34): an object has only the `id`.
#[derive(Debug, Clone, Copy)]
pub struct ExactReference(pub Reference);

impl<'de> Deserialize<'de> for ExactReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let names = value
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys);
        if let Some(other) = names.into_iter().find(|name| *name != "id") {
            return Err(serde::de::Error::unknown_field(other, &["id"]));
        }
        let reference = serde_json::from_value(value).map_err(serde::de::Error::custom)?;
        Ok(Self(reference))
    }
}

crate::kinds!(Reference);

impl FieldType for ExactReference {
    type Input = Self;
    type Value = Self;

    fn read(sent: Self) -> Result<Self, Reason> {
        Ok(sent)
    }

    fn schema() -> RefOr<Schema> {
        Reference::schema()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Reference::schemas(schemas);
    }
}
