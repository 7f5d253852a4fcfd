//! Response bodies of objects that more than one function returns.

mod club_name;
mod interview;
mod own_submissions;
mod reference_data;
mod scores;
mod submission;
mod undelivered;

pub use club_name::{ClubNameBody, logo};
pub use interview::{InterviewBody, changes_until};
pub use own_submissions::{OwnPart, OwnSubmissions};
pub use reference_data::{BadgeBody, Badges, NamedBody, Studies};
pub use scores::Scores;
pub use submission::{SubmissionBody, committee_of, references_of};
pub use undelivered::UndeliveredBody;
