//! `/years/`, `/years/{year}/`: the years of graduation

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{ReferenceEntry, Year};
use shared::ids::Id;
use shared::text::kinds::{Name, YearNumber};
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{self, Collection, Entry};

/// A year.
#[derive(Debug, Serialize, ToSchema)]
pub struct YearBody {
    /// Id of the year.
    #[schema(value_type = u64)]
    id: Id<Year>,
    /// One line.
    name: String,
    /// Year of graduation.
    year: u16,
}

shared::input! {
    /// The fields of a year that admins write.
    pub struct YearInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        name: Name, Required;
        /// Year of graduation, 1900 to 2200.
        year: YearNumber, Required;
    }
}

impl Collection for Year {
    type Input = YearInput;
    type Body = YearBody;
    type Context = ();
    const PARAM: &'static str = "year";
    const PATH: &'static str = "/api/years/";

    fn apply(&mut self, input: YearInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.name, &mut self.name);
        reader.set(input.year, &mut self.year);
        reader.finish()
    }

    fn body(year: &ReferenceEntry<Self>, (): &()) -> YearBody {
        YearBody {
            id: year.id,
            name: year.value.name.clone(),
            year: year.value.year,
        }
    }
}

/// List all years.
///
/// For everybody. Ordered by name.
#[utoipa::path(
    get, path = "/api/years/", tag = "years", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<YearBody>))
)]
pub async fn list_years(app: Context) -> Result<Json<Vec<YearBody>>> {
    reference_data::list::<Year>(&app, |_| true).await
}

/// Create a year.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/years/", tag = "years", security(("bearer" = [])), request_body = YearInput,
    responses((status = 201, body = YearBody))
)]
pub async fn create_year(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<YearInput>,
) -> Result<Response> {
    reference_data::create_entry::<Year>(&app, &user, new, input).await
}

/// Get a year.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/years/{year}/", tag = "years", security((), ("bearer" = [])),
    params(("year" = u64, Path)), responses((status = 200, body = YearBody))
)]
pub async fn show_year(app: Context, path: PathIds) -> Result<Json<YearBody>> {
    reference_data::show::<Year>(&app, &path).await
}

/// Change some fields of a year.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/years/{year}/", tag = "years", security(("bearer" = [])),
    params(("year" = u64, Path)), request_body = YearInput,
    responses((status = 200, body = YearBody))
)]
pub async fn update_year(
    app: Context,
    Admin(user): Admin,
    year: Entry<Year>,
    mode: Mode,
    Input(input): Input<YearInput>,
) -> Result<Json<YearBody>> {
    reference_data::save(&app, &user, year, input, mode).await
}

/// Delete a year.
///
/// For admins. It is 400, `in_use`, if somebody graduates in it.
#[utoipa::path(
    delete, path = "/api/years/{year}/", tag = "years", security(("bearer" = [])),
    params(("year" = u64, Path)), responses((status = 204))
)]
pub async fn delete_year(
    app: Context,
    Admin(user): Admin,
    year: Entry<Year>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, year).await
}
