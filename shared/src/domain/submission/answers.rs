//! The answers of a submission. They are only ever read as a whole, so they are one text in the
//! table: a list of attributes would cost more in every write, and in every list that reads it.

use serde::ser::{Error as _, SerializeTuple as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::domain::question::model::{Choice, Question};
use crate::ids::Id;

/// An answer to a fixed version of its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Id of the question.
    pub question: Id<Question>,
    /// Version of the question's prompt.
    pub version: u32,
    /// Position of the question when it was answered.
    pub precedence: i32,
    /// Answer to a free-response or short-answer question.
    pub text: Option<String>,
    /// Answer to a multiple-choice question: the id of the option.
    pub option: Option<Id<Choice>>,
}

/// An answer as it is stored: an array of five values.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct StoredAnswer<'a> {
    /// As in [`Answer`].
    pub question: Id<Question>,
    /// As in [`Answer`].
    pub version: u32,
    /// As in [`Answer`].
    pub precedence: i32,
    /// The text in JSON, so that a response can contain it as it is.
    #[serde(borrow)]
    pub text: Option<&'a RawValue>,
    /// As in [`Answer`].
    pub option: Option<Id<Choice>>,
}

impl StoredAnswer<'_> {
    /// Returns the text.
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.text?.get()).ok()
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(5)?;
        tuple.serialize_element(&self.question)?;
        tuple.serialize_element(&self.version)?;
        tuple.serialize_element(&self.precedence)?;
        tuple.serialize_element(&self.text)?;
        tuple.serialize_element(&self.option)?;
        tuple.end()
    }
}

/// The answers of a submission in the order of their questions, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Answers {
    stored: String,
    /// The size that is stored, also after the texts were dropped.
    size: usize,
}

impl From<String> for Answers {
    fn from(stored: String) -> Self {
        let size = stored.len();
        Self { stored, size }
    }
}

impl Serialize for Answers {
    /// Fails for answers that were dropped, so that they never replace what is stored.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.stored.len() == self.size {
            self.stored.serialize(serializer)
        } else {
            Err(S::Error::custom("answers that were dropped"))
        }
    }
}

impl Answers {
    /// Returns the answers in the form in which they are stored.
    pub fn new(answers: &[Answer]) -> Self {
        // Numbers and texts can always be written as JSON.
        Self::from(serde_json::to_string(answers).unwrap_or_default())
    }

    /// Returns answers from the text that is stored.
    pub fn from_stored(text: &str) -> Self {
        Self::from(text.to_owned())
    }

    /// Returns the single answers. They borrow their texts.
    pub fn read(&self) -> Vec<StoredAnswer<'_>> {
        if self.stored.is_empty() {
            return vec![];
        }
        serde_json::from_str(&self.stored)
            .inspect_err(|_| tracing::error!("answers cannot be read"))
            .unwrap_or_default()
    }

    /// Returns the size in the table, in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the size in memory, in bytes.
    pub fn held(&self) -> usize {
        self.stored.len()
    }

    /// Frees the memory of the answers. Their size stays known.
    pub fn drop_texts(&mut self) {
        self.stored = String::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        let answer = |text: Option<&str>, option: Option<u64>| Answer {
            question: Id::new(7),
            version: 2,
            precedence: -1,
            text: text.map(str::to_owned),
            option: option.map(Id::new),
        };
        let texts = ["", "plain", "\"quoted\"\n\\ \u{1} ü 🎲"];
        let mut all: Vec<Answer> = texts.iter().map(|text| answer(Some(text), None)).collect();
        all.push(answer(None, Some(9)));
        let stored = Answers::new(&all);
        let read: Vec<Answer> = stored
            .read()
            .iter()
            .map(|found| Answer {
                question: found.question,
                version: found.version,
                precedence: found.precedence,
                text: found.text(),
                option: found.option,
            })
            .collect();
        assert_eq!(read, all);
        assert!(Answers::default().read().is_empty());
    }
}
