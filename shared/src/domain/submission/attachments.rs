//! The copies of files that submissions have, in the table and in the bucket.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::db;
use crate::db::error::ignore_refusal;
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write};
use crate::domain::file::model::Upload;
use crate::domain::submission::keys;
use crate::domain::submission::model::Submission;
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
