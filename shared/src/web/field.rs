//! Fields of a request body, and the rules of create, replace and update (H13, H14).

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::error::{ApiError, FieldErrors};
use super::strict::Strict;
use crate::ids::Id;
use crate::limits;
use crate::text::{ClubCode, Email, html};
use crate::time::Timestamp;
use crate::web::reference::Reference;

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
    Wrong(String, String),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Null);
        }
        Ok(serde_path_to_error::deserialize(Strict(value)).map_or_else(
            |error| {
                let segments = error
                    .path()
                    .iter()
                    .map(|segment| segment.to_string().trim_matches(['[', ']']).to_owned());
                let mut inside: Vec<String> =
                    std::iter::once(String::new()).chain(segments).collect();
                let why = error.into_inner().to_string();
                match Misnamed::of(&why) {
                    Some(Misnamed { name, why }) => {
                        if inside.last().is_none_or(|last| last != name) {
                            inside.push(name.to_owned());
                        }
                        Self::Wrong(inside.join("."), why.to_owned())
                    }
                    None => Self::Wrong(inside.join("."), why),
                }
            },
            Self::Value,
        ))
    }
}

const REQUIRED: &str = "This field is required.";
/// The message for a key or parameter that the request does not have.
pub(super) const UNKNOWN: &str = "This request does not have this field.";

/// A key that is missing in an object, or that the object does not have. serde says it in a
/// sentence.
pub(super) struct Misnamed<'a> {
    pub name: &'a str,
    pub why: &'static str,
}

impl<'a> Misnamed<'a> {
    /// Reads the sentence of serde; none if it says something else.
    pub(super) fn of(sentence: &'a str) -> Option<Self> {
        [("missing field `", REQUIRED), ("unknown field `", UNKNOWN)]
            .into_iter()
            .find_map(|(prefix, why)| {
                let (name, _) = sentence.strip_prefix(prefix)?.split_once('`')?;
                Some(Self { name, why })
            })
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

/// When a field must be present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// On create and replace.
    Required,
    /// On replace; has a default on create.
    Optional,
    /// Never.
    Free,
}

/// Copies the fields of one request body into an entity, and collects the errors.
pub struct Reader {
    mode: Mode,
    /// The nodes of the HTML texts so far.
    nodes: usize,
    /// The errors found so far.
    pub errors: FieldErrors,
}

impl Reader {
    /// Returns a reader for one request.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            nodes: 0,
            errors: FieldErrors::default(),
        }
    }

    /// Returns the value of a field, or none if it is absent or wrong. Null is an error.
    pub fn value<T>(&mut self, name: &str, field: Field<T>, need: Need) -> Option<T> {
        match field {
            Field::Null => {
                self.errors.add(name, "This field may not be null.");
                None
            }
            other => self.nullable(name, other, need).flatten(),
        }
    }

    /// Returns the value of a field that may be null: none if it is absent or wrong, `Some(None)`
    /// for null.
    pub fn nullable<T>(&mut self, name: &str, field: Field<T>, need: Need) -> Option<Option<T>> {
        match field {
            Field::Value(value) => Some(Some(value)),
            Field::Null => Some(None),
            Field::Wrong(inside, why) => {
                self.errors.add(format!("{name}{inside}"), why);
                None
            }
            Field::Absent => {
                let due = match self.mode {
                    Mode::Create => need == Need::Required,
                    Mode::Replace => need != Need::Free,
                    Mode::Update => false,
                };
                if due {
                    self.errors.add(name, REQUIRED);
                }
                None
            }
        }
    }

    /// Reads plain text of at most `max` characters. Required text must not be blank.
    pub fn text(
        &mut self,
        name: &str,
        field: Field<String>,
        need: Need,
        max: usize,
        into: &mut String,
    ) {
        if let Some(text) = self.value(name, field, need) {
            if need == Need::Required && text.trim().is_empty() {
                self.errors.add(name, "This field may not be blank.");
            } else if self.fits(name, &text, max) {
                *into = text;
            }
        }
    }

    /// Reads a single line: plain text without control characters, at most [`limits::NAME`]
    /// characters.
    pub fn line(&mut self, name: &str, field: Field<String>, need: Need, into: &mut String) {
        let mut text = String::new();
        let sent = matches!(field, Field::Value(_));
        self.text(name, field, need, limits::NAME, &mut text);
        if text.chars().any(char::is_control) {
            self.errors.add(
                name,
                "Line breaks and control characters are not allowed here.",
            );
        } else if sent && !self.errors.has(name) {
            text.trim().clone_into(into);
        }
    }

    /// Reads and cleans a long HTML text. It has at most `max_bytes`, both before and after
    /// cleaning.
    pub fn html(&mut self, name: &str, field: Field<String>, max_bytes: usize, into: &mut String) {
        // A client may PUT what GET returned. The stored text may be longer than the limit, because
        // cleaning adds entities and link relations.
        if matches!(&field, Field::Value(text) if text == into) {
            return;
        }
        let mut text = String::new();
        let sent = matches!(field, Field::Value(_));
        self.text(name, field, Need::Optional, limits::LONG_TEXT, &mut text);
        if text.bytes().filter(|byte| *byte == b'<').count() > limits::TAGS {
            self.errors
                .add(name, format!("At most {} tags are allowed.", limits::TAGS));
        }
        if sent && !self.errors.has(name) {
            self.nodes += html::most_nodes(&text);
            if self.nodes > limits::NODES {
                let why = "Too many different formats are open at once. Remove some formatting.";
                self.errors.add(name, why);
                return;
            }
            let clean = html::clean(&text);
            if text.len() > max_bytes || clean.len() > max_bytes {
                self.errors
                    .add(name, format!("At most {max_bytes} bytes are allowed."));
            } else {
                *into = clean;
            }
        }
    }

    /// Reads an http(s) URL, or null. An empty text is read as null.
    pub fn url(&mut self, name: &str, field: Field<String>, into: &mut Option<String>) {
        match self.nullable(name, field, Need::Optional) {
            Some(Some(text)) if text.is_empty() => *into = None,
            Some(Some(text)) => {
                let web = url::Url::parse(&text)
                    .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
                if text.chars().count() > limits::URL {
                    self.errors.add(
                        name,
                        format!("At most {} characters are allowed.", limits::URL),
                    );
                } else if web && !text.chars().any(|c| c.is_control() || c.is_whitespace()) {
                    *into = Some(text);
                } else {
                    self.errors.add(name, "Enter an http or https URL.");
                }
            }
            Some(None) => *into = None,
            None => {}
        }
    }

    /// Reads an e-mail address. An empty text is allowed if the field is not required.
    pub fn email(&mut self, name: &str, field: Field<String>, need: Need, into: &mut Email) {
        if let Some(text) = self.value(name, field, need) {
            let text = text.trim();
            if text.is_empty() && need != Need::Required {
                *into = Email::default();
            } else if let Some(email) = Email::parse(text) {
                *into = email;
            } else {
                self.errors.add(name, "Enter an e-mail address.");
            }
        }
    }

    /// Reads a date-time.
    pub fn time(&mut self, name: &str, field: Field<Timestamp>, need: Need, into: &mut Timestamp) {
        if let Some(time) = self.value(name, field, need) {
            *into = time;
        }
    }

    /// Checks that `later` is not before `earlier`. If both could be read, the error is reported
    /// for `later` (H8).
    pub fn in_order(
        &mut self,
        (earlier, from): (&str, Timestamp),
        (later, to): (&str, Timestamp),
        why: &str,
    ) {
        if to < from && !self.errors.has(earlier) && !self.errors.has(later) {
            self.errors.add(later, why);
        }
    }

    /// Reads a boolean.
    pub fn flag(&mut self, name: &str, field: Field<bool>, need: Need, into: &mut bool) {
        if let Some(flag) = self.value(name, field, need) {
            *into = flag;
        }
    }

    /// Reads a whole number from `low` to `high`.
    pub fn number<T>(
        &mut self,
        name: &str,
        field: Field<i64>,
        need: Need,
        (low, high): (i64, i64),
        into: &mut T,
    ) where
        T: TryFrom<i64>,
    {
        if let Some(number) = self.value(name, field, need) {
            match T::try_from(number) {
                Ok(value) if (low..=high).contains(&number) => *into = value,
                _ => self.errors.add(
                    name,
                    format!("Expected a whole number from {low} to {high}."),
                ),
            }
        }
    }

    /// Reads a club code from the field `club`. A text that is not a valid code gives the same
    /// error as a code that no club has.
    pub fn club(&mut self, field: Field<String>) -> ClubCode {
        let Some(text) = self.value("club", field, Need::Required) else {
            return ClubCode::default();
        };
        ClubCode::parse(&text).unwrap_or_else(|| {
            self.errors.add("club", NO_SUCH_CLUB);
            ClubCode::default()
        })
    }

    /// Reads references to at most `max` entries of a collection. Stores each id once, in ascending
    /// order.
    pub fn references<T>(
        &mut self,
        name: &str,
        field: Field<Vec<Reference>>,
        need: Need,
        max: usize,
        is_known: impl Fn(Id<T>) -> bool,
        into: &mut Vec<Id<T>>,
    ) {
        let Some(references) = self.value(name, field, need) else {
            return;
        };
        let ids: BTreeSet<Id<T>> = references.into_iter().map(Reference::id).collect();
        if ids.len() > max {
            self.errors.add(name, format!("At most {max} are allowed."));
        } else if let Some(unknown) = ids.iter().find(|id| !is_known(**id)) {
            self.errors
                .add(name, format!("No entry has the id {unknown}."));
        } else {
            *into = ids.into_iter().collect();
        }
    }

    /// Returns whether the text has at most `max` characters, and adds an error if not.
    pub fn fits(&mut self, name: &str, text: &str, max: usize) -> bool {
        let fits = text.len() <= max || text.chars().count() <= max;
        if !fits {
            self.errors
                .add(name, format!("At most {max} characters are allowed."));
        }
        fits
    }

    /// Returns an error if any field was wrong.
    pub fn finish(self) -> Result<(), ApiError> {
        self.errors.check()
    }
}

const NO_SUCH_CLUB: &str = "There is no such club.";

/// Returns a 400 error for the field `club`: the club does not exist or is not visible to the
/// caller.
pub fn no_such_club() -> ApiError {
    ApiError::field("club", NO_SUCH_CLUB)
}
