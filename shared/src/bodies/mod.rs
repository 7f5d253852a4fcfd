//! Response bodies of objects that more than one function returns.

mod lookups;
mod submission;

pub use lookups::{BadgeBody, Badges, NamedBody, Studies};
pub use submission::{AllPrompts, Prompts, SubmissionBody, committee_of, own_submission_bodies};
