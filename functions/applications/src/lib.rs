//! Recruitment forms: applications with their committees, questions and extensions.

pub mod applications;
mod committees;
mod conditions;
mod delete;
mod duplicate;
pub mod duties;
pub mod ending;
pub mod extensions;
pub mod form;
pub mod home;
mod home_interviews;
pub mod open;
mod own;
mod question_input;
pub mod questions;
pub mod unsent;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(
            applications::list_applications,
            applications::create_application
        ))
        .routes(routes!(applications::list_current_applications))
        .routes(routes!(open::list_open_applications))
        .routes(routes!(unsent::list_unsent_applications))
        .routes(routes!(home::show_home))
        .routes(routes!(duties::show_overview))
        .routes(routes!(ending::show_club_ending))
        .routes(routes!(ending::show_application_ending))
        .routes(routes!(
            applications::show_application,
            applications::update_application,
            delete::delete_application
        ))
        .routes(routes!(duplicate::duplicate_application))
        .routes(routes!(
            extensions::list_extensions,
            extensions::create_extension
        ))
        .routes(routes!(
            extensions::show_extension,
            extensions::update_extension,
            extensions::delete_extension
        ))
        .routes(routes!(
            questions::list_questions,
            questions::create_question
        ))
        .routes(routes!(questions::order_questions))
        .routes(routes!(
            questions::show_question,
            questions::update_question,
            questions::delete_question
        ))
}
