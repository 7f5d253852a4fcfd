//! The copies of files that a submission has: made before it is stored, and removed if it is not
//! (U5).

use futures::future::{join_all, try_join_all};
use shared::Shared;
use shared::db::TableError;
use shared::domain::{Answered, FileCopy};
use shared::time::RequestTime;
use shared::web::{ApiError, Result};

use crate::file_sources::CheckedFiles;
use crate::store::SubmitResult;

/// Copies the files of a submission to keys that no address of an upload names, each on condition
/// of the tag that was checked: 1 write, and 1 request of the bucket for each file.
pub(crate) async fn copy_files(
    app: &Shared,
    submission: &Answered,
    files: &CheckedFiles,
) -> Result<Vec<FileCopy>> {
    let copies = submission.copies();
    if copies.is_empty() {
        return Ok(copies);
    }
    app.table.note_copies(&copies).await?;
    let store = app.table.files().store()?;
    let made = copies.iter().map(async |copy| {
        let Some(Ok(found)) = files.get(&copy.file) else {
            return Ok(false);
        };
        store.copy(&found.object, &copy.object(), &found.tag).await
    });
    let why = match try_join_all(made).await {
        Ok(made) if made.iter().all(|is_made| *is_made) => return Ok(copies),
        Ok(_) => {
            let why = "A file was changed at this moment. Please upload it again.";
            ApiError::field("responses", why)
        }
        Err(error) => error.into(),
    };
    remove(app, &copies, submission.received).await;
    Err(why)
}

/// Notes that uploads are used by the submission that was stored. If it was not, its copies are
/// removed. What fails here is done when the submission is withdrawn or erased.
pub(crate) async fn finish_files(
    app: &Shared,
    (received, copies): (u64, &[FileCopy]),
    files: &CheckedFiles,
    stored: &Result<SubmitResult>,
) {
    let is_stored = match stored {
        Ok(outcome) => outcome.stored.answers_at == received,
        // It may be stored.
        Err(ApiError::OutcomeUnknown(_) | ApiError::Internal(_)) => return,
        Err(_) => false,
    };
    if !is_stored {
        return remove(app, copies, received).await;
    }
    let used = copies.iter().filter_map(|copy| {
        let found = files.get(&copy.file)?.as_ref().ok()?;
        Some(app.table.use_upload(found.upload.as_ref()?))
    });
    for result in join_all(used).await {
        warn(result);
    }
}

async fn remove(app: &Shared, copies: &[FileCopy], received: u64) {
    let when = RequestTime {
        received,
        at: app.now(),
    };
    warn(app.table.remove_copies(copies, when).await);
}

fn warn(result: std::result::Result<(), TableError>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the files of a submission were not finished");
    }
}
