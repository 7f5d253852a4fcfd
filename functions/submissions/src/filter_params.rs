//! The query parameters of the list of submissions and of its export, for the document.

use shared::domain::Status;
use shared::openapi::fields::{
    EmailStatuses, InterviewStage, Reviewed, SliceCount, SubmissionOrdering,
};
use utoipa::IntoParams;

/// What [`crate::filter::find`] and the slices read.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the parameters are read by their names")]
pub(crate) struct FilterParams {
    /// Only submissions with this status
    status: Option<Status>,
    /// Only submissions for the committee with this id
    committee: Option<u64>,
    /// Whether a decision mail was sent
    notified: Option<bool>,
    /// One or more states of the last decision mail, separated by commas. `none` means applicants
    /// who were sent nothing
    email_status: Option<EmailStatuses>,
    /// `mine`: the caller has reviewed it. `none`: nobody has. `others`: others have, but not the
    /// caller
    reviewed: Option<Reviewed>,
    /// `none`: not invited. `invited`: invited, and nothing is booked. `booked`: also those who
    /// came or did not. `attended`, `missed`: what an officer noted
    interview: Option<InterviewStage>,
    /// `-created_at`: the newest first. `-score`: the best average score first. `score`: the lowest
    /// first. Those without a score are last
    ordering: Option<SubmissionOrdering>,
    /// Every word must occur in the name, user name or address
    search: Option<String>,
    /// Largest number of results, at most 10,000; all if not sent. If there are more, the header
    /// `Link` has the address of the next part
    limit: Option<SliceCount>,
    /// Where the next part begins: from the header `Link` of the last answer
    cursor: Option<String>,
}
