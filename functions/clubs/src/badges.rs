//! `/badges/`, `/badges/{badge}/`: the badges that admins award to clubs

use axum::Json;
use axum::response::Response;
use shared::bodies::BadgeBody;
use shared::domain::{Badge, ReferenceEntry};
use shared::text::kinds::{BadgeText, Color, Line, Name};
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result};
use shared::{Context, text};

use crate::reference_data::{self, Collection, Entry};

shared::input! {
    /// The fields of a badge that admins write.
    pub struct BadgeInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        label: Name, Required;
        /// One line, at most 255 characters. The list can be filtered by it.
        purpose: Line, Optional;
        /// Plain text, at most 1,000 characters.
        description: BadgeText, Optional;
        /// `#rrggbb`, or an empty text.
        color: Color, Optional;
    }
}

impl Collection for Badge {
    type Input = BadgeInput;
    type Body = BadgeBody;
    type Context = ();
    const PARAM: &'static str = "badge";
    const PATH: &'static str = "/api/badges/";

    fn apply(&mut self, input: BadgeInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.label, &mut self.label);
        reader.set(input.purpose, &mut self.purpose);
        reader.set(input.description, &mut self.description);
        reader.set(input.color, &mut self.color);
        reader.finish()
    }

    fn body(badge: &ReferenceEntry<Self>, (): &()) -> BadgeBody {
        badge.into()
    }
}

/// List all badges.
///
/// For everybody. Ordered by label.
#[utoipa::path(
    get, path = "/api/badges/", tag = "badges", security((), ("bearer" = [])),
    params(
        ("purpose" = Option<String>, Query,
            description = "Only badges with this purpose, whatever its case")
    ),
    responses((status = 200, body = Vec<BadgeBody>))
)]
pub async fn list_badges(app: Context, params: Params) -> Result<Json<Vec<BadgeBody>>> {
    let purpose = params
        .text("purpose")
        .filter(|purpose| !purpose.is_empty())
        .map(text::fold);
    reference_data::list::<Badge>(&app, |badge| {
        purpose
            .as_ref()
            .is_none_or(|purpose| text::fold(&badge.purpose) == *purpose)
    })
    .await
}

/// Create a badge.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/badges/", tag = "badges", security(("bearer" = [])),
    request_body = BadgeInput, responses((status = 201, body = BadgeBody))
)]
pub async fn create_badge(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<BadgeInput>,
) -> Result<Response> {
    reference_data::create_entry::<Badge>(&app, &user, new, input).await
}

/// Get a badge.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/badges/{badge}/", tag = "badges", security((), ("bearer" = [])),
    params(("badge" = u64, Path)), responses((status = 200, body = BadgeBody))
)]
pub async fn show_badge(app: Context, path: PathIds) -> Result<Json<BadgeBody>> {
    reference_data::show::<Badge>(&app, &path).await
}

/// Change some fields of a badge.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/badges/{badge}/", tag = "badges", security(("bearer" = [])),
    params(("badge" = u64, Path)), request_body = BadgeInput,
    responses((status = 200, body = BadgeBody))
)]
pub async fn update_badge(
    app: Context,
    Admin(user): Admin,
    badge: Entry<Badge>,
    mode: Mode,
    Input(input): Input<BadgeInput>,
) -> Result<Json<BadgeBody>> {
    reference_data::save(&app, &user, badge, input, mode).await
}

/// Delete a badge.
///
/// For admins. It is 400, `in_use`, if a club has it, even a deleted one.
#[utoipa::path(
    delete, path = "/api/badges/{badge}/", tag = "badges", security(("bearer" = [])),
    params(("badge" = u64, Path)), responses((status = 204))
)]
pub async fn delete_badge(
    app: Context,
    Admin(user): Admin,
    badge: Entry<Badge>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, badge).await
}
