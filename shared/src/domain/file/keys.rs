//! The keys of uploads in the table, and of files in the bucket.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// What the sort keys of uploads begin with.
pub(crate) const OWN_UPLOADS: &str = "FILE#";

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

/// Returns the key in the bucket to which a browser sends a file.
pub(crate) fn uploaded(
    application: Id<of::Application>,
    person: Id<of::Person>,
    file: Id<of::Upload>,
) -> String {
    let of = uploads_of(application);
    format!("{of}{}/{}", padded(person), padded(file))
}
