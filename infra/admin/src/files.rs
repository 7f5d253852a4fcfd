//! The files of submissions in the bucket, their entries, and the submissions that have them (U12).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use shared::domain::{Attachment, ScheduledTask, Submission, TaskKind, Upload};
use shared::ids::order_number;

use crate::answers::AT_WORK;
use crate::finding::{Finding, Repair};
use crate::{StoredItems, typed};

/// What the keys in the bucket of the files of submissions begin with.
pub const SUBMITTED: &str = "files/";
/// What the keys in the bucket of uploads begin with.
pub const UPLOADED: &str = "uploads/";

/// Compares the files in the bucket with the table, in both directions. `objects` are their keys.
pub(crate) fn check(
    stored: &StoredItems,
    objects: &BTreeSet<String>,
    now: DateTime<Utc>,
) -> Vec<Finding> {
    // A submission copies its files before it is stored, and they are deleted after it is.
    let last = order_number(now - AT_WORK);
    let is_settled = |attachment: &Attachment| attachment.at < last;
    let submissions: Vec<Submission> = typed(stored, "Submission");
    let named: BTreeSet<String> = submissions
        .iter()
        .flat_map(Submission::attachments)
        .map(|attachment| attachment.object())
        .collect();
    let missing = submissions.iter().flat_map(Submission::attachments);
    let missing = missing
        .filter(|attachment| is_settled(attachment) && !objects.contains(&attachment.object()));
    let missing = missing.map(|attachment| {
        let (submission, file) = (attachment.submission, attachment.file);
        Finding::from(format!(
            "submission {submission}: its file {file} is not in the bucket"
        ))
    });
    let entries: Vec<Attachment> = typed(stored, "Attachment");
    let entries = entries.iter().map(Attachment::object);
    let (uploads, submitted): (Vec<&String>, Vec<&String>) =
        objects.iter().partition(|key| key.starts_with(UPLOADED));
    let present: BTreeSet<String> = submitted.into_iter().cloned().chain(entries).collect();
    let left = present
        .difference(&named)
        .map(|key| match Attachment::of_object(key) {
            Some(attachment) if is_settled(&attachment) => Some(Finding {
                text: format!("{key}: no submission has this file"),
                repair: Some(Repair::DeleteFile(attachment)),
            }),
            Some(_) => None,
            None => Some(Finding::from(format!("{key}: this is no key of a file"))),
        });
    let unknown = unknown_uploads(stored, uploads, now);
    missing.chain(left.flatten()).chain(unknown).collect()
}

/// Uploads in the bucket that nobody has, and at which the timer will not look.
fn unknown_uploads<'k>(
    stored: &StoredItems,
    objects: Vec<&'k String>,
    now: DateTime<Utc>,
) -> impl Iterator<Item = Finding> + use<'k> {
    let last = Upload::ARRIVED_WITHIN;
    let last = order_number(now - last);
    let scheduled = typed::<ScheduledTask>(stored, "ScheduledTask").into_iter();
    let scheduled = scheduled.filter_map(|entry| match entry.what {
        TaskKind::Upload {
            person,
            application,
            file,
        } => Some(Upload::object_of(application, person, file)),
        _ => None,
    });
    let uploads = typed::<Upload>(stored, "Upload").into_iter();
    let present: BTreeSet<String> = uploads.map(|one| one.object()).chain(scheduled).collect();
    // The id of a file says when it was announced.
    let announced = |key: &str| key.rsplit('/').next()?.parse::<u64>().ok();
    objects
        .into_iter()
        .filter(move |key| !present.contains(*key) && announced(key).is_none_or(|at| at < last))
        .map(|key| Finding {
            text: format!("{key}: nobody has this upload"),
            repair: Some(Repair::DeleteUpload(key.clone())),
        })
}
