//! How objects look that more than one function shows.

mod lookups;
mod submission;

pub use lookups::{BadgeBody, Badges, NamedBody, Studies};
pub use submission::{AllPrompts, Prompts, SubmissionBody, committee_of, own_submission_bodies};
