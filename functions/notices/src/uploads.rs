//! Uploads that no draft names are removed after 7 days (U6).

use shared::db::TableError;
use shared::domain::{Application, DueEntry, Person, StoredSubmission, Submission, Upload};
use shared::ids::Id;
use shared::time::Timestamp;

use crate::timer::Timer;

/// Whoever submitted it at this moment does not need it any more.
fn ignore_gone(result: Result<(), TableError>) -> Result<(), TableError> {
    match result {
        Err(TableError::Refused(_)) => Ok(()),
        other => other,
    }
}

impl Timer {
    /// Removes an upload, or looks again in a week if a draft names it.
    pub(crate) async fn remove_upload(
        &self,
        entry: &DueEntry,
        (person, application, file): (Id<Person>, Id<Application>, Id<Upload>),
        now: Timestamp,
    ) -> Result<(), TableError> {
        let uploads = self.table.uploads(person, application).await?;
        let Some(upload) = uploads.into_iter().find(|upload| upload.id == file) else {
            // The person was erased; the bytes may have arrived after that.
            let object = Upload::object_of(application, person, file);
            self.table.files().store()?.delete(&[object]).await?;
            return self.finish(entry, None, now).await;
        };
        if let Some(until) = self.named_until(&upload, now).await? {
            // The end of the application may have been moved, and with it that of the draft.
            if upload.kept_until < until {
                ignore_gone(self.table.keep_upload(&upload, until).await)?;
            }
            let again = until.min(now.plus(Upload::KEPT));
            return self.finish(entry, Some(again), now).await;
        }
        let store = self.table.files().store()?;
        store.delete(&[upload.object()]).await?;
        self.table.delete_upload(&upload).await?;
        self.finish(entry, None, now).await
    }

    /// Returns until when a draft names an upload; none if there is none.
    async fn named_until(
        &self,
        upload: &Upload,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, TableError> {
        let (application, person) = (upload.application, upload.person);
        let mut drafts = self.table.drafts(application, person).await?;
        drafts.retain(|answer| answer.file == Some(upload.id));
        let place = |committee| Submission::id_of(application, person, committee);
        let places = drafts.iter().map(|answer| place(answer.committee));
        let submitted = self.table.stored_submissions(application, places).await?;
        let live = drafts.iter().filter(|answer| {
            let stored = submitted.get(&place(answer.committee));
            answer.is_live(stored.map_or(0, StoredSubmission::last_submitted), now)
        });
        let last = live.map(|answer| answer.expires).max();
        let last = last.and_then(|last| chrono::DateTime::from_timestamp(last + 1, 0));
        Ok(last.map(Timestamp::at))
    }
}
