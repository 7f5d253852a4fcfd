//! The keys of reviews in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::model::Application;
use crate::domain::person::keys::own;
use crate::domain::person::model::Person;
use crate::domain::review::model::Review;
use crate::domain::submission::model::Submission;
use crate::ids::Id;

/// Returns the partition of all reviews of an application.
pub(crate) fn reviews(application: Id<Application>) -> String {
    format!("REVIEWS#{}", padded(application))
}

/// Returns the partition of the reviews of a submission, and what their sort keys begin with.
pub(crate) fn reviews_of(
    application: Id<Application>,
    submission: Id<Submission>,
) -> (String, String) {
    (reviews(application), format!("{}#", padded(submission)))
}

pub(crate) fn review(
    application: Id<Application>,
    submission: Id<Submission>,
    review: Id<Review>,
) -> Key {
    let (pk, prefix) = reviews_of(application, submission);
    Key::new(pk, format!("{prefix}{}", padded(review)))
}

pub(crate) fn own_review(person: Id<Person>, review: Id<Review>) -> Key {
    Key::new(own(person), format!("REVIEW#{}", padded(review)))
}
