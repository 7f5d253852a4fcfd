//! Events, showings and calendars. The routes come with their issue; until then the function answers 404.

use shared::Shared;
use utoipa_axum::router::OpenApiRouter;

/// The routes of this group.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
}
