//! Response bodies of objects that more than one function returns.

mod lookups;
mod submission;

pub use lookups::{BadgeBody, Badges, NamedBody, Studies};
pub use submission::{
    OwnSubmissions, Prompts, Scores, SubmissionBody, committee_of, prompts_of, shown_change,
    shown_decision,
};
