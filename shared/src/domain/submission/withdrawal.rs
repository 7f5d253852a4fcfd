//! What remains of a withdrawn submission.

use crate::domain::submission::keys;
use serde::{Deserialize, Serialize};

use crate::db::{Entity, Key};
use crate::domain::submission::model::is_zero;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

/// What remains of a withdrawn submission, at the same key. It prevents late repeats of older
/// requests from storing the submission again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Id of the submission.
    pub id: Id<of::Submission>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the user; none after erasure. An erasure finds what belongs to it, such as reviews.
    #[serde(default)]
    pub person: Option<Id<of::Person>>,
    /// The order number of the withdrawal.
    pub received: u64,
    /// The order number of the submission that was withdrawn.
    #[serde(default)]
    pub submitted: u64,
    /// As in [`Submission`].
    pub revision: u32,
    /// As in [`Submission`].
    #[serde(default)]
    pub withdrawn: u32,
    /// As in [`Submission`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased: u32,
    /// As in [`Submission`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmations: Vec<Timestamp>,
    /// When it was withdrawn.
    pub withdrawn_at: Timestamp,
}

/// A withdrawal has the same key as its submission: it replaces the submission.
impl Entity for Withdrawal {
    const KIND: Kind = Kind::Withdrawal;

    fn key(&self) -> Key {
        keys::submission(self.application, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        self.person
            .map(|person| keys::own_submission(person, self.id))
    }
}
