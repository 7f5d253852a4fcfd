//! `/majors/`, `/majors/{major}/`: fields of study

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{Major, ReferenceEntry};
use shared::ids::Id;
use shared::text::kinds::Name;
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::reference_data::{Collection, Entry, collection};

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

collection! {
    Major, MajorInput, MajorBody, tag = "majors", id = "major";
    /// List all majors.
    ///
    /// For everybody. Ordered by name.
    list_majors = "/api/majors/";
    /// Create a major.
    ///
    /// For admins.
    create_major;
    /// Get a major.
    ///
    /// For everybody.
    show_major = "/api/majors/{major}/";
    /// Change some fields of a major.
    ///
    /// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as
    /// they are.
    update_major;
    /// Delete a major.
    ///
    /// For admins. It is 400, `in_use`, if somebody has it.
    delete_major;
}
