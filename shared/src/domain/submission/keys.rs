//! The keys of submissions in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::db::read::Range;
use crate::domain::person::keys::own;
use crate::domain::submission::answers::Attachment;
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

/// Returns what the keys in the bucket begin with of the files of the submissions.
pub(crate) fn attachments_of(application: Id<of::Application>) -> String {
    format!("files/{}/", padded(application))
}

/// Returns the key of the entry of a copy. It stands behind that of the answers that name the file.
pub(crate) fn attachment(attachment: &Attachment) -> Key {
    let Key { pk, sk } =
        submission_answers(attachment.application, attachment.submission, attachment.at);
    Key::new(pk, format!("{sk}#{}", padded(attachment.file)))
}

/// Returns the key of the entry of a copy in the index.
pub(crate) fn own_attachment(person: Id<of::Person>, attachment: &Attachment) -> Key {
    let (submission, at) = (padded(attachment.submission), padded(attachment.at));
    Key::new(
        own(person),
        format!(
            "{OWN_ATTACHMENTS}{submission}#{at}#{}",
            padded(attachment.file)
        ),
    )
}

/// Returns the copy whose entry has this key; none if it is the key of answers.
pub(crate) fn attachment_at(key: &Key) -> Option<Attachment> {
    let (_, rest) = key.pk.split_once('#')?;
    let (application, _) = rest.split_once('#')?;
    let mut parts = key.sk.split('#').map(|part| part.parse::<u64>().ok());
    let (submission, at, file) = (parts.next()??, parts.next()??, parts.next()??);
    Some(Attachment {
        application: Id::new(application.parse().ok()?),
        submission: Id::new(submission),
        person: None,
        at,
        file: Id::new(file),
    })
}

/// Returns the key in the bucket of a file of a submission.
pub(crate) fn attachment_object(attachment: &Attachment) -> String {
    format!(
        "{}{}/{}/{}",
        attachments_of(attachment.application),
        padded(attachment.submission),
        padded(attachment.at),
        padded(attachment.file)
    )
}

/// What the keys of copies in the index begin with.
pub(crate) const OWN_ATTACHMENTS: &str = "ATTACHMENT#";

/// Returns the partition of all reviews of an application.
pub(crate) fn reviews(application: Id<of::Application>) -> String {
    format!("REVIEWS#{}", padded(application))
}

/// Returns the partition of the reviews of a submission, and what their sort keys begin with.
pub(crate) fn reviews_of(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
) -> (String, String) {
    (reviews(application), format!("{}#", padded(submission)))
}
