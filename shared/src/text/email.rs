use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::text::is_email;

/// An e-mail address that mail can be sent to, as the user wrote it. An empty value means no
/// address.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// Returns the text as an address; none if mail cannot be sent to it.
    pub fn parse(text: &str) -> Option<Self> {
        is_email(text).then(|| Self(text.to_owned()))
    }

    /// Returns the address in lower case, the form in which addresses are compared.
    #[must_use]
    pub fn folded(&self) -> Self {
        Self(self.0.to_lowercase())
    }

    /// Returns the address; none if it is empty.
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
