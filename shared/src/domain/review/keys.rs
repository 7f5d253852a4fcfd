//! The keys of reviews in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::domain::submission::keys::reviews_of;
use crate::ids::{Id, of};

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
