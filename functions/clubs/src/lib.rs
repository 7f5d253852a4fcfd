//! The club catalogue, and what belongs to the service as a whole: health, documents (api.md "Clubs", decisions.md §3, §10).

pub mod body;
pub mod clubs;
pub mod docs;
pub mod health;

use shared::Shared;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this group.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(clubs::list_clubs, clubs::create_club))
        .routes(routes!(clubs::show_club, clubs::replace_club, clubs::update_club, clubs::delete_club))
        .routes(routes!(health::show_health))
        .routes(routes!(docs::show_openapi))
        .routes(routes!(docs::show_docs))
        .routes(routes!(docs::show_docs_file))
}
