//! Submissions, decisions and decision mails.

pub mod answers;
mod composer;
pub mod decisions;
pub mod draft_body;
pub mod drafts;
pub mod export;
mod filter;
pub mod list;
pub mod own;
mod own_draft;
pub mod previews;
mod queue;
pub mod receipts;
pub mod reviewers;
pub mod reviews;
mod selection;
pub mod send_emails;
mod store;
pub mod submissions;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(list::list_submissions, submissions::submit))
        .routes(routes!(export::export_submissions))
        .routes(routes!(decisions::set_statuses))
        .routes(routes!(decisions::set_reasons))
        .routes(routes!(
            submissions::show_submission,
            decisions::replace_decision,
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
        .routes(routes!(send_emails::send_emails))
        .routes(routes!(own::list_own_submissions))
        .routes(routes!(own::show_own_submission, own::withdraw_submission))
        .routes(routes!(receipts::show_receipt))
        .routes(routes!(receipts::show_receipt_keys))
        .routes(routes!(receipts::verify_receipt))
}
