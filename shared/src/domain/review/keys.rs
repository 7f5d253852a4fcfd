//! The keys of reviews in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

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

pub(crate) fn review(
    application: Id<of::Application>,
    submission: Id<of::Submission>,
    review: Id<of::Review>,
) -> Key {
    let (pk, prefix) = reviews_of(application, submission);
    Key::new(pk, format!("{prefix}{}", padded(review)))
}

pub(crate) fn own_review(person: Id<of::Person>, review: Id<of::Review>) -> Key {
    Key::new(own(person), format!("REVIEW#{}", padded(review)))
}
