//! The reader of a request body: it copies fields into an entity and collects what is wrong (H13,
//! H14).

use std::collections::BTreeSet;

use super::error::{ApiError, FieldErrors};
use super::field::{Field, Mode, Presence};
use super::input::FieldInput;
use crate::ids::Id;
use crate::limits;
use crate::reason::Reason;
use crate::text::kinds::{Html, List, OnlyNull, WebAddress};
use crate::text::{ClubCode, FieldType, html};
use crate::time::Timestamp;
use crate::web::reference::Reference;

/// Copies the fields of one request body into an entity, and collects the errors.
pub struct Reader {
    mode: Mode,
    /// The nodes of the HTML texts so far.
    nodes: usize,
    /// The path of the object that is read, with a dot at its end; empty for the body itself.
    inside: String,
    /// The errors found so far.
    pub errors: FieldErrors,
}

impl Reader {
    /// Returns a reader for one request.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            nodes: 0,
            inside: String::new(),
            errors: FieldErrors::default(),
        }
    }

    /// Returns the value of a field, or none if it is absent or wrong. A field with a default that
    /// is absent in a new object has its default. Null is an error, unless the kind of the field
    /// allows it.
    pub fn get<K: FieldType>(&mut self, sent: FieldInput<K>) -> Option<K::Value> {
        let FieldInput {
            name,
            presence,
            field,
            default,
        } = sent;
        let why = match field {
            Field::Value(value) => match K::read(value) {
                Ok(value) => return Some(value),
                Err(why) => why,
            },
            Field::Null => match K::null() {
                Some(value) => return Some(value),
                None => Reason::Null,
            },
            Field::Wrong(wrong) => {
                for (inside, why) in wrong {
                    self.errors
                        .add(format!("{}{name}{inside}", self.inside), why);
                }
                return None;
            }
            Field::Absent if self.is_required(presence) => Reason::Required,
            Field::Absent => {
                return default
                    .filter(|_| self.mode == Mode::Create)
                    .map(|new| new());
            }
        };
        self.errors.add(format!("{}{name}", self.inside), why);
        None
    }

    /// Reads a field into `into`, which stays as it is if the field is absent or wrong.
    pub fn set<K: FieldType>(&mut self, sent: FieldInput<K>, into: &mut K::Value) {
        if let Field::Value(value) = &sent.field
            && K::is_same(value, into)
        {
            return;
        }
        if let Some(value) = self.get(sent) {
            *into = value;
        }
    }

    /// Returns a value that is part of a field; none if it is wrong.
    pub fn part<K: FieldType>(
        &mut self,
        path: impl Into<String>,
        sent: K::Input,
    ) -> Option<K::Value> {
        K::read(sent).map_err(|why| self.errors.add(path, why)).ok()
    }

    /// Returns whether null was sent for a file. Any other value is an error.
    pub fn only_null(&mut self, sent: &FieldInput<OnlyNull>) -> bool {
        match sent.field {
            Field::Null => return true,
            Field::Absent => {}
            Field::Value(_) | Field::Wrong(..) => self.errors.add(sent.name, Reason::OnlyNull),
        }
        false
    }

    /// Returns whether a field that is absent is an error.
    fn is_required(&self, presence: Presence) -> bool {
        match self.mode {
            Mode::Create => presence == Presence::Required,
            Mode::Replace => presence != Presence::Free,
            Mode::Update => false,
        }
    }

    /// The fields that are read from now on are those of the object at this path: `responses.0`.
    pub fn enter(&mut self, path: &str) {
        self.inside = format!("{path}.");
    }

    /// Reads and cleans a long HTML text. It has at most `max_bytes`, both before and after
    /// cleaning.
    pub fn html(&mut self, sent: FieldInput<Html>, max_bytes: usize, into: &mut String) {
        self.html_with(sent, max_bytes, html::clean, into);
    }

    /// The same with another way to clean.
    pub fn html_with(
        &mut self,
        sent: FieldInput<Html>,
        max_bytes: usize,
        clean: fn(&str) -> String,
        into: &mut String,
    ) {
        // A client may PUT what GET returned. The stored text may be longer than the limit, because
        // cleaning adds entities and link relations.
        if sent.sent().is_some_and(|text| text == into) {
            return;
        }
        let name = sent.name;
        let Some(text) = self.get(sent) else {
            return;
        };
        if text.bytes().filter(|byte| *byte == b'<').count() > limits::TAGS {
            let limit = limits::TAGS;
            return self.errors.add(name, Reason::TooManyTags { limit });
        }
        if let Some(limit) = html::long_tag(&text) {
            return self.errors.add(name, Reason::LongTag { limit });
        }
        self.nodes += html::most_nodes(&text);
        if self.nodes > limits::NODES {
            return self.errors.add(name, Reason::TooManyFormats);
        }
        let clean = clean(&text);
        if text.len() > max_bytes || clean.len() > max_bytes {
            let limit = max_bytes;
            return self.errors.add(name, Reason::TooManyBytes { limit });
        }
        *into = clean;
    }

    /// Reads a web address, or null. An empty text is read as null.
    pub fn url(&mut self, sent: FieldInput<Option<WebAddress>>, into: &mut Option<String>) {
        // An address that was stored before it was checked so strictly may stay (H13).
        if into.is_some() && sent.sent() == into.as_ref() {
            return;
        }
        if let Some(address) = self.get(sent) {
            *into = address.flatten();
        }
    }

    /// Checks that `later` is not before `earlier`. If both could be read, the error is reported
    /// for `later` (H8).
    pub fn in_order(
        &mut self,
        (earlier, from): (&'static str, Timestamp),
        (later, to): (&str, Timestamp),
    ) {
        if to < from && !self.errors.has(earlier) && !self.errors.has(later) {
            self.errors.add(later, Reason::Before { field: earlier });
        }
    }

    /// Reads a club code from the field `club`. A text that is not a valid code gives the same
    /// error as a code that no club has.
    pub fn club(&mut self, club: FieldInput<String>) -> ClubCode {
        let name = club.name;
        let Some(text) = self.get(club) else {
            return ClubCode::default();
        };
        ClubCode::parse(&text).unwrap_or_else(|| {
            self.errors.add(name, Reason::UnknownClub);
            ClubCode::default()
        })
    }

    /// Reads references to at most `MAX` entries of a collection. Stores each id once, in ascending
    /// order.
    pub fn references<T, const MAX: usize>(
        &mut self,
        sent: FieldInput<List<Reference, MAX>>,
        is_present: impl Fn(Id<T>) -> bool,
        into: &mut Vec<Id<T>>,
    ) {
        let name = sent.name;
        let Some(references) = self.get(sent) else {
            return;
        };
        let ids: BTreeSet<Id<T>> = references.into_iter().map(Reference::id).collect();
        if ids.len() > MAX {
            self.errors.add(name, Reason::TooMany { limit: MAX });
        } else if let Some(unknown) = ids.iter().find(|id| !is_present(**id)) {
            let id = unknown.get();
            self.errors.add(name, Reason::UnknownEntry { id });
        } else {
            *into = ids.into_iter().collect();
        }
    }

    /// Returns an error if any field was wrong.
    pub fn finish(self) -> Result<(), ApiError> {
        self.errors.check()
    }
}

/// Returns a 400 error for the field `club`: the club does not exist or is not visible to the
/// caller.
pub fn no_such_club() -> ApiError {
    ApiError::field("club", Reason::UnknownClub)
}
