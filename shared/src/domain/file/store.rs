//! Uploads in the table.

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::file::copy::FileCopy;
use crate::domain::file::model::{AnswerFile, Upload};
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::notice::model::{Due, DueEntry};
use crate::domain::person::model::Person;
use crate::ids::Id;
use crate::time::Timestamp;

impl Entity for Upload {
    const TYPE: &'static str = "Upload";

    fn key(&self) -> Key {
        keys::upload(self.person, self.application, self.place)
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
    pub fn object_of(application: Id<Application>, person: Id<Person>, file: Id<Self>) -> String {
        keys::uploaded(application, person, file)
    }

    /// Returns when the timer looks whether it is needed any longer.
    pub fn due_entry(&self, now: Timestamp) -> DueEntry {
        self.due_at(self.kept_until, now)
    }

    /// Returns an entry for the timer at this time.
    pub(crate) fn due_at(&self, at: Timestamp, now: Timestamp) -> DueEntry {
        let what = Due::Upload {
            person: self.person,
            application: self.application,
            file: self.id,
        };
        DueEntry::new(at, now, what)
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
        person: Id<Person>,
        application: Id<Application>,
    ) -> Result<Vec<Upload>, TableError> {
        let range = Range::Prefix(keys::uploads_to(application));
        self.query(keys::own(person), range).await
    }

    /// Returns all uploads of a person: 1 query.
    pub(crate) async fn all_uploads(&self, person: Id<Person>) -> Result<Vec<Upload>, TableError> {
        let range = Range::Prefix(keys::OWN_UPLOADS.into());
        self.query(keys::own(person), range).await
    }

    /// Stores a new upload, and when the timer looks at it: 1 transaction. Refused if its place is
    /// not as it was read: empty, or with `replaced`.
    pub async fn put_upload(
        &self,
        upload: &Upload,
        replaced: Option<&Upload>,
        due: &DueEntry,
    ) -> Result<(), TableError> {
        let put = Write::put(upload)?;
        let put = match replaced {
            None => put.if_new_or_gone(upload.received),
            Some(replaced) => put
                .if_equals("id", &replaced.id)
                .if_equals("kept_until", &replaced.kept_until),
        };
        self.transact(vec![put, Write::put(due)?]).await
    }

    /// Keeps an upload longer, because a draft names it: 1 write. Refused if it is gone or was
    /// changed.
    pub async fn keep_upload(&self, upload: &Upload, until: Timestamp) -> Result<(), TableError> {
        let kept = Upload {
            kept_until: until,
            ..upload.clone()
        };
        let put = Write::put(&kept)?
            .if_equals("id", &upload.id)
            .if_equals("kept_until", &upload.kept_until);
        self.write(put.if_equals("used", &upload.used))
            .await
            .map(drop)
    }

    /// Notes that a submission has a copy of an upload: 1 write. It is no error if it is gone.
    pub async fn use_upload(&self, upload: &Upload) -> Result<(), TableError> {
        let write = Write::update(upload.key())
            .set("used", &true)
            .if_equals("id", &upload.id);
        ignore_refusal(self.write(write).await.map(drop))
    }

    /// Makes the timer look at uploads at its next run, because a submission that had copies
    /// of them is gone: 1 write for each. It removes what no draft names.
    pub async fn release_uploads(
        &self,
        person: Id<Person>,
        copies: &[FileCopy],
        now: Timestamp,
    ) -> Result<(), TableError> {
        let entries = copies.iter().map(async |copy| {
            let what = Due::Upload {
                person,
                application: copy.application,
                file: copy.file,
            };
            self.write(Write::put(&DueEntry::new(now, now, what))?)
                .await
                .map(drop)
        });
        futures::future::try_join_all(entries).await.map(drop)
    }

    /// Removes an upload: 1 write. It is no error if it is gone, or replaced.
    pub async fn delete_upload(&self, upload: &Upload) -> Result<(), TableError> {
        let write = Write::delete(upload.key()).if_equals("id", &upload.id);
        ignore_refusal(self.write(write).await.map(drop))
    }
}
