//! Enumerations of the API: numbers or words, each with a name and a meaning. The OpenAPI document
//! gets all of them from here.

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
            type Error = String;

            fn try_from(code: u64) -> Result<Self, String> {
                match code {
                    $($value => Ok(Self::$variant),)+
                    _ => Err(format!("{code} is not one of {}.", [$(stringify!($value)),+].join(", "))),
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
                u64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
            }
        }

        $crate::text::enums::enum_schema!(
            $name, Integer, concat!($($about),+), $((stringify!($variant), $value, concat!($($doc),+))),+
        );
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

        $crate::text::enums::enum_schema!(
            $name, String, concat!($($about),+),
            $((stringify!($variant), serde_json::json!($name::$variant), concat!($($doc),+))),+
        );
    };
}
pub(crate) use text_enum;

/// The schema of an enumeration: the values, with the extensions for names and meanings that
/// generators of clients read.
macro_rules! enum_schema {
    ($name:ident, $kind:ident, $about:expr, $(($variant:expr, $value:expr, $doc:expr)),+) => {
        #[cfg(feature = "api")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let meanings = vec![$($doc.trim()),+];
                let extensions = utoipa::openapi::extensions::Extensions::builder()
                    .add("x-enum-varnames", serde_json::json!([$($variant),+]))
                    .add("x-enum-descriptions", serde_json::json!(meanings))
                    .build();
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::$kind)
                    .description(Some($about.trim()))
                    .enum_values(Some([$(serde_json::json!($value)),+]))
                    .extensions(Some(extensions))
                    .into()
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::ToSchema for $name {}

        #[cfg(feature = "api")]
        $crate::kinds!($name);
    };
}
pub(crate) use enum_schema;
