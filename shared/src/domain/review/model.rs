use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::time::Timestamp;

/// What an officer thinks of a submission (W1). The applicant never learns of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Review {
    /// Derived from the submission and the person.
    pub id: Id<of::Review>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// The submission's sequence: a review does not count for a submission that was made after a
    /// withdrawal.
    pub sequence: u64,
    /// Id of the officer; none after the erasure of the officer.
    pub person: Option<Id<of::Person>>,
    /// From 1 to 5; none if the officer gave none.
    pub score: Option<u8>,
    /// The comment, if any.
    pub comment: Option<String>,
    /// A new value with every change.
    pub version: u64,
    /// When it was first written.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Review {
    /// Returns the id of a person's review of a submission.
    pub fn id_of(submission: Id<of::Submission>, person: Id<of::Person>) -> Id<of::Review> {
        Id::derived("review", &[&submission.to_string(), &person.to_string()])
    }
}
