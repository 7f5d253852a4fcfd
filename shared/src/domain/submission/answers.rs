//! The answers of a submission, and the files among them. They are only ever read as a whole, so
//! they are one value in the table: a list of attributes would cost more in every write, and in
//! every list that reads it.

use std::fmt;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::{Error, Visitor};
use serde::ser::{Error as _, SerializeTuple as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::domain::file::model::AnswerFile;
use crate::ids::{Id, of, sha256_hex};
use crate::limits;

/// An answer to a fixed version of its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Id of the question.
    pub question: Id<of::Question>,
    /// Version of the question's prompt.
    pub version: u32,
    /// Position of the question when it was answered.
    pub precedence: i32,
    /// Answer to a free-response or short-answer question.
    pub text: Option<String>,
    /// Answer to a multiple-choice question: the id of the option.
    pub option: Option<Id<of::Choice>>,
    /// Answer to a question for a file.
    pub file: Option<AnswerFile>,
}

/// An answer as it is stored: an array of five values, or of six with a file.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct StoredAnswer<'a> {
    /// As in [`Answer`].
    pub question: Id<of::Question>,
    /// As in [`Answer`].
    pub version: u32,
    /// As in [`Answer`].
    pub precedence: i32,
    /// The text in JSON, so that a response can contain it as it is.
    #[serde(borrow)]
    pub text: Option<&'a RawValue>,
    /// As in [`Answer`].
    pub option: Option<Id<of::Choice>>,
    /// The file in JSON.
    #[serde(borrow, default)]
    pub file: Option<&'a RawValue>,
}

impl StoredAnswer<'_> {
    /// Returns the file.
    pub fn file(&self) -> Option<AnswerFile> {
        serde_json::from_str(self.file?.get()).ok()
    }

    /// Returns the text.
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.text?.get()).ok()
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(if self.file.is_some() { 6 } else { 5 })?;
        tuple.serialize_element(&self.question)?;
        tuple.serialize_element(&self.version)?;
        tuple.serialize_element(&self.precedence)?;
        tuple.serialize_element(&self.text)?;
        tuple.serialize_element(&self.option)?;
        if let Some(file) = &self.file {
            tuple.serialize_element(file)?;
        }
        tuple.end()
    }
}

/// The answers of a submission in the order of their questions, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers(String);

impl Answers {
    /// Returns the answers in the form in which they are stored.
    pub fn new(answers: &[Answer]) -> Self {
        // Numbers and texts can always be written as JSON.
        Self(serde_json::to_string(answers).unwrap_or_default())
    }

    /// Returns the single answers. They borrow their texts.
    pub fn read(&self) -> Vec<StoredAnswer<'_>> {
        if self.0.is_empty() {
            return vec![];
        }
        serde_json::from_str(&self.0)
            .inspect_err(|_| tracing::error!("answers cannot be read"))
            .unwrap_or_default()
    }

    /// Returns the files.
    pub fn files(&self) -> Vec<AnswerFile> {
        self.read().iter().filter_map(StoredAnswer::file).collect()
    }

    /// Returns the size of the JSON, in bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Returns the beginning of a hash. Two submissions of the same answers have the same.
    pub fn hash(&self) -> String {
        let mut hash = sha256_hex(self.0.as_bytes());
        hash.truncate(HASH);
        hash
    }
}

/// How many characters of a hash are kept: 128 bits.
const HASH: usize = 32;
/// Answers that are shorter (bytes) are stored as a text. Longer ones are compressed, because each
/// KB costs a write unit.
const SHORT: usize = 256;
/// More than answers can have, so that reading what is stored needs no more memory than this.
const MOST: u64 = 4 * limits::STORED_ANSWERS as u64;

impl Serialize for Answers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.len() < SHORT {
            return self.0.serialize(serializer);
        }
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
        let packed = packed
            .write_all(self.0.as_bytes())
            .and_then(|()| packed.finish());
        serializer.serialize_bytes(&packed.map_err(S::Error::custom)?)
    }
}

/// The level of compression. Higher ones take more time and save few bytes in texts of this size.
const LEVEL: u32 = 6;

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrPacked)
    }
}

struct TextOrPacked;

impl Visitor<'_> for TextOrPacked {
    type Value = Answers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers, as a text or compressed")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Answers, E> {
        Ok(Answers(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Answers, E> {
        Ok(Answers(text))
    }

    fn visit_bytes<E: Error>(self, packed: &[u8]) -> Result<Answers, E> {
        let mut text = String::new();
        let mut reader = DeflateDecoder::new(packed).take(MOST);
        reader.read_to_string(&mut text).map_err(E::custom)?;
        Ok(Answers(text))
    }
}

/// Says that a submission may have a copy of a file in the bucket. It is stored before the copy is
/// made, and removed after the copy was deleted. So nothing in the bucket is without an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// Id of the person. An erasure finds it by this, also if the submission was never stored. None
    /// if only the key in the bucket is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Id<of::Person>>,
    /// The order number of the request that sent the answers: each has copies of its own, so that
    /// none can be exchanged.
    pub at: u64,
    /// Id of the file.
    pub file: Id<of::Upload>,
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
            file: None,
        };
        let texts = ["", "plain", "\"quoted\"\n\\ \u{1} ü 🎲"];
        let mut all: Vec<Answer> = texts.iter().map(|text| answer(Some(text), None)).collect();
        all.push(answer(None, Some(9)));
        all.push(Answer {
            file: Some(AnswerFile {
                id: Id::new(3),
                name: "a \"CV\".pdf".into(),
                size: 7,
                media_type: "application/pdf".into(),
                sha256: "00".into(),
            }),
            ..answer(None, None)
        });
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
                file: found.file(),
            })
            .collect();
        assert_eq!(read, all);
        assert!(Answers::default().read().is_empty());
    }

    #[test]
    fn long_answers_are_compressed_and_short_ones_are_not() {
        for (length, is_packed) in [(10, false), (300, true), (300_000, true)] {
            let answers = Answers(format!(
                "[[7,1,0,\"{}\",null]]",
                "ä word ".repeat(length / 8)
            ));
            let stored = serde_dynamo::to_attribute_value(&answers);
            let stored: serde_dynamo::AttributeValue = stored.expect("an attribute");
            let bytes = match &stored {
                serde_dynamo::AttributeValue::B(bytes) => Some(bytes.len()),
                _ => None,
            };
            assert_eq!(bytes.is_some(), is_packed);
            assert!(bytes.is_none_or(|bytes| bytes < answers.size() / 2));
            let read: Answers = serde_dynamo::from_attribute_value(stored).expect("answers");
            assert_eq!(read, answers);
        }
    }
}
