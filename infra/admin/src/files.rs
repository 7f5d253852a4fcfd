//! The files of submissions in the bucket, their entries, and the submissions that have them (U12).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use shared::domain::{FileCopy, Submission};
use shared::ids::order_number;

use crate::answers::AT_WORK;
use crate::finding::{Finding, Repair};
use crate::{StoredItems, typed};

/// What the keys in the bucket of the files of submissions begin with.
pub const SUBMITTED: &str = "files/";

/// Compares the files in the bucket with the table, in both directions. `objects` are their keys.
pub(crate) fn check(
    stored: &StoredItems,
    objects: &BTreeSet<String>,
    now: DateTime<Utc>,
) -> Vec<Finding> {
    // A submission copies its files before it is stored, and they are deleted after it is.
    let last = order_number(now - AT_WORK);
    let is_settled = |copy: &FileCopy| copy.at < last;
    let submissions: Vec<Submission> = typed(stored, "Submission");
    let named: BTreeSet<String> = submissions
        .iter()
        .flat_map(Submission::copies)
        .map(|copy| copy.object())
        .collect();
    let missing = submissions.iter().flat_map(Submission::copies);
    let missing = missing.filter(|copy| is_settled(copy) && !objects.contains(&copy.object()));
    let missing = missing.map(|copy| {
        let (submission, file) = (copy.submission, copy.file);
        Finding::from(format!(
            "submission {submission}: its file {file} is not in the bucket"
        ))
    });
    let entries: Vec<FileCopy> = typed(stored, "FileCopy");
    let entries = entries.iter().map(FileCopy::object);
    let known: BTreeSet<String> = objects.iter().cloned().chain(entries).collect();
    let left = known
        .difference(&named)
        .map(|key| match FileCopy::of_object(key) {
            Some(copy) if is_settled(&copy) => Some(Finding {
                text: format!("{key}: no submission has this file"),
                repair: Some(Repair::DeleteFile(copy)),
            }),
            Some(_) => None,
            None => Some(Finding::from(format!("{key}: this is no key of a file"))),
        });
    missing.chain(left.flatten()).collect()
}
