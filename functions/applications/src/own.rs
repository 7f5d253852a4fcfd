//! What an application is for one person: what they sent, and until when they can.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::domain::{Application, Status, Submission};
use shared::ids::{Id, of};
use shared::time::Timestamp;
use utoipa::ToSchema;

/// Until when somebody with this extension can submit (A11).
pub fn own_end(application: &Application, extended: Option<Timestamp>) -> Timestamp {
    extended.map_or(application.end, |end| end.max(application.end))
}

/// A submission of the caller, without its answers.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OwnSubmissionBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<of::Submission>,
    /// Id of the committee, or null.
    #[schema(value_type = Option<u64>)]
    committee: Option<Id<of::Committee>>,
    /// When it was last changed, as far as the caller may know.
    updated_at: Timestamp,
    /// 1 as long as the caller may know of no decision. With another value, the answers can no
    /// longer be changed.
    status: Status,
}

impl OwnSubmissionBody {
    /// The submission as its applicant may know it now (S14).
    pub fn new(submission: &Submission, application: &Application, now: DateTime<Utc>) -> Self {
        let decided = submission.visible_decision(application, now);
        Self {
            id: submission.id,
            committee: submission.committee,
            updated_at: submission.shown_change(application, now),
            status: decided.map_or(Status::Pending, |(status, _)| status),
        }
    }
}
