//! The keys of uploads in the table, and of files in the bucket.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::model::Application;
use crate::domain::file::copy::FileCopy;
use crate::domain::file::model::Upload;
use crate::domain::person::keys::own;
use crate::domain::person::model::Person;
use crate::domain::submission::keys::answer_sheet;
use crate::ids::Id;

/// What the sort keys of uploads begin with.
pub(crate) const OWN_UPLOADS: &str = "FILE#";

/// What the keys of copies in the index begin with.
pub(crate) const OWN_COPIES: &str = "FILECOPY#";

/// Returns what the sort keys of a person's uploads to an application begin with.
pub(crate) fn uploads_to(application: Id<Application>) -> String {
    format!("{OWN_UPLOADS}{}#", padded(application))
}

pub(crate) fn upload(person: Id<Person>, application: Id<Application>, place: usize) -> Key {
    Key::new(
        own(person),
        format!("{}{place:02}", uploads_to(application)),
    )
}

/// Returns what the keys in the bucket begin with to which files for an application are sent.
pub(crate) fn uploads_of(application: Id<Application>) -> String {
    format!("uploads/{}/", padded(application))
}

/// Returns what the keys in the bucket begin with of the files of the submissions.
pub(crate) fn copies_of(application: Id<Application>) -> String {
    format!("files/{}/", padded(application))
}

/// Returns the key in the bucket to which a browser sends a file.
pub(crate) fn uploaded(
    application: Id<Application>,
    person: Id<Person>,
    file: Id<Upload>,
) -> String {
    let of = uploads_of(application);
    format!("{of}{}/{}", padded(person), padded(file))
}

/// Returns the key of the entry of a copy. It stands behind that of the answers that name the file.
pub(crate) fn file_copy(copy: &FileCopy) -> Key {
    let Key { pk, sk } = answer_sheet(copy.application, copy.submission, copy.at);
    Key::new(pk, format!("{sk}#{}", padded(copy.file)))
}

/// Returns the key of the entry of a copy in the index.
pub(crate) fn own_copy(person: Id<Person>, copy: &FileCopy) -> Key {
    let (submission, at) = (padded(copy.submission), padded(copy.at));
    Key::new(
        own(person),
        format!("{OWN_COPIES}{submission}#{at}#{}", padded(copy.file)),
    )
}

/// Returns the copy whose entry has this key; none if it is the key of answers.
pub(crate) fn copy_at(key: &Key) -> Option<FileCopy> {
    let (_, rest) = key.pk.split_once('#')?;
    let (application, _) = rest.split_once('#')?;
    let mut parts = key.sk.split('#').map(|part| part.parse::<u64>().ok());
    let (submission, at, file) = (parts.next()??, parts.next()??, parts.next()??);
    Some(FileCopy {
        application: Id::new(application.parse().ok()?),
        submission: Id::new(submission),
        person: None,
        at,
        file: Id::new(file),
    })
}

/// Returns the key in the bucket of a file of a submission.
pub(crate) fn copied(copy: &FileCopy) -> String {
    format!(
        "{}{}/{}/{}",
        copies_of(copy.application),
        padded(copy.submission),
        padded(copy.at),
        padded(copy.file)
    )
}
