//! `/schools/`, `/schools/{school}/`: the schools of the university

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{ReferenceEntry, School};
use shared::ids::Id;
use shared::text::kinds::Name;
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{self, Collection, Entry};

/// A school.
#[derive(Debug, Serialize, ToSchema)]
pub struct SchoolBody {
    /// Id of the school.
    #[schema(value_type = u64)]
    id: Id<School>,
    /// One line.
    name: String,
    /// Whether it is a school for graduates.
    is_graduate: bool,
}

shared::input! {
    /// The fields of a school that admins write.
    pub struct SchoolInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        name: Name, Required;
        /// Whether it is a school for graduates.
        is_graduate: bool, Optional = false;
    }
}

impl Collection for School {
    type Input = SchoolInput;
    type Body = SchoolBody;
    type Context = ();
    const PARAM: &'static str = "school";
    const PATH: &'static str = "/api/schools/";

    fn apply(&mut self, input: SchoolInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.name, &mut self.name);
        reader.set(input.is_graduate, &mut self.is_graduate);
        reader.finish()
    }

    fn body(school: &ReferenceEntry<Self>, (): &()) -> SchoolBody {
        SchoolBody {
            id: school.id,
            name: school.value.name.clone(),
            is_graduate: school.value.is_graduate,
        }
    }
}

/// List all schools.
///
/// For everybody. Ordered by name.
#[utoipa::path(
    get, path = "/api/schools/", tag = "schools", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<SchoolBody>))
)]
pub async fn list_schools(app: Context) -> Result<Json<Vec<SchoolBody>>> {
    reference_data::list::<School>(&app, |_| true).await
}

/// Create a school.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/schools/", tag = "schools", security(("bearer" = [])),
    request_body = SchoolInput, responses((status = 201, body = SchoolBody))
)]
pub async fn create_school(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<SchoolInput>,
) -> Result<Response> {
    reference_data::create_entry::<School>(&app, &user, new, input).await
}

/// Get a school.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/schools/{school}/", tag = "schools", security((), ("bearer" = [])),
    params(("school" = u64, Path)), responses((status = 200, body = SchoolBody))
)]
pub async fn show_school(app: Context, path: PathIds) -> Result<Json<SchoolBody>> {
    reference_data::show::<School>(&app, &path).await
}

/// Change some fields of a school.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/schools/{school}/", tag = "schools", security(("bearer" = [])),
    params(("school" = u64, Path)), request_body = SchoolInput,
    responses((status = 200, body = SchoolBody))
)]
pub async fn update_school(
    app: Context,
    Admin(user): Admin,
    school: Entry<School>,
    mode: Mode,
    Input(input): Input<SchoolInput>,
) -> Result<Json<SchoolBody>> {
    reference_data::save(&app, &user, school, input, mode).await
}

/// Delete a school.
///
/// For admins. It is 400, `in_use`, if somebody has it.
#[utoipa::path(
    delete, path = "/api/schools/{school}/", tag = "schools", security(("bearer" = [])),
    params(("school" = u64, Path)), responses((status = 204))
)]
pub async fn delete_school(
    app: Context,
    Admin(user): Admin,
    school: Entry<School>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, school).await
}
