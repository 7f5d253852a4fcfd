use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::text::is_email;

/// An e-mail address that mail can be sent to, as the user wrote it. The domain may have letters of
/// any language, and is then in its Unicode form. An empty value means no address.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Email(String);

/// Returns an address with its domain in the ASCII form, in which it is compared and sent. One that
/// has none stays.
pub(crate) fn ascii_address(address: &str) -> Cow<'_, str> {
    let parts = address.rsplit_once('@');
    let parts = parts.filter(|(_, host)| !host.is_ascii());
    let ascii = parts.and_then(|(local, host)| {
        let host = idna::domain_to_ascii(host).ok()?;
        Some(format!("{local}@{host}"))
    });
    ascii.map_or(Cow::Borrowed(address), Cow::Owned)
}

/// Addresses that an earlier release stored may have a domain in the ASCII form.
impl From<String> for Email {
    fn from(stored: String) -> Self {
        let is_encoded = stored.contains("--") && stored.to_ascii_lowercase().contains("xn--");
        let parsed = is_encoded.then(|| Self::parse(&stored)).flatten();
        parsed.unwrap_or(Self(stored))
    }
}

impl From<Email> for String {
    fn from(address: Email) -> Self {
        address.0
    }
}

impl Email {
    /// Returns the text as an address; none if mail cannot be sent to it.
    pub fn parse(text: &str) -> Option<Self> {
        let ascii = ascii_address(text);
        if !is_email(&ascii) {
            return None;
        }
        let (local, host) = ascii.rsplit_once('@')?;
        if text.is_ascii() && !host.to_ascii_lowercase().contains("xn--") {
            return Some(Self(text.to_owned()));
        }
        let (host, is_valid) = idna::domain_to_unicode(host);
        is_valid.ok()?;
        Some(Self(format!("{local}@{host}")))
    }

    /// Returns the address as it is sent, with the domain in the ASCII form.
    pub fn ascii(&self) -> Cow<'_, str> {
        ascii_address(&self.0)
    }

    /// Returns the address in lower case. Two addresses are the same if these are the same. Keys
    /// are made from its ASCII form.
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

#[cfg(test)]
mod tests {
    use super::*;

    // proves H20
    #[test]
    fn domains_have_letters_of_any_language() {
        let parsed = |text: &str| Email::parse(text).map(String::from);
        let cases = [
            ("Ada@uni.example", Some("Ada@uni.example")),
            ("ada@MÜNCHEN.example", Some("ada@münchen.example")),
            ("ada@xn--mnchen-3ya.example", Some("ada@münchen.example")),
            ("ada@XN--MNCHEN-3YA.example", Some("ada@münchen.example")),
            ("ada@xn--a.example", None),
            ("ädä@uni.example", None),
            ("ada@uni..example", None),
            ("ada@mün chen.example", None),
        ];
        for (text, shown) in cases {
            assert_eq!(parsed(text).as_deref(), shown, "{text}");
        }
        let email = Email::parse("ada@münchen.example").unwrap_or_default();
        assert_eq!(email.ascii(), "ada@xn--mnchen-3ya.example");
        let stored: Result<Email, _> = serde_json::from_str("\"ada@xn--mnchen-3ya.example\"");
        assert_eq!(stored.ok(), Some(email));
    }
}
