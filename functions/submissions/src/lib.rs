//! Submissions, decisions and decision mails.

pub mod answers;
mod applicant;
mod attachments;
mod booking;
pub mod decisions;
pub mod draft_body;
pub mod drafts;
pub mod export;
pub mod files;
mod filter;
pub mod interviews;
pub mod list;
pub mod own;
mod own_draft;
pub mod own_interview;
pub mod previews;
mod queue;
pub mod receipts;
mod release;
mod resend;
pub mod reviewers;
pub mod reviews;
mod selection;
pub mod send_emails;
mod slot_body;
pub mod slots;
mod store;
pub mod submissions;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(list::list_submissions, submissions::submit))
        .routes(routes!(
            export::export_submissions,
            export::export_chosen_submissions
        ))
        .routes(routes!(decisions::set_statuses))
        .routes(routes!(decisions::set_reasons))
        .routes(routes!(
            submissions::show_submission,
            decisions::update_decision
        ))
        .routes(routes!(decisions::list_history))
        .routes(routes!(reviewers::list_reviewers))
        .routes(routes!(reviews::list_reviews))
        .routes(routes!(reviews::put_review, reviews::delete_review))
        .routes(routes!(
            drafts::show_draft,
            drafts::save_draft,
            drafts::delete_draft
        ))
        .routes(routes!(files::create_file))
        .routes(routes!(files::show_file))
        .routes(routes!(files::show_submitted_file))
        .routes(routes!(send_emails::send_emails))
        .routes(routes!(resend::resend_to_applicant))
        .routes(routes!(slots::list_slots, slots::create_slot))
        .routes(routes!(slots::create_slots))
        .routes(routes!(
            slots::show_slot,
            slots::update_slot,
            slots::delete_slot
        ))
        .routes(routes!(
            interviews::show_submission_interview,
            interviews::book_submission_interview,
            interviews::note_attendance,
            interviews::cancel_submission_interview
        ))
        .routes(routes!(own_interview::list_free_slots))
        .routes(routes!(
            own_interview::book_interview,
            own_interview::cancel_interview
        ))
        .routes(routes!(own::list_own_submissions))
        .routes(routes!(own::show_own_submission, own::withdraw_submission))
        .routes(routes!(receipts::show_receipt))
        .routes(routes!(receipts::show_receipt_keys))
        .routes(routes!(receipts::verify_receipt))
}
