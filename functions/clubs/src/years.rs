//! `/years/`, `/years/{year}/`: the years of graduation

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{ReferenceEntry, Year};
use shared::ids::Id;
use shared::text::kinds::{Name, YearNumber};
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{Collection, Entry, collection};

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

collection! {
    Year, YearInput, YearBody, tag = "years", id = "year";
    /// List all years.
    ///
    /// For everybody. Ordered by name.
    list_years = "/api/years/";
    /// Create a year.
    ///
    /// For admins.
    create_year;
    /// Get a year.
    ///
    /// For everybody.
    show_year = "/api/years/{year}/";
    /// Change some fields of a year.
    ///
    /// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as
    /// they are.
    update_year;
    /// Delete a year.
    ///
    /// For admins. It is 400, `in_use`, if somebody graduates in it.
    delete_year;
}
