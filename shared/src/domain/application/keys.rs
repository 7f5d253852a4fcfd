//! The keys of applications in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::ids::{Id, of};
use crate::text::ClubCode;

pub(crate) fn applications(club: &ClubCode) -> String {
    format!("APPLICATIONS#{club}")
}

pub(crate) fn application(club: &ClubCode, application: Id<of::Application>) -> Key {
    Key::new(applications(club), padded(application))
}

/// Returns the key of the texts of an application. It follows those of its questions.
pub(crate) fn application_texts(club: &ClubCode, application: Id<of::Application>) -> Key {
    Key::new(applications(club), format!("{}#TEXTS", padded(application)))
}

/// Returns the first and last sort key of one application and its questions, without its texts.
pub(crate) fn form_range(application: Id<of::Application>) -> (String, String) {
    (
        padded(application),
        format!("{}#QUESTION#~", padded(application)),
    )
}

/// Returns the first and last sort key of one application with its questions and texts.
pub(crate) fn application_range(application: Id<of::Application>) -> (String, String) {
    (padded(application), format!("{}#~", padded(application)))
}

/// Returns the key of what remains of a deleted application.
pub(crate) fn deleted_application(application: Id<of::Application>) -> Key {
    Key::new(
        format!("DELETED#{}", padded(application)),
        "APPLICATION".into(),
    )
}
