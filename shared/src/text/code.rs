use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::limits;

/// The code of a club: lower-case letters, digits and hyphens, at least one letter, at most 64
/// characters (C3). It is part of paths and keys, and never changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClubCode(String);

impl ClubCode {
    /// Returns the text as a code; none if it does not have the form of a code.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_code = text.len() <= limits::CODE
            && text.bytes().all(plain)
            && text.bytes().any(|b| b.is_ascii_lowercase());
        is_code.then(|| Self(text.to_owned()))
    }

    /// Returns whether no club may have this code, because a path has it (C3).
    pub fn is_reserved(&self) -> bool {
        self.0 == "import"
    }
}

impl Deref for ClubCode {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClubCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
