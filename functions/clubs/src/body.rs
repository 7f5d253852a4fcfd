//! How a club looks, and how a body becomes a club.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use shared::http::{ApiError, Field, Mode, Need, Reader};
use shared::limits;
use shared::models::{Club, Role};
use shared::time::Timestamp;
use utoipa::ToSchema;

/// A club; the same keys in list and detail.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubBody {
    code: String,
    name: String,
    subtitle: String,
    /// HTML; its beginning, in a list that would be too large.
    pub(crate) description: String,
    email: String,
    website: Option<String>,
    image_url: Option<String>,
    active: bool,
    /// Null while it waits for an admin.
    approved: Option<bool>,
    /// 1–5.
    application_required: u8,
    /// Whether one of its applications is current.
    accepting_members: bool,
    favorite_count: i64,
    membership_count: i64,
    /// The caller's role, or null.
    is_member: Option<Role>,
    created_at: Timestamp,
    /// Shown to admins only.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<bool>,
}

/// Who looks at clubs, and when.
#[derive(Debug, Default)]
pub struct Viewer {
    /// Their roles, by club.
    pub roles: HashMap<String, Role>,
    /// Whether they are an admin.
    pub is_admin: bool,
}

impl ClubBody {
    /// The club as `viewer` sees it at `now`.
    pub fn new(club: &Club, viewer: &Viewer, now: Timestamp) -> Self {
        let profile = &club.profile;
        Self {
            code: club.code.clone(),
            name: profile.name.clone(),
            subtitle: profile.subtitle.clone(),
            description: profile.description.clone(),
            email: profile.email.clone(),
            website: profile.website.clone(),
            image_url: profile.image_url.clone(),
            active: profile.active,
            approved: club.approved,
            application_required: profile.application_required,
            accepting_members: is_accepting(club, now),
            favorite_count: club.favorites,
            membership_count: club.members,
            is_member: viewer.roles.get(&club.code).copied(),
            created_at: club.created_at,
            archived: viewer.is_admin.then_some(club.archived),
        }
    }
}

/// Whether one of the club's applications takes submissions.
pub fn is_accepting(club: &Club, now: Timestamp) -> bool {
    club.windows.values().any(|window| window.start <= now && now <= window.end)
}

/// What officers and admins write of a club.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct ClubInput {
    /// Only when it is created; else made from the name. `[a-z0-9-]`, at most 64.
    #[serde(default)]
    #[schema(value_type = String)]
    pub code: Field<String>,
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    pub name: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    subtitle: Field<String>,
    /// HTML, at most 50,000 characters.
    #[serde(default)]
    #[schema(value_type = String)]
    description: Field<String>,
    #[serde(default)]
    #[schema(value_type = String)]
    email: Field<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    website: Field<String>,
    #[serde(default)]
    #[schema(value_type = bool)]
    active: Field<bool>,
    /// 1–5.
    #[serde(default)]
    #[schema(value_type = u8)]
    application_required: Field<i64>,
    /// Admins only.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    approved: Field<bool>,
    /// Admins only: false restores a deleted club.
    #[serde(default)]
    #[schema(value_type = bool)]
    archived: Field<bool>,
}

impl ClubInput {
    /// Reads the body into `club`; what only admins write is ignored from others.
    pub fn apply(self, mode: Mode, club: &mut Club, is_admin: bool) -> Result<(), ApiError> {
        let mut reader = Reader::new(mode);
        let profile = &mut club.profile;
        reader.line("name", self.name, Need::Required, &mut profile.name);
        reader.line("subtitle", self.subtitle, Need::Optional, &mut profile.subtitle);
        reader.html("description", self.description, limits::DESCRIPTION_BYTES, &mut profile.description);
        reader.email("email", self.email, Need::Optional, &mut profile.email);
        reader.url("website", self.website, &mut profile.website);
        reader.flag("active", self.active, Need::Optional, &mut profile.active);
        reader.number("application_required", self.application_required, Need::Optional, (1, 5), &mut profile.application_required);
        if is_admin {
            if let Some(approved) = reader.nullable("approved", self.approved, Need::Free) {
                club.approved = approved;
            }
            reader.flag("archived", self.archived, Need::Free, &mut club.archived);
        }
        reader.finish()
    }
}
