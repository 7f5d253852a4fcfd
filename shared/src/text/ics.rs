//! Calendars as text (RFC 5545). Lines are folded at 75 bytes, between characters, and nothing that
//! people write can end a line.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use crate::text::ascii_address;

/// The longest line, in bytes without its end (RFC 5545, 3.1).
const LINE: usize = 75;

/// A component of a calendar: the calendar itself, an entry, a time zone.
#[derive(Debug, Clone)]
pub struct Component {
    name: &'static str,
    lines: String,
}

impl Component {
    /// Begins a component, for example `VEVENT`.
    pub fn new(name: &'static str) -> Self {
        let mut new = Self {
            name,
            lines: String::new(),
        };
        new.raw("BEGIN", name);
        new
    }

    /// Begins a calendar.
    pub fn calendar() -> Self {
        let mut calendar = Self::new("VCALENDAR");
        calendar
            .raw("VERSION", "2.0")
            .raw("PRODID", "-//Clubs//Clubs//EN");
        calendar
    }

    /// Adds a property with a value that needs no escapes: a number, an address, a word.
    pub fn raw(&mut self, name: &str, value: &str) -> &mut Self {
        let mut used = 0;
        for c in name.chars().chain([':']).chain(value.chars()) {
            let c = if c.is_control() { ' ' } else { c };
            if used + c.len_utf8() > LINE {
                self.lines.push_str("\r\n ");
                used = 1;
            }
            self.lines.push(c);
            used += c.len_utf8();
        }
        self.lines.push_str("\r\n");
        self
    }

    /// Adds a property with a text. Control characters other than line breaks are left out.
    pub fn text(&mut self, name: &str, text: &str) -> &mut Self {
        let mut value = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\n' => value.push_str("\\n"),
                '\\' | ';' | ',' => value.extend(['\\', c]),
                c if c.is_control() => {}
                c => value.push(c),
            }
        }
        self.raw(name, &value)
    }

    /// Adds a property with a time.
    pub fn time(&mut self, name: &str, at: DateTime<Utc>) -> &mut Self {
        self.raw(name, &at.format("%Y%m%dT%H%M%SZ").to_string())
    }

    /// Adds a property with an e-mail address and the name of whose it is. `more` are further
    /// parameters.
    pub fn person(
        &mut self,
        property: &str,
        (name, address): (&str, &str),
        more: &[(&str, &str)],
    ) -> &mut Self {
        let mut start = property.to_owned();
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        // The value of a parameter cannot have quotation marks.
        let _ = write!(start, ";CN=\"{}\"", name.replace('"', "'"));
        for (parameter, value) in more {
            let _ = write!(start, ";{parameter}={value}");
        }
        self.raw(&start, &format!("mailto:{}", ascii_address(address)))
    }

    /// Adds a component.
    pub fn push(&mut self, inner: Self) -> &mut Self {
        self.lines.push_str(&inner.into_text());
        self
    }

    /// Returns how many bytes it has without its last line.
    pub fn size(&self) -> usize {
        self.lines.len()
    }

    /// Returns its lines.
    pub fn into_text(mut self) -> String {
        let name = self.name;
        self.raw("END", name);
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::Component;

    fn folded(text: &str) -> String {
        let mut entry = Component::new("VEVENT");
        entry.text("LOCATION", text);
        entry.into_text()
    }

    proptest! {
        // Some of these texts made a library fold for ever.
        #[test]
        fn every_text_is_folded_and_can_be_unfolded(
            start in "[a-z]{0,4}",
            wide in "[éЖ😀 a]{0,80}",
            spaces in "( |\u{a0}|a |é){0,150}",
            rest in any::<String>(),
        ) {
            let text = format!("{start}{wide}{spaces}{rest}");
            let lines = folded(&text);
            for line in lines.split("\r\n") {
                assert!(line.len() <= 75 && !line.contains(char::is_control), "{line:?}");
            }
            let whole = lines.replace("\r\n ", "");
            let value = whole.split("\r\n").nth(1).expect("a line");
            let kept: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
            let escaped = kept.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
            assert_eq!(value, format!("LOCATION:{}", escaped.replace('\n', "\\n")));
        }
    }

    #[test]
    fn no_name_ends_a_line_or_a_parameter() {
        let mut entry = Component::new("VEVENT");
        entry.person(
            "ATTENDEE",
            ("a\";X=1\r\nB", "x@y.example"),
            &[("RSVP", "FALSE")],
        );
        assert_eq!(
            entry.into_text(),
            "BEGIN:VEVENT\r\nATTENDEE;CN=\"a';X=1B\";RSVP=FALSE:mailto:x@y.example\r\n\
                END:VEVENT\r\n"
        );
    }
}
