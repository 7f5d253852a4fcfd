use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::text::is_email;

/// An e-mail address that a mail can be sent to, as it was written; or empty, for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// The address that a text is; none if no mail can be sent to it.
    pub fn parse(text: &str) -> Option<Self> {
        is_email(text).then(|| Self(text.to_owned()))
    }

    /// The address as it is compared: in lower case.
    #[must_use]
    pub fn folded(&self) -> Self {
        Self(self.0.to_lowercase())
    }

    /// The address; none if it is empty.
    pub fn into_option(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }
}

impl Deref for Email {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
