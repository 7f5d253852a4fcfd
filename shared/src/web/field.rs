//! A field of a request body as it was sent, and when it must be present (H13, H14).

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::strict::{ReadError, Strict};
use crate::reason::Reason;

/// A field of a request body. A value of the wrong type is stored as `Wrong`, so that one response
/// can report all wrong fields.
#[derive(Debug, Clone, Default)]
pub enum Field<T> {
    /// Not in the body.
    #[default]
    Absent,
    /// Null.
    Null,
    /// A value of the right type.
    Value(T),
    /// A value that is not a `T`: the path inside the field (with a leading dot, or empty), and
    /// why.
    Wrong(String, Reason),
}

impl<T: DeserializeOwned> Field<T> {
    /// Reads the value of a field.
    pub(super) fn read(value: serde_json::Value) -> Self {
        if value.is_null() {
            return Self::Null;
        }
        serde_path_to_error::deserialize(Strict(value)).map_or_else(
            |error| {
                let segments = error
                    .path()
                    .iter()
                    .map(|segment| segment.to_string().trim_matches(['[', ']']).to_owned());
                let mut inside: Vec<String> =
                    std::iter::once(String::new()).chain(segments).collect();
                let ReadError { name, reason, .. } = error.into_inner();
                inside.extend(name.filter(|name| inside.last() != Some(name)));
                Self::Wrong(inside.join("."), reason)
            },
            Self::Value,
        )
    }
}

/// What a request does with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// POST: required fields must be present; the others have defaults.
    Create,
    /// PUT: every writable field must be present.
    Replace,
    /// PATCH: only the fields that are present change.
    Update,
}

/// PUT and PATCH have one handler, which gets this.
impl<S: Sync> FromRequestParts<S> for Mode {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(match parts.method {
            Method::PUT => Self::Replace,
            _ => Self::Update,
        })
    }
}

/// When a field must be present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// On create and replace.
    Required,
    /// On replace; has a default on create.
    Optional,
    /// Never.
    Free,
}
