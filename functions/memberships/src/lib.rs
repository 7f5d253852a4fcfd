//! Who is in a club, and who somebody is (api.md "Memberships", decisions.md §2 and §7).

pub mod invites;
pub mod members;
pub mod memberships;
pub mod settings;

use shared::Shared;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of this group.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(settings::show_settings, settings::replace_settings, settings::update_settings))
        .routes(routes!(memberships::list_memberships))
        .routes(routes!(members::list_members, members::create_member))
        .routes(routes!(members::show_member, members::delete_member))
        .routes(routes!(invites::accept_invite))
}
