//! Response bodies of objects that more than one function returns.

mod lookups;
mod own_submissions;
mod scores;
mod submission;

pub use lookups::{BadgeBody, Badges, NamedBody, Studies};
pub use own_submissions::OwnSubmissions;
pub use scores::Scores;
pub use submission::{
    Prompts, SubmissionBody, committee_of, prompts_of, shown_change, shown_decision,
};
