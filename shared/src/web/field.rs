//! A field of a request body as it was sent, and when it must be present (H13, H14).

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::strict::{ReadError, Strict};
use crate::limits;
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
    /// A value that is not a `T`: the paths inside the field (with a leading dot, or empty), and
    /// why.
    Wrong(Vec<(String, Reason)>),
}

impl<T: DeserializeOwned> Field<T> {
    /// Reads the value of a field. Of keys that its objects must not have (H34), all are named.
    pub(super) fn read(mut value: Value) -> Self {
        if value.is_null() {
            return Self::Null;
        }
        let mut wrong = vec![];
        loop {
            let error = match serde_path_to_error::deserialize(Strict(value.clone())) {
                Ok(value) if wrong.is_empty() => return Self::Value(value),
                Ok(_) => return Self::Wrong(wrong),
                Err(error) => error,
            };
            let path = error.path().iter();
            let mut inside: Vec<String> = path
                .map(|segment| segment.to_string().trim_matches(['[', ']']).to_owned())
                .collect();
            let ReadError {
                name,
                reason,
                allowed,
            } = error.into_inner();
            if inside.last() == name.as_ref() {
                inside.pop();
            }
            let segments: Vec<&str> = std::iter::once("")
                .chain(inside.iter().map(String::as_str))
                .collect();
            let (pointer, dotted) = (segments.join("/"), segments.join("."));
            let at = |key: &str| format!("{dotted}.{key}");
            let unknown: Vec<String> = match value.pointer_mut(&pointer) {
                Some(Value::Object(object)) if reason == Reason::UnknownField => {
                    let (right, unknown): (Map<_, _>, Map<_, _>) = std::mem::take(object)
                        .into_iter()
                        .partition(|(key, _)| allowed.contains(&key.as_str()));
                    *object = right;
                    unknown.into_iter().map(|(key, _)| key).collect()
                }
                _ => vec![],
            };
            if unknown.is_empty() {
                let path = name.map_or_else(|| dotted.clone(), |name| at(&name));
                wrong.push((path, reason));
                return Self::Wrong(wrong);
            }
            wrong.extend(unknown.iter().map(|key| (at(key), reason.clone())));
            if wrong.len() >= limits::NAMED_ERRORS {
                return Self::Wrong(wrong);
            }
        }
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
