//! `/memberships/`: the memberships of the caller

use axum::Json;
use serde::Serialize;
use shared::bodies::logo;
use shared::domain::Role;
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::web::{Result, User};
use shared::{Context, text};
use utoipa::ToSchema;

/// A membership of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct MembershipBody {
    /// Id of the membership.
    #[schema(value_type = u64)]
    id: Id<of::Membership>,
    /// Code of the club.
    #[schema(value_type = String)]
    club_code: ClubCode,
    /// Name of the club.
    club_name: String,
    /// Address of the club's logo, at most 600 pixels wide. Null if there is none.
    club_image_url: Option<String>,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    /// User name of the caller.
    username: String,
    /// One line, or an empty text.
    title: String,
    /// Whether the member is active now.
    active: bool,
    /// Whether others see who the member is.
    public: bool,
}

/// List the memberships of the caller.
///
/// For every signed-in user. Ordered by the name of the club. Deleted clubs are left out.
#[utoipa::path(
    get, path = "/api/memberships/", tag = "memberships", security(("bearer" = [])),
    responses((status = 200, body = Vec<MembershipBody>))
)]
pub async fn list_memberships(app: Context, user: User) -> Result<Json<Vec<MembershipBody>>> {
    let own = app.table.memberships_and_clubs(user.id()).await?;
    let own = own.into_iter().filter(|(_, club)| !club.archived);
    let shown = own.map(|(membership, club)| MembershipBody {
        id: membership.id,
        club_code: membership.club,
        club_image_url: logo(&club, &app.media),
        club_name: club.profile.name,
        role: membership.role,
        username: membership.personal.username,
        title: membership.title,
        active: membership.active,
        public: membership.public,
    });
    let mut bodies: Vec<MembershipBody> = shown.collect();
    bodies.sort_by_cached_key(|one| (text::fold(&one.club_name), one.club_code.clone()));
    Ok(Json(bodies))
}
