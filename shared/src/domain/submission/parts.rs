//! What of a submission is stored apart: answers, and copies of files. Those that no submission
//! names any more are removed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream;
use futures::stream::{StreamExt as _, TryStreamExt as _};

use crate::db;
use crate::db::error::{check_memory_budget, ignore_refusal};
use crate::db::read::{Fetch, MAX_BATCH_KEYS, Range};
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write, each};
use crate::domain::file::model::Upload;
use crate::domain::submission;
use crate::domain::submission::answers::{Answers, Attachment};
use crate::domain::submission::keys;
use crate::domain::submission::model::{Answered, Submission, SubmissionAnswers};
use crate::domain::submission::store::StoredSubmission;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

impl Entity for Attachment {
    const KIND: Kind = Kind::Attachment;

    fn key(&self) -> Key {
        keys::attachment(self)
    }

    fn index_key(&self) -> Option<Key> {
        self.person.map(|person| keys::own_attachment(person, self))
    }
}

impl Attachment {
    /// Returns the copy with this key in the bucket; none if it is the key of something else.
    pub fn of_object(key: &str) -> Option<Self> {
        let parts: Vec<u64> = key
            .strip_prefix("files/")?
            .split('/')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let [application, submission, at, file] = parts[..] else {
            return None;
        };
        Some(Self {
            application: Id::new(application),
            submission: Id::new(submission),
            person: None,
            at,
            file: Id::new(file),
        })
    }

    /// Returns the key in the bucket.
    pub fn object(&self) -> String {
        keys::attachment_object(self)
    }
}

impl Submission {
    /// Returns the copies of files that it has.
    pub fn attachments(&self) -> Vec<Attachment> {
        let attachment = |file: &Id<of::Upload>| Attachment {
            application: self.application,
            submission: self.id,
            person: self.person,
            at: self.answers_at,
            file: *file,
        };
        self.files.iter().map(attachment).collect()
    }
}

impl Table {
    /// Notes that uploads are not used any more, because a submission that had copies of them is
    /// gone, and makes the timer look at them at its next run: 1 query, and 2 writes for each. It
    /// removes what no draft names.
    pub async fn release_uploads(
        &self,
        person: Id<of::Person>,
        attachments: &[Attachment],
        now: Timestamp,
    ) -> Result<(), TableError> {
        let Some(first) = attachments.first() else {
            return Ok(());
        };
        let uploads = self.uploads(person, first.application).await?;
        let is_one = |upload: &&Upload| {
            upload.used
                && attachments
                    .iter()
                    .any(|attachment| attachment.file == upload.id)
        };
        let unused = uploads.iter().filter(is_one).map(async |upload| {
            let write = Write::update(upload.key())
                .set("used", &false)
                .if_equals("id", &upload.id);
            ignore_refusal(self.write(write).await.map(drop))
        });
        futures::future::try_join_all(unused).await?;
        let entries = attachments.iter().map(async |attachment| {
            let what = TaskKind::Upload {
                person,
                application: attachment.application,
                file: attachment.file,
            };
            self.write(Write::put(&ScheduledTask::new(now, now, what))?)
                .await
                .map(drop)
        });
        futures::future::try_join_all(entries).await.map(drop)
    }

    /// Stores that these copies will be made: 1 transaction. It may be repeated. Refused if one was
    /// removed already.
    pub async fn note_attachments(&self, attachments: &[Attachment]) -> Result<(), TableError> {
        let puts = attachments.iter().map(|attachment| {
            let is_same = |write: Write| write.if_equals(db::keys::TYPE, &Attachment::TYPE);
            Ok(Write::put(attachment)?.if_new_or(is_same))
        });
        self.transact(puts.collect::<Result<_, TableError>>()?)
            .await
    }

    /// Deletes what has this key in the bucket: 1 request.
    pub async fn delete_object(&self, key: &str) -> Result<(), TableError> {
        let keys = [key.to_owned()];
        Ok(self.files.store()?.delete(&keys).await?)
    }

    /// Deletes everything in the bucket whose key begins with `prefix`: 1 request for each 1,000
    /// keys, and 1 for each.
    pub(crate) async fn remove_objects(&self, prefix: &str) -> Result<(), TableError> {
        let store = self.files.store()?;
        let found = store.list(prefix).await?;
        Ok(store.delete(&found).await?)
    }

    /// Deletes the copies of an application that no stored submission has: 1 request for each 1,000
    /// keys, and 1 batch read for each 100 submissions.
    pub(crate) async fn remove_unused_attachments(
        &self,
        application: Id<of::Application>,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let found = self
            .files
            .store()?
            .list(&keys::attachments_of(application))
            .await?;
        let mut attachments: Vec<Attachment> = found
            .iter()
            .filter_map(|key| Attachment::of_object(key))
            .collect();
        let submissions = attachments.iter().map(|attachment| attachment.submission);
        let stored = self.stored_submissions(application, submissions).await?;
        let used: HashSet<String> = stored
            .values()
            .filter_map(|stored| match stored {
                StoredSubmission::Present(submission) => Some(submission.attachments()),
                _ => None,
            })
            .flatten()
            .map(|attachment| attachment.object())
            .collect();
        attachments.retain(|attachment| !used.contains(&attachment.object()));
        self.remove_attachments(&attachments, when).await
    }

    /// Deletes copies in the bucket, and then their entries: 1 request and 1 write for each.
    pub async fn remove_attachments(
        &self,
        attachments: &[Attachment],
        when: RequestTime,
    ) -> Result<(), TableError> {
        if attachments.is_empty() {
            return Ok(());
        }
        let objects: Vec<String> = attachments.iter().map(Attachment::object).collect();
        self.files.store()?.delete(&objects).await?;
        let entries = attachments.iter().map(async |attachment| {
            let tombstone = Write::put(&Tombstone::new(attachment.key(), when))?;
            let tombstone = tombstone.if_equals(db::keys::TYPE, &Attachment::TYPE);
            ignore_refusal(self.write(tombstone).await.map(drop))
        });
        futures::future::try_join_all(entries).await.map(drop)
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
    pub async fn delete_answers(
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
