use serde::{Deserialize, Serialize};

use crate::domain::application::model::Application;
use crate::domain::file::model::Upload;
use crate::domain::person::model::Person;
use crate::domain::submission::model::Submission;
use crate::ids::Id;

/// Says that a submission may have a copy of a file in the bucket. It is stored before the copy is
/// made, and removed after the copy was deleted. So nothing in the bucket is without an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Id of the application.
    pub application: Id<Application>,
    /// Id of the submission.
    pub submission: Id<Submission>,
    /// Id of the person. An erasure finds it by this, also if the submission was never stored. None
    /// if only the key in the bucket is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Id<Person>>,
    /// The order number of the request that sent the answers: each has copies of its own, so that
    /// none can be exchanged.
    pub at: u64,
    /// Id of the file.
    pub file: Id<Upload>,
}
