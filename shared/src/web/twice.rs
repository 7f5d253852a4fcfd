//! Keys that a JSON object has twice. A parser takes one of them and says nothing, but a
//! request that asks for a preview and for the sending must not send.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::ApiError;
use crate::reason::Reason;

/// The path of the first key that an object of a JSON text has twice, such as `answers.0.text`.
pub(super) struct Twice(Option<String>);

impl Twice {
    /// 400 if an object of a JSON text has a key twice (H37).
    pub(super) fn check(bytes: &[u8]) -> Result<(), ApiError> {
        Self::of(bytes).map_or(Ok(()), |name| Err(sent_twice(name)))
    }

    /// The path of the first key that is there twice; none in a text that is no JSON.
    pub(super) fn of(bytes: &[u8]) -> Option<String> {
        serde_json::from_slice(bytes).map_or(None, |Self(name)| name)
    }
}

/// 400 for a field that a body has twice.
pub(super) fn sent_twice(name: String) -> ApiError {
    ApiError::field(name, Reason::Repeated)
}

impl<'de> Deserialize<'de> for Twice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectKeys)
    }
}

struct ObjectKeys;

impl<'de> Visitor<'de> for ObjectKeys {
    type Value = Twice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_unit<E>(self) -> Result<Twice, E> {
        Ok(Twice(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Twice, A::Error> {
        let mut at = 0;
        while let Some(Twice(found)) = parts.next_element()? {
            if let Some(found) = found {
                while parts.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Twice(Some(format!("{at}.{found}"))));
            }
            at += 1;
        }
        Ok(Twice(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Twice, A::Error> {
        let mut seen = HashSet::new();
        let mut twice = None;
        while let Some((key, Twice(found))) = entries.next_entry::<String, Twice>()? {
            let inside = found.map(|found| format!("{key}.{found}"));
            let again = (!seen.insert(key.clone())).then_some(key);
            twice = twice.or(again).or(inside);
        }
        Ok(Twice(twice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H37
    #[test]
    fn a_key_that_is_there_twice_is_found_wherever_it_is() {
        let found = |text: &str| serde_json::from_str::<Twice>(text).unwrap().0;
        let expected = [
            (r#"{"a":1,"b":[null,true,-1,1.5,"x",{"a":{}}]}"#, None),
            (r#"{"a":1,"b":2,"a":1}"#, Some("a")),
            (r#"{"a":[{"b":1},{"b":1,"b":2},3],"c":{}}"#, Some("a.1.b")),
            (r#"{"a":{"b":{"c":1,"c":2}}}"#, Some("a.b.c")),
        ];
        for (text, path) in expected {
            assert_eq!(found(text).as_deref(), path, "{text}");
        }
    }
}
