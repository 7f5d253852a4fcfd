//! The answers of a submission. They are only ever read as a whole, so they are one value in the
//! table: a list of attributes would cost more in every write, and in every list that reads it. Those
//! that no submission names any more are removed.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use futures::stream;
use futures::stream::{StreamExt as _, TryStreamExt as _};
use serde::de::{Error, Visitor};
use serde::ser::{Error as _, SerializeTuple as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::db::error::{check_memory_budget, ignore_refusal};
use crate::db::read::{Fetch, MAX_BATCH_KEYS, Range};
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write, each};
use crate::domain::file::model::AnswerFile;
use crate::domain::submission;
use crate::domain::submission::attachments::Attachment;
use crate::domain::submission::keys;
use crate::domain::submission::model::{Answered, Submission, SubmissionAnswers};
use crate::ids::{Id, of, sha256_hex};
use crate::kind::Kind;
use crate::time::RequestTime;
use crate::{db, limits};

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

impl Entity for SubmissionAnswers {
    const KIND: Kind = Kind::Answers;

    fn key(&self) -> Key {
        keys::submission_answers(self.application, self.submission, self.at)
    }
}

impl SubmissionAnswers {
    /// Returns the key of the answers of a submission. None if the submission has its answers
    /// itself, or none after an erasure.
    pub(crate) fn key_of(submission: &Submission) -> Option<Key> {
        (submission.answers_at != 0).then(|| {
            keys::submission_answers(submission.application, submission.id, submission.answers_at)
        })
    }
}

/// Batch reads at a time if each may return 16 MB.
const LARGE_BATCHES: usize = 4;

/// How often the answers are looked for if a submission was changed after it was read.
const LOOKS: usize = 3;

impl Table {
    /// Returns submissions with their answers, in the same order: 1 batch read per 100. One that
    /// was withdrawn in the meantime is left out, and one that was submitted again is as it is now.
    ///
    /// Fails with [`TableError::TooMuch`] if they are larger than the memory limit.
    pub async fn answered(
        &self,
        submissions: Vec<Submission>,
    ) -> Result<Vec<Answered>, TableError> {
        self.answered_with(submissions, HashMap::new()).await
    }

    /// Adds the answers to one submission: 1 read. None if it was withdrawn in the meantime.
    pub async fn one_answered(
        &self,
        submission: Submission,
    ) -> Result<Option<Answered>, TableError> {
        Ok(self.answered(vec![submission]).await?.pop())
    }

    /// Returns all of these submissions of one application with their answers: 1 query per
    /// partition, in parallel. Cheaper than [`Table::answered`] if they are most of `all`.
    pub async fn all_answered(
        &self,
        application: Id<of::Application>,
        submissions: Vec<Submission>,
        all: usize,
    ) -> Result<Vec<Answered>, TableError> {
        if submissions.len() <= MAX_BATCH_KEYS || submissions.len() * 3 < all {
            return self.answered(submissions).await;
        }
        let requested: HashSet<Key> = submissions
            .iter()
            .filter_map(SubmissionAnswers::key_of)
            .collect();
        let memory_used = AtomicUsize::new(0);
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut found = Vec::new();
            let pk = keys::answers(application, part);
            self.each_page(
                false,
                pk,
                Range::All,
                Fetch::Eventual,
                |page: Vec<SubmissionAnswers>| {
                    for submission_answers in page {
                        let key = submission_answers.key();
                        if requested.contains(&key) {
                            memory_used
                                .fetch_add(submission_answers.answers.size(), Ordering::Relaxed);
                            found.push((key, submission_answers.answers));
                        }
                    }
                    check_memory_budget(memory_used.load(Ordering::Relaxed)).map(|()| true)
                },
            )
            .await?;
            Ok::<_, TableError>(found)
        });
        let found = futures::future::try_join_all(parts).await?;
        let answers = found.into_iter().flatten().collect();
        self.answered_with(submissions, answers).await
    }

    async fn answered_with(
        &self,
        submissions: Vec<Submission>,
        mut answers: HashMap<Key, Answers>,
    ) -> Result<Vec<Answered>, TableError> {
        let order: Vec<Key> = submissions.iter().map(Entity::key).collect();
        let (mut open, mut done) = (submissions, HashMap::new());
        let mut memory_used = 0;
        for look in 1..=LOOKS {
            let missing = open.iter().filter_map(SubmissionAnswers::key_of);
            let missing = missing.filter(|key| !answers.contains_key(key)).collect();
            answers.extend(self.submission_answers(missing).await?);
            let mut lost = Vec::new();
            for mut submission in open {
                let answers = match SubmissionAnswers::key_of(&submission) {
                    None => submission.answers.take().unwrap_or_default(),
                    Some(key) => match answers.remove(&key) {
                        Some(answers) => answers,
                        None if look == LOOKS => {
                            tracing::error!("the answers of a submission are missing");
                            Answers::default()
                        }
                        None => {
                            lost.push(submission.key());
                            continue;
                        }
                    },
                };
                memory_used += answers.size() + submission.memory_used();
                check_memory_budget(memory_used)?;
                let key = submission.key();
                done.insert(
                    key,
                    Answered {
                        submission,
                        answers,
                    },
                );
            }
            if lost.is_empty() {
                break;
            }
            // They were submitted again, withdrawn or erased after they were read.
            open = self.get_entities(lost).await?.into_values().collect();
        }
        Ok(order.iter().filter_map(|key| done.remove(key)).collect())
    }

    /// Reads answers by their keys. Only a few batches are in memory at a time.
    async fn submission_answers(
        &self,
        requested: Vec<Key>,
    ) -> Result<HashMap<Key, Answers>, TableError> {
        let batches = stream::iter(requested.chunks(MAX_BATCH_KEYS).map(<[_]>::to_vec))
            .map(|keys| self.batch_of_answers(keys))
            .buffered(LARGE_BATCHES);
        let (all, _) = batches
            .try_fold(
                (HashMap::new(), 0),
                async |(mut all, mut memory_used), found| {
                    for submission_answers in found {
                        memory_used += submission_answers.answers.size();
                        all.insert(submission_answers.key(), submission_answers.answers);
                    }
                    check_memory_budget(memory_used)?;
                    Ok((all, memory_used))
                },
            )
            .await?;
        Ok(all)
    }

    /// Reads at most 100 answers for half the price. They never change, so nothing old can be read,
    /// and what was stored a moment ago and is not seen yet is read once more.
    async fn batch_of_answers(&self, keys: Vec<Key>) -> Result<Vec<SubmissionAnswers>, TableError> {
        let mut found: Vec<SubmissionAnswers> = self.get_all(keys.clone(), false).await?;
        let seen: HashSet<Key> = found.iter().map(Entity::key).collect();
        let missing: Vec<Key> = keys.into_iter().filter(|key| !seen.contains(key)).collect();
        if !missing.is_empty() {
            let again = self.get_entities(missing).await?;
            found.extend(again.into_values());
        }
        Ok(found)
    }

    /// Removes one revision of answers, which no submission names any more: 1 write. Its place
    /// stays taken for a day, so that a late write does not bring the answers back.
    pub async fn delete_submission_answers(
        &self,
        submission: &Submission,
        when: RequestTime,
    ) -> Result<(), TableError> {
        match SubmissionAnswers::key_of(submission) {
            Some(key) => self.delete_one(key, when).await,
            None => Ok(()),
        }
    }

    /// The key is never used again, so a late write harms nothing.
    async fn delete_one(&self, key: Key, when: RequestTime) -> Result<(), TableError> {
        let tombstone = Write::put(&Tombstone::new(key, when))?;
        let tombstone = tombstone.if_equals(db::keys::TYPE, &SubmissionAnswers::TYPE);
        ignore_refusal(self.write(tombstone).await.map(drop))
    }

    /// Removes the answers in the place of a submission that were sent before the request that
    /// came at `when`: 1 query, and 1 write for each. This includes answers that no submission
    /// names, because the process of their request ended between its two writes. Returns the copies
    /// of files that went with them.
    pub(crate) async fn delete_answers(
        &self,
        application: Id<of::Application>,
        submission: Id<of::Submission>,
        when: RequestTime,
    ) -> Result<Vec<Attachment>, TableError> {
        let Key { pk, sk: last } = keys::submission_answers(application, submission, when.received);
        let range = Range::Between(keys::answers_prefix(submission), last);
        let found = self.keys(pk, range).await?;
        let attachments: Vec<Attachment> = found
            .iter()
            .filter_map(submission::keys::attachment_at)
            .collect();
        let submission_answers = found
            .into_iter()
            .filter(|key| submission::keys::attachment_at(key).is_none());
        self.remove_attachments(&attachments, when).await?;
        each(submission_answers, |key| self.delete_one(key, when)).await?;
        Ok(attachments)
    }
}
