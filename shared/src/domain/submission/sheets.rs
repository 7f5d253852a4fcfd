//! Reads the answers of submissions, and removes those that no submission names any more.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use crate::db::error::{check_held, ignore_refusal};
use crate::db::read::{Fetch, MAX_BATCH_KEYS, Range};
use crate::db::{Entity, Key, Table, TableError, Write, each};
use crate::domain::application::model::Application;
use crate::domain::file::copy::FileCopy;
use crate::domain::keys;
use crate::domain::submission::answers::Answers;
use crate::domain::submission::model::{AnswerSheet, Answered, Submission};
use crate::domain::tombstones::Gone;
use crate::ids::Id;
use crate::time::RequestTime;

impl Entity for AnswerSheet {
    const TYPE: &'static str = "Answers";

    fn key(&self) -> Key {
        keys::answer_sheet(self.application, self.submission, self.at)
    }
}

impl AnswerSheet {
    /// Returns the key of the answers of a submission. None if the submission has its answers
    /// itself, or none after an erasure.
    pub(crate) fn key_of(submission: &Submission) -> Option<Key> {
        (submission.answers_at != 0).then(|| {
            keys::answer_sheet(submission.application, submission.id, submission.answers_at)
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
        application: Id<Application>,
        submissions: Vec<Submission>,
        all: usize,
    ) -> Result<Vec<Answered>, TableError> {
        if submissions.len() <= MAX_BATCH_KEYS || submissions.len() * 3 < all {
            return self.answered(submissions).await;
        }
        let wanted: HashSet<Key> = submissions.iter().filter_map(AnswerSheet::key_of).collect();
        let held = AtomicUsize::new(0);
        let parts = (0..keys::SUBMISSION_PARTS).map(async |part| {
            let mut found = Vec::new();
            let pk = keys::answers(application, part);
            self.each_page(
                false,
                pk,
                Range::All,
                Fetch::Lately,
                |page: Vec<AnswerSheet>| {
                    for sheet in page {
                        let key = sheet.key();
                        if wanted.contains(&key) {
                            held.fetch_add(sheet.answers.size(), Ordering::Relaxed);
                            found.push((key, sheet.answers));
                        }
                    }
                    check_held(held.load(Ordering::Relaxed)).map(|()| true)
                },
            )
            .await?;
            Ok::<_, TableError>(found)
        });
        let found = futures::future::try_join_all(parts).await?;
        let known = found.into_iter().flatten().collect();
        self.answered_with(submissions, known).await
    }

    async fn answered_with(
        &self,
        submissions: Vec<Submission>,
        mut known: HashMap<Key, Answers>,
    ) -> Result<Vec<Answered>, TableError> {
        let order: Vec<Key> = submissions.iter().map(Entity::key).collect();
        let (mut open, mut done) = (submissions, HashMap::new());
        let mut held = 0;
        for look in 1..=LOOKS {
            let missing = open.iter().filter_map(AnswerSheet::key_of);
            let missing = missing.filter(|key| !known.contains_key(key)).collect();
            known.extend(self.sheets(missing).await?);
            let mut lost = Vec::new();
            for mut submission in open {
                let answers = match AnswerSheet::key_of(&submission) {
                    None => submission.answers.take().unwrap_or_default(),
                    Some(key) => match known.remove(&key) {
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
                held += answers.size() + submission.held();
                check_held(held)?;
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
    async fn sheets(&self, wanted: Vec<Key>) -> Result<HashMap<Key, Answers>, TableError> {
        let batches = stream::iter(wanted.chunks(MAX_BATCH_KEYS).map(<[_]>::to_vec))
            .map(|keys| self.some_sheets(keys))
            .buffered(LARGE_BATCHES);
        let (all, _) = batches
            .try_fold((HashMap::new(), 0), async |(mut all, mut held), found| {
                for sheet in found {
                    held += sheet.answers.size();
                    all.insert(sheet.key(), sheet.answers);
                }
                check_held(held)?;
                Ok((all, held))
            })
            .await?;
        Ok(all)
    }

    /// Reads at most 100 answers for half the price. They never change, so nothing old can be read,
    /// and what was stored a moment ago and is not seen yet is read once more.
    async fn some_sheets(&self, keys: Vec<Key>) -> Result<Vec<AnswerSheet>, TableError> {
        let mut found: Vec<AnswerSheet> = self.get_all(keys.clone(), false).await?;
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
    pub async fn bury_sheet(
        &self,
        submission: &Submission,
        when: RequestTime,
    ) -> Result<(), TableError> {
        match AnswerSheet::key_of(submission) {
            Some(key) => self.bury_one(key, when).await,
            None => Ok(()),
        }
    }

    /// The key is never used again, so a late write harms nothing.
    async fn bury_one(&self, key: Key, when: RequestTime) -> Result<(), TableError> {
        let gone = Write::put(&Gone::new(key, when))?;
        let gone = gone.if_equals(keys::TYPE, &AnswerSheet::TYPE);
        ignore_refusal(self.write(gone).await.map(drop))
    }

    /// Removes the answers in the place of a submission that were sent before the request that
    /// came at `when`: 1 query, and 1 write for each. This includes answers that no submission
    /// names, because the process of their request ended between its two writes. Returns the copies
    /// of files that went with them.
    pub(crate) async fn bury_answers(
        &self,
        application: Id<Application>,
        submission: Id<Submission>,
        when: RequestTime,
    ) -> Result<Vec<FileCopy>, TableError> {
        let Key { pk, sk: last } = keys::answer_sheet(application, submission, when.received);
        let range = Range::Between(keys::answers_prefix(submission), last);
        let found = self.keys(pk, range).await?;
        let copies: Vec<FileCopy> = found.iter().filter_map(keys::copy_at).collect();
        let sheets = found.into_iter().filter(|key| keys::copy_at(key).is_none());
        self.remove_copies(&copies, when).await?;
        each(sheets, |key| self.bury_one(key, when)).await?;
        Ok(copies)
    }
}
