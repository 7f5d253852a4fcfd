//! Enumerations of the API: numbers or words, each with a name and a meaning. The OpenAPI document
//! gets all of them from here.

#[cfg(feature = "api")]
use serde_json::json;
#[cfg(feature = "api")]
use utoipa::openapi::RefOr;
#[cfg(feature = "api")]
use utoipa::openapi::extensions::Extensions;
#[cfg(feature = "api")]
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

/// An enumeration that is a number in the API and in the table. Each value has a doc comment.
macro_rules! integer_enum {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $doc])+ $variant = $value),+ }

        impl $name {
            /// Returns the number used in the API.
            pub fn code(self) -> u8 {
                self as u8
            }
        }

        impl TryFrom<u64> for $name {
            type Error = $crate::reason::Reason;

            fn try_from(code: u64) -> Result<Self, Self::Error> {
                match code {
                    $($value => Ok(Self::$variant),)+
                    _ => Err($crate::reason::Reason::not_one_of([$($value),+])),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u8(self.code())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let code = u64::deserialize(deserializer)?;
                code.try_into().map_err(|_| {
                    let values = &[$(stringify!($value)),+];
                    serde::de::Error::unknown_variant(&code.to_string(), values)
                })
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let values = [$((
                    stringify!($variant),
                    serde_json::json!($value),
                    concat!($($doc),+),
                )),+];
                let kind = utoipa::openapi::schema::Type::Integer;
                $crate::text::enums::enum_schema(kind, concat!($($about),+), &values)
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::ToSchema for $name {}

        #[cfg(feature = "api")]
        $crate::kinds!($name);
    };
}
pub(crate) use integer_enum;

/// An enumeration that is a word in the API and in the table. Each value has a doc comment. The
/// word is the name in snake case, or what stands after `=`: names are unique among all
/// enumerations, because some generated clients have one list of them.
macro_rules! text_enum {
    ($(#[doc = $about:literal])+ $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident $(= $word:literal)?),+ $(,)?
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[doc = $doc])+ $(#[serde(rename = $word)])? $variant),+ }

        #[cfg(feature = "api")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let values = [$((
                    stringify!($variant),
                    serde_json::json!($name::$variant),
                    concat!($($doc),+),
                )),+];
                let kind = utoipa::openapi::schema::Type::String;
                $crate::text::enums::enum_schema(kind, concat!($($about),+), &values)
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::ToSchema for $name {}

        #[cfg(feature = "api")]
        $crate::kinds!($name);
    };
}
pub(crate) use text_enum;

/// The schema of an enumeration: the values, with the extensions for names and meanings that
/// generators of clients read. Each value has its name, itself, and its meaning.
#[cfg(feature = "api")]
pub(crate) fn enum_schema(
    kind: Type,
    about: &str,
    values: &[(&str, serde_json::Value, &str)],
) -> RefOr<Schema> {
    let names: Vec<&str> = values.iter().map(|(name, ..)| *name).collect();
    let meanings: Vec<&str> = values.iter().map(|(.., about)| about.trim()).collect();
    let extensions = Extensions::builder()
        .add("x-enum-varnames", json!(names))
        .add("x-enum-descriptions", json!(meanings))
        .build();
    ObjectBuilder::new()
        .schema_type(kind)
        .description(Some(about.trim()))
        .enum_values(Some(values.iter().map(|(_, value, _)| value.clone())))
        .extensions(Some(extensions))
        .into()
}
