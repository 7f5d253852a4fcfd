//! `/tags/`, `/tags/{tag}/`: the topics of clubs

use std::collections::HashMap;

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::Versions;
use shared::domain::{ReferenceEntry, Tag};
use shared::ids::Id;
use shared::text::kinds::Name;
use shared::web::{
    Admin, Input, Mode, NewId, NoContent, NoInput, PathIds, Reader, Result, User, Visibility,
};
use utoipa::ToSchema;

use crate::reference_data::{self, Collection, Entry};

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
pub struct TagBody {
    /// Id of the tag.
    #[schema(value_type = u64)]
    id: Id<Tag>,
    /// One line.
    name: String,
    /// Number of clubs with this tag that everybody can see.
    clubs: usize,
}

shared::input! {
    /// The fields of a tag that admins write.
    pub struct TagInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents. At least one
        /// letter.
        name: Name, Required;
    }
}

impl Collection for Tag {
    type Input = TagInput;
    type Body = TagBody;
    type Context = HashMap<Id<Tag>, usize>;
    const PARAM: &'static str = "tag";
    const PATH: &'static str = "/api/tags/";

    fn apply(&mut self, input: TagInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.name, &mut self.name);
        if !reader.errors.has("name")
            && !self.name.is_empty()
            && !self.name.chars().any(char::is_alphabetic)
        {
            // The filter `tags` of the list of clubs takes a number as an id (C11).
            reader
                .errors
                .add("name", "The name needs at least one letter.");
        }
        reader.finish()
    }

    /// The number of clubs for each id of a tag.
    async fn context(
        app: &Context,
        versions: &Versions,
        _: Option<&User>,
    ) -> Result<HashMap<Id<Tag>, usize>> {
        let (clubs, everybody) = (app.all_clubs(versions).await?, Visibility::default());
        let mut counts = HashMap::new();
        for tag in clubs
            .iter()
            .filter(|listed| everybody.sees(&listed.club))
            .flat_map(|listed| &listed.club.profile.tags)
        {
            *counts.entry(*tag).or_default() += 1;
        }
        Ok(counts)
    }

    fn body(tag: &ReferenceEntry<Self>, counts: &HashMap<Id<Tag>, usize>) -> TagBody {
        TagBody {
            id: tag.id,
            name: tag.value.name.clone(),
            clubs: counts.get(&tag.id).copied().unwrap_or_default(),
        }
    }
}

/// List all tags.
///
/// For everybody. Ordered by name.
#[utoipa::path(
    get, path = "/api/tags/", tag = "tags", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<TagBody>))
)]
pub async fn list_tags(app: Context) -> Result<Json<Vec<TagBody>>> {
    reference_data::list::<Tag>(&app, |_| true).await
}

/// Create a tag.
///
/// For admins.
#[utoipa::path(
    post, path = "/api/tags/", tag = "tags", security(("bearer" = [])), request_body = TagInput,
    responses((status = 201, body = TagBody))
)]
pub async fn create_tag(
    app: Context,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<TagInput>,
) -> Result<Response> {
    reference_data::create_entry::<Tag>(&app, &user, new, input).await
}

/// Get a tag.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/tags/{tag}/", tag = "tags", security((), ("bearer" = [])),
    params(("tag" = u64, Path)), responses((status = 200, body = TagBody))
)]
pub async fn show_tag(app: Context, path: PathIds) -> Result<Json<TagBody>> {
    reference_data::show::<Tag>(&app, &path).await
}

/// Change some fields of a tag.
///
/// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as they
/// are.
#[utoipa::path(
    method(put, patch), path = "/api/tags/{tag}/", tag = "tags", security(("bearer" = [])),
    params(("tag" = u64, Path)), request_body = TagInput, responses((status = 200, body = TagBody))
)]
pub async fn update_tag(
    app: Context,
    Admin(user): Admin,
    tag: Entry<Tag>,
    mode: Mode,
    Input(input): Input<TagInput>,
) -> Result<Json<TagBody>> {
    reference_data::save(&app, &user, tag, input, mode).await
}

/// Delete a tag.
///
/// For admins. It is 400, `in_use`, if a club has it, even a deleted one.
#[utoipa::path(
    delete, path = "/api/tags/{tag}/", tag = "tags", security(("bearer" = [])),
    params(("tag" = u64, Path)), responses((status = 204))
)]
pub async fn delete_tag(
    app: Context,
    Admin(user): Admin,
    tag: Entry<Tag>,
    _: NoInput,
) -> Result<NoContent> {
    reference_data::delete(&app, &user, tag).await
}
