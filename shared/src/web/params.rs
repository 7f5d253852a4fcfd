//! Query parameters: unknown ones are ignored; a wrong value is a 400 error that names the
//! parameter (H26).

use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::error::{ApiError, FieldErrors};
use crate::ids::{Id, MAX_ID};
use crate::reason::Reason;
use crate::text::Word;
use crate::time::Timestamp;
use crate::{ids, limits, text};

/// The query of a request.
#[derive(Debug, Clone, Default)]
pub struct Params(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl Params {
    /// Parses a query string and sorts the parameters by name. Gateways may change the order, and
    /// links made from the parameters should not depend on it.
    pub fn parse(query: &str) -> Self {
        let mut pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        Self(pairs)
    }

    /// Refuses parameters other than these, and one that is there twice: 400, which names them.
    /// Only for requests that cannot be taken back, where a misspelt parameter must not change what
    /// is done (H34).
    pub fn only(&self, listed: &[&str]) -> Result<(), ApiError> {
        let mut errors = FieldErrors::default();
        let names: BTreeSet<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        for name in names {
            if !listed.contains(&name) {
                errors.add(name, Reason::UnknownField);
            } else if self.0.iter().filter(|(one, _)| one == name).count() > 1 {
                errors.add(name, Reason::Repeated);
            }
        }
        errors.check()
    }

    /// Returns the value of a parameter. If it is there more than once, the last one counts.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rfind(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns a boolean: `true`, `false`, `1` or `0`.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.text(name) {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(_) => Err(ApiError::field(name, Reason::NotBoolean)),
        }
    }

    /// Returns a whole number from `low` to `high`.
    pub fn number(&self, name: &str, low: u64, high: u64) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // A number with too many digits counts as the largest number.
        match digits.then(|| text.parse().unwrap_or(u64::MAX)) {
            Some(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ if high == u64::MAX => Err(ApiError::field(name, Reason::TooSmall { minimum: low })),
            _ => {
                let (minimum, limit) = (low.cast_signed(), high.cast_signed());
                Err(ApiError::field(name, Reason::OutOfRange { minimum, limit }))
            }
        }
    }

    /// Returns an id.
    pub fn id<T>(&self, name: &str) -> Result<Option<Id<T>>, ApiError> {
        let id = self.number(name, 1, MAX_ID);
        let id = id.map_err(|_| ApiError::field(name, Reason::NotId))?;
        Ok(id.map(Id::new))
    }

    /// Returns ids that are separated by commas, at most so many.
    pub fn ids<T>(&self, name: &str, limit: usize) -> Result<Option<HashSet<Id<T>>>, ApiError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let found: Option<HashSet<_>> = text.split(',').map(|id| ids::parse(id.trim())).collect();
        let found = found.ok_or_else(|| ApiError::field(name, Reason::NotId))?;
        if found.len() > limit {
            return Err(ApiError::field(name, Reason::TooMany { limit }));
        }
        Ok(Some(found))
    }

    /// Returns the words of the parameter `search`, prepared for searching in many texts.
    pub fn search(&self) -> Result<Vec<Word>, ApiError> {
        let text = self.text("search").unwrap_or_default();
        if text.chars().count() > limits::NAME {
            let limit = limits::NAME;
            return Err(ApiError::field("search", Reason::TooLong { limit }));
        }
        Ok(text::search(text))
    }

    /// Returns a date-time.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, ApiError> {
        self.text(name)
            .map(|text| text.parse().map_err(|why| ApiError::field(name, why)))
            .transpose()
    }

    /// Returns the query with one parameter set to another value.
    pub fn with(&self, name: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(key, _)| key != name);
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(others)
            .append_pair(name, value)
            .finish()
    }
}
