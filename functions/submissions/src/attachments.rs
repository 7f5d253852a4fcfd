//! The copies of files that a submission has: made before it is stored, and removed if it is known
//! that it is not (U5).

use futures::future::join_all;
use shared::Context;
use shared::db::TableError;
use shared::domain::{Answered, Attachment};
use shared::time::RequestTime;
use shared::web::{ApiError, Result};

use crate::files::CheckedFiles;
use crate::store::SubmitResult;

/// Copies the files of a submission to keys that no address of an upload names, each on condition
/// of the tag that was checked: 1 write, and 1 request of the bucket for each file.
pub(crate) async fn attach_files(
    app: &Context,
    submission: &Answered,
    files: &CheckedFiles,
) -> Result<Vec<Attachment>> {
    let attachments = submission.attachments();
    if attachments.is_empty() {
        return Ok(attachments);
    }
    app.table.note_attachments(&attachments).await?;
    let store = app.table.files().store()?;
    let made = attachments.iter().map(async |attachment| {
        let Some(Ok(found)) = files.get(&attachment.file) else {
            return Ok(false);
        };
        store
            .copy(&found.object, &attachment.object(), &found.tag)
            .await
    });
    // All of them are waited for: what is still on its way could arrive after the removal.
    let made = join_all(made).await;
    if made.iter().all(|made| matches!(made, Ok(true))) {
        return Ok(attachments);
    }
    if let Some(failed) = made.into_iter().find_map(std::result::Result::err) {
        // A copy without an answer may still be made. So all stay noted, and go when the
        // submission is withdrawn or erased.
        return Err(failed.into());
    }
    remove(app, &attachments, submission.received).await;
    // A file went or was exchanged at this moment, perhaps because another attempt of this request
    // is done. A repeat finds that, or what is wrong.
    Err(ApiError::Changed)
}

/// Notes that uploads are used by the submission that was stored. If it was not, and cannot be any
/// more, its copies are removed. What fails here is done when the submission is withdrawn or
/// erased.
pub(crate) async fn finish_files(
    app: &Context,
    (received, attachments): (u64, &[Attachment]),
    files: &CheckedFiles,
    stored: &Result<SubmitResult>,
) {
    let is_stored = match stored {
        Ok(outcome) => outcome.stored.answers_at == received,
        // It may be stored, although the answer is an error.
        Err(error) => match is_named(app, attachments).await {
            Ok(false) if error.may_be_stored() => return,
            Ok(is_named) => is_named,
            Err(_) => return,
        },
    };
    if !is_stored {
        return remove(app, attachments, received).await;
    }
    let used = attachments.iter().filter_map(|attachment| {
        let found = files.get(&attachment.file)?.as_ref().ok()?;
        Some(app.table.use_upload(found.upload.as_ref()?))
    });
    for result in join_all(used).await {
        warn(result);
    }
}

/// Returns whether the stored submission has these copies: 1 read.
async fn is_named(app: &Context, attachments: &[Attachment]) -> Result<bool> {
    let Some(attachment) = attachments.first() else {
        return Ok(false);
    };
    let stored = app
        .table
        .submission(attachment.application, attachment.submission);
    let stored = stored.await?;
    Ok(stored.is_some_and(|submission| submission.answers_at == attachment.at))
}

async fn remove(app: &Context, attachments: &[Attachment], received: u64) {
    let when = RequestTime {
        received,
        at: app.now(),
    };
    warn(app.table.remove_attachments(attachments, when).await);
}

fn warn(result: std::result::Result<(), TableError>) {
    if let Err(error) = result {
        tracing::warn!(%error, "the files of a submission were not finished");
    }
}
