//! Uploads in the table.

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Key, Table, TableError, Tombstone, Write};
use crate::domain::file::keys;
use crate::domain::file::model::{AnswerFile, Upload};
use crate::domain::person;
use crate::domain::task::model::{ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::{RequestTime, Timestamp};

impl Entity for Upload {
    const KIND: Kind = Kind::Upload;

    fn key(&self) -> Key {
        keys::upload(self.person, self.application, self.number)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.kept_until.plus(Self::REMOVED_WITHIN).epoch_seconds())
    }
}

impl Upload {
    /// Returns the key in the bucket to which the browser sends the file.
    pub fn object(&self) -> String {
        Self::object_of(self.application, self.person, self.id)
    }

    /// Returns the key in the bucket of the upload with these ids.
    pub fn object_of(
        application: Id<of::Application>,
        person: Id<of::Person>,
        file: Id<of::Upload>,
    ) -> String {
        keys::uploaded(application, person, file)
    }

    /// Returns when the timer looks whether it is needed any longer.
    pub fn scheduled_task(&self, now: Timestamp) -> ScheduledTask {
        self.task_at(self.kept_until, now)
    }

    /// Returns an entry for the timer at this time.
    pub(crate) fn task_at(&self, at: Timestamp, now: Timestamp) -> ScheduledTask {
        let what = TaskKind::Upload {
            person: self.person,
            application: self.application,
            file: self.id,
        };
        ScheduledTask::new(at, now, what)
    }

    /// Returns what an answer says of it.
    pub fn answer(&self) -> AnswerFile {
        AnswerFile {
            id: self.id,
            name: self.name.clone(),
            size: self.size,
            media_type: self.format.media_type().to_owned(),
            sha256: self.sha256.clone(),
        }
    }
}

impl Table {
    /// Returns a person's uploads to an application, at most [`crate::limits::UPLOADS`], also those
    /// that are kept no longer: 1 query.
    pub async fn uploads(
        &self,
        person: Id<of::Person>,
        application: Id<of::Application>,
    ) -> Result<Vec<Upload>, TableError> {
        let range = Range::Prefix(keys::uploads_to(application));
        self.query(person::keys::own(person), range).await
    }

    /// Stores a new upload, and when the timer looks at it: 1 transaction. Refused if its number is
    /// not as it was read: empty, or with `replaced`.
    pub async fn put_upload(
        &self,
        upload: &Upload,
        replaced: Option<&Upload>,
        task: &ScheduledTask,
    ) -> Result<(), TableError> {
        let put = Write::put(upload)?;
        let put = match replaced {
            None => put.if_new_or_tombstone(upload.received),
            Some(replaced) => unchanged(put, replaced),
        };
        self.transact(vec![put, Write::put(task)?]).await
    }

    /// Keeps an upload until a time, and returns it; none if it is gone or was changed since it
    /// was read. Longer, because a draft names it, or not longer than now, because the timer is
    /// about to remove it. 1 write.
    pub async fn keep_upload(
        &self,
        upload: &Upload,
        until: Timestamp,
    ) -> Result<Option<Upload>, TableError> {
        let kept = Upload {
            kept_until: until,
            ..upload.clone()
        };
        let kept_now = self.write(unchanged(Write::put(&kept)?, upload)).await;
        Ok(unless_refused(kept_now)?.then_some(kept))
    }

    /// Notes that a submission has a copy of an upload: 1 write. It is no error if it is gone.
    pub async fn use_upload(&self, upload: &Upload) -> Result<(), TableError> {
        let write = Write::update(upload.key())
            .set("used", &true)
            .if_equals("id", &upload.id);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Removes an upload, and returns whether it is gone now: not if it was changed since it was
    /// read. 1 write.
    pub async fn delete_upload(&self, upload: &Upload) -> Result<bool, TableError> {
        let deleted = self.write(unchanged(Write::delete(upload.key()), upload));
        unless_refused(deleted.await)
    }

    /// Ends an upload of a person who is erased: 1 write. It is no error if another one has its
    /// place: that of somebody who came back.
    pub(crate) async fn end_upload(
        &self,
        upload: &Upload,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let tombstone =
            Write::put(&Tombstone::new(upload.key(), when))?.if_equals("id", &upload.id);
        ignore_refusal(self.write(tombstone).await.map(drop))
    }
}

/// Returns whether a write was done, and not refused.
fn unless_refused<T>(written: Result<T, TableError>) -> Result<bool, TableError> {
    match written {
        Err(TableError::Refused(_)) => Ok(false),
        written => written.map(|_| true),
    }
}

/// Adds a condition: nobody has kept, used, ended or replaced the upload since it was read.
fn unchanged(write: Write, upload: &Upload) -> Write {
    write
        .if_equals("id", &upload.id)
        .if_equals("kept_until", &upload.kept_until)
        .if_equals("used", &upload.used)
}
