//! Response bodies of objects that more than one function returns.

mod interview;
mod lookups;
mod own_submissions;
mod scores;
mod submission;

pub use interview::{InterviewBody, changes_until};
pub use lookups::{BadgeBody, Badges, NamedBody, Studies};
pub use own_submissions::OwnSubmissions;
pub use scores::Scores;
pub use submission::{SubmissionBody, committee_of, references_of};
