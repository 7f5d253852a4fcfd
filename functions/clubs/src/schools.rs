//! `/schools/`, `/schools/{school}/`: the schools of the university

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{ReferenceEntry, School};
use shared::ids::Id;
use shared::text::kinds::Name;
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{Collection, Entry, collection};

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

collection! {
    School, SchoolInput, SchoolBody, tag = "schools", id = "school";
    /// List all schools.
    ///
    /// For everybody. Ordered by name.
    list_schools = "/api/schools/";
    /// Create a school.
    ///
    /// For admins.
    create_school;
    /// Get a school.
    ///
    /// For everybody.
    show_school = "/api/schools/{school}/";
    /// Change some fields of a school.
    ///
    /// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as
    /// they are.
    update_school;
    /// Delete a school.
    ///
    /// For admins. It is 400, `in_use`, if somebody has it.
    delete_school;
}
