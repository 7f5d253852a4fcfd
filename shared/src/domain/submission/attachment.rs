use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};

/// Says that a submission may have a copy of a file in the bucket. It is stored before the copy is
/// made, and removed after the copy was deleted. So nothing in the bucket is without an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// Id of the person. An erasure finds it by this, also if the submission was never stored. None
    /// if only the key in the bucket is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Id<of::Person>>,
    /// The order number of the request that sent the answers: each has copies of its own, so that
    /// none can be exchanged.
    pub at: u64,
    /// Id of the file.
    pub file: Id<of::Upload>,
}
