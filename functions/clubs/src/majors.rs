//! `/majors/`, `/majors/{major}/`: fields of study

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{Major, ReferenceEntry};
use shared::ids::Id;
use shared::text::kinds::Name;
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{self, Collection, Entry};

/// A major.
#[derive(Debug, Serialize, ToSchema)]
pub struct MajorBody {
    /// Id of the major.
    #[schema(value_type = u64)]
    id: Id<Major>,
    /// One line.
    name: String,
}

shared::input! {
    /// The fields of a major that admins write.
    pub struct MajorInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        name: Name, Required;
    }
}

impl Collection for Major {
    type Input = MajorInput;
    type Body = MajorBody;
    type Context = ();
    const PARAM: &'static str = "major";
    const PATH: &'static str = "/api/majors/";

    fn apply(&mut self, input: MajorInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.name, &mut self.name);
        reader.finish()
    }

    fn body(major: &ReferenceEntry<Self>, (): &()) -> MajorBody {
        MajorBody {
            id: major.id,
            name: major.value.name.clone(),
        }
    }
}

/// List all majors.
///
/// For everybody. Ordered by name.
#[utoipa::path(
    get, path = "/api/majors/", tag = "majors", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<MajorBody>))
)]
pub async fn list_majors(app: Context) -> Result<Json<Vec<MajorBody>>> {
    reference_data::list::<Major>(&app, |_| true).await
}

/// Create a major.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/majors/", tag = "majors", security(("bearer" = [])),
    request_body = MajorInput, responses((status = 201, body = MajorBody))
)]
pub async fn create_major(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<MajorInput>,
) -> Result<Response> {
    reference_data::create_entry::<Major>(&app, &user, new, input).await
}

/// Get a major.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/majors/{major}/", tag = "majors", security((), ("bearer" = [])),
    params(("major" = u64, Path)), responses((status = 200, body = MajorBody))
)]
pub async fn show_major(app: Context, path: PathIds) -> Result<Json<MajorBody>> {
    reference_data::show::<Major>(&app, &path).await
}

/// Change some fields of a major.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/majors/{major}/", tag = "majors", security(("bearer" = [])),
    params(("major" = u64, Path)), request_body = MajorInput,
    responses((status = 200, body = MajorBody))
)]
pub async fn update_major(
    app: Context,
    Admin(user): Admin,
    major: Entry<Major>,
    mode: Mode,
    Input(input): Input<MajorInput>,
) -> Result<Json<MajorBody>> {
    reference_data::save(&app, &user, major, input, mode).await
}

/// Delete a major.
///
/// For admins. It is 400, `in_use`, if somebody has it.
#[utoipa::path(
    delete, path = "/api/majors/{major}/", tag = "majors", security(("bearer" = [])),
    params(("major" = u64, Path)), responses((status = 204))
)]
pub async fn delete_major(
    app: Context,
    Admin(user): Admin,
    major: Entry<Major>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, major).await
}
