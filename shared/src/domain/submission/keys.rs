//! The keys of submissions in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::db::read::Range;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// The number of partitions for the submissions of one application. Each partition allows 1,000
/// write units per second.
pub const SUBMISSION_PARTS: u64 = 4;

/// This prefix sorts before favorites, too.
pub(crate) const RECENT_SUBMISSIONS: &str = "APPLIED#";

pub(crate) fn recent_submission(person: Id<of::Person>, submission: Id<of::Submission>) -> Key {
    Key::new(
        own(person),
        format!("{RECENT_SUBMISSIONS}{}", padded(submission)),
    )
}

pub(crate) const OWN_SUBMISSIONS: &str = "SUBMISSION#";

pub(crate) fn own_submission(person: Id<of::Person>, submission: Id<of::Submission>) -> Key {
    Key::new(
        own(person),
        format!("{OWN_SUBMISSIONS}{}", padded(submission)),
    )
}

pub(crate) fn submissions(application: Id<of::Application>, part: u64) -> String {
    format!("SUBMISSIONS#{}#{part}", padded(application))
}

/// Returns the application in the key of a submission.
pub(crate) fn application_of_submission(key: &Key) -> Option<Id<of::Application>> {
    let (id, _) = key.pk.strip_prefix("SUBMISSIONS#")?.split_once('#')?;
    Some(Id::new(id.parse().ok()?))
}

/// Returns the sort key of a submission in the order of time.
pub(crate) fn submission_sort_key(sequence: u64, id: u64) -> String {
    format!("{}#{}", padded(sequence), padded(id))
}

/// Returns the key of a submission in the index by time.
pub(crate) fn submission_by_time(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
    sequence: u64,
) -> Key {
    Key::new(
        submissions(application, submission.get() % SUBMISSION_PARTS),
        submission_sort_key(sequence, submission.get()),
    )
}

pub(crate) fn submission(application: Id<of::Application>, submission: Id<of::Submission>) -> Key {
    Key::new(
        submissions(application, submission.get() % SUBMISSION_PARTS),
        padded(submission),
    )
}

/// The partition of the answers of the submissions in [`submissions`].
pub(crate) fn answers(application: Id<of::Application>, part: u64) -> String {
    format!("ANSWERS#{}#{part}", padded(application))
}

/// Begins the sort keys of the answers of a submission.
pub(crate) fn answers_prefix(submission: Id<of::Submission>) -> String {
    format!("{}#", padded(submission))
}

pub(crate) fn submission_answers(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
    at: u64,
) -> Key {
    Key::new(
        answers(application, submission.get() % SUBMISSION_PARTS),
        format!("{}{}", answers_prefix(submission), padded(at)),
    )
}

pub(crate) fn history(application: Id<of::Application>) -> String {
    format!("HISTORY#{}", padded(application))
}

fn history_prefix(submission: Id<of::Submission>) -> String {
    format!("{}#", padded(submission))
}

/// The changes of the decision about a submission.
pub(crate) fn history_of(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
) -> (String, Range) {
    let prefix = Range::Prefix(history_prefix(submission));
    (history(application), prefix)
}

pub(crate) fn history_item(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
    change: Id<of::DecisionChange>,
) -> Key {
    Key::new(
        history(application),
        format!("{}{}", history_prefix(submission), padded(change)),
    )
}
