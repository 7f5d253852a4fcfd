//! Uploads that no draft names are removed after 7 days (U6).

use shared::db::TableError;
use shared::domain::{ScheduledTask, StoredSubmission, Submission, Upload};
use shared::ids::{Id, of};
use shared::time::Timestamp;

use crate::timer::Timer;

impl Timer {
    /// Removes an upload, or looks again in a week if a draft names it.
    ///
    /// A draft may be saved at this moment. It is stored before it looks at the upload again; here
    /// the upload is ended before the drafts are read again. So at least one of them sees the
    /// other.
    pub(crate) async fn remove_upload(
        &self,
        entry: &ScheduledTask,
        (person, application, file): (Id<of::Person>, Id<of::Application>, Id<of::Upload>),
        now: Timestamp,
    ) -> Result<(), TableError> {
        let uploads = self.table.uploads(person, application).await?;
        let Some(upload) = uploads.into_iter().find(|upload| upload.id == file) else {
            // The person was erased, and the bytes may have arrived after that; or a run before
            // this one could not remove them.
            let object = Upload::object_of(application, person, file);
            self.table.files().store()?.delete(&[object]).await?;
            return self.finish(entry, None, now).await;
        };
        if let Some(until) = self.named_until(&upload, now).await? {
            return self.keep_named(entry, &upload, until, now).await;
        }
        let ended = self.table.keep_upload(&upload, now).await?;
        let named = match &ended {
            Some(ended) => self.named_until(ended, now).await?,
            None => None,
        };
        match (ended, named) {
            (Some(ended), Some(until)) => self.keep_named(entry, &ended, until, now).await,
            (Some(ended), None) if self.table.delete_upload(&ended).await? => {
                // If this fails, the entry remains, and the next run does it.
                let store = self.table.files().store()?;
                store.delete(&[ended.object()]).await?;
                self.finish(entry, None, now).await
            }
            // It was changed at this moment.
            _ => self.finish(entry, Some(now), now).await,
        }
    }

    /// Keeps an upload that a draft names, and looks again within a week. The end of the
    /// application may have been moved, and with it that of the draft.
    async fn keep_named(
        &self,
        entry: &ScheduledTask,
        upload: &Upload,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), TableError> {
        if upload.kept_until < until {
            self.table.keep_upload(upload, until).await?;
        }
        let again = until.min(now.plus(Upload::KEPT));
        self.finish(entry, Some(again), now).await
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
        let submission_id = |committee| Submission::id_of(application, person, committee);
        let submission_ids = drafts.iter().map(|answer| submission_id(answer.committee));
        let submitted = self
            .table
            .stored_submissions(application, submission_ids)
            .await?;
        let live = drafts.iter().filter(|answer| {
            let stored = submitted.get(&submission_id(answer.committee));
            answer.is_live(stored.map_or(0, StoredSubmission::last_submitted), now)
        });
        let last = live.map(|answer| answer.expires).max();
        let last = last.and_then(|last| chrono::DateTime::from_timestamp(last + 1, 0));
        Ok(last.map(Timestamp::at))
    }
}
