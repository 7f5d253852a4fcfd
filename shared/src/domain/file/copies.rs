//! The copies of files that submissions have, in the table and in the bucket.

use crate::db::error::ignore_refusal;
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::file::copy::FileCopy;
use crate::domain::file::model::Upload;
use crate::domain::keys;
use crate::domain::submission::model::Submission;
use crate::domain::tombstones::Gone;
use crate::ids::Id;
use crate::time::RequestTime;

impl Entity for FileCopy {
    const TYPE: &'static str = "FileCopy";

    fn key(&self) -> Key {
        keys::file_copy(self)
    }
}

impl FileCopy {
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
            at,
            file: Id::new(file),
        })
    }

    /// Returns the key in the bucket.
    pub fn object(&self) -> String {
        keys::copied(self)
    }
}

impl Submission {
    /// Returns the copies of files that it has.
    pub fn copies(&self) -> Vec<FileCopy> {
        let copy = |file: &Id<Upload>| FileCopy {
            application: self.application,
            submission: self.id,
            at: self.answers_at,
            file: *file,
        };
        self.files.iter().map(copy).collect()
    }
}

impl Table {
    /// Stores that these copies will be made: 1 transaction. It may be repeated. Refused if one was
    /// removed already.
    pub async fn note_copies(&self, copies: &[FileCopy]) -> Result<(), TableError> {
        let puts = copies.iter().map(|copy| {
            let is_same = |write: Write| write.if_equals(keys::TYPE, &FileCopy::TYPE);
            Ok(Write::put(copy)?.if_new_or(is_same))
        });
        self.transact(puts.collect::<Result<_, TableError>>()?)
            .await
    }

    /// Deletes everything in the bucket whose key begins with `prefix`: 1 request for each 1,000
    /// keys, and 1 for each.
    pub(crate) async fn remove_objects(&self, prefix: &str) -> Result<(), TableError> {
        let store = self.files.store()?;
        let found = store.list(prefix).await?;
        Ok(store.delete(&found).await?)
    }

    /// Deletes copies in the bucket, and then their entries: 1 request and 1 write for each.
    pub async fn remove_copies(
        &self,
        copies: &[FileCopy],
        when: RequestTime,
    ) -> Result<(), TableError> {
        if copies.is_empty() {
            return Ok(());
        }
        let objects: Vec<String> = copies.iter().map(FileCopy::object).collect();
        self.files.store()?.delete(&objects).await?;
        let entries = copies.iter().map(async |copy| {
            let gone = Write::put(&Gone::new(copy.key(), when))?;
            let gone = gone.if_equals(keys::TYPE, &FileCopy::TYPE);
            ignore_refusal(self.write(gone).await.map(drop))
        });
        futures::future::try_join_all(entries).await.map(drop)
    }
}
