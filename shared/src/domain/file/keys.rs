//! The keys of uploads in the table, and of files in the bucket.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::file::attachment::Attachment;
use crate::domain::person::keys::own;
use crate::domain::submission::keys::submission_answers;
use crate::ids::{Id, of};

/// What the sort keys of uploads begin with.
pub(crate) const OWN_UPLOADS: &str = "FILE#";

/// What the keys of copies in the index begin with.
pub(crate) const OWN_ATTACHMENTS: &str = "ATTACHMENT#";

/// Returns what the sort keys of a person's uploads to an application begin with.
pub(crate) fn uploads_to(application: Id<of::Application>) -> String {
    format!("{OWN_UPLOADS}{}#", padded(application))
}

pub(crate) fn upload(
    person: Id<of::Person>,
    application: Id<of::Application>,
    number: usize,
) -> Key {
    Key::new(
        own(person),
        format!("{}{number:02}", uploads_to(application)),
    )
}

/// Returns what the keys in the bucket begin with to which files for an application are sent.
pub(crate) fn uploads_of(application: Id<of::Application>) -> String {
    format!("uploads/{}/", padded(application))
}

/// Returns what the keys in the bucket begin with of the files of the submissions.
pub(crate) fn attachments_of(application: Id<of::Application>) -> String {
    format!("files/{}/", padded(application))
}

/// Returns the key in the bucket to which a browser sends a file.
pub(crate) fn uploaded(
    application: Id<of::Application>,
    person: Id<of::Person>,
    file: Id<of::Upload>,
) -> String {
    let of = uploads_of(application);
    format!("{of}{}/{}", padded(person), padded(file))
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
