//! `/tags/`, `/tags/{tag}/`: the subjects of clubs

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use shared::Shared;
use shared::http::User;
use shared::http::{
    Admin, Field, Input, Mode, Need, NewId, NoContent, PathIds, Reader, Result, Visibility,
};
use shared::models::{Lookup, Tag};
use shared::table::Versions;
use utoipa::ToSchema;

use crate::lookups::{self, Collection, Entry};

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
pub struct TagBody {
    id: u64,
    name: String,
    /// How many clubs that everybody sees have it.
    clubs: usize,
}

/// What admins write of a tag.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct TagInput {
    /// Holds at least one letter; unique, whatever its case and diacritics.
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    name: Field<String>,
}

impl Collection for Tag {
    type Input = TagInput;
    type Body = TagBody;
    type Context = HashMap<u64, usize>;
    const PARAM: &'static str = "tag";
    const PATH: &'static str = "/api/tags/";

    fn apply(&mut self, input: TagInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.line("name", input.name, Need::Required, &mut self.name);
        if !reader.errors.has("name")
            && !self.name.is_empty()
            && !self.name.chars().any(char::is_alphabetic)
        {
            // Where an id or a name may stand, a number is an id.
            reader.errors.add("name", "At least one letter is needed.");
        }
        reader.finish()
    }

    /// How many clubs have which tag.
    async fn context(
        app: &Shared,
        versions: &Versions,
        _: Option<&User>,
    ) -> Result<HashMap<u64, usize>> {
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

    fn body(tag: &Lookup<Self>, counts: &HashMap<u64, usize>) -> TagBody {
        TagBody {
            id: tag.id,
            name: tag.value.name.clone(),
            clubs: counts.get(&tag.id).copied().unwrap_or_default(),
        }
    }
}

/// All tags, by name. Anybody.
#[utoipa::path(get, path = "/api/tags/", tag = "tags", security((), ("bearer" = [])),
    responses((status = 200, body = Vec<TagBody>)))]
pub async fn list_tags(State(app): State<Shared>) -> Result<Json<Vec<TagBody>>> {
    lookups::list::<Tag>(&app, |_| true).await
}

/// Adds a tag. Admins.
#[utoipa::path(post, path = "/api/tags/", tag = "tags", security(("bearer" = [])), request_body = TagInput,
    responses((status = 201, body = TagBody)))]
pub async fn create_tag(
    State(app): State<Shared>,
    Admin(user): Admin,
    new: NewId,
    Input(input): Input<TagInput>,
) -> Result<Response> {
    lookups::create::<Tag>(&app, &user, new, input).await
}

/// One tag. Anybody.
#[utoipa::path(get, path = "/api/tags/{tag}/", tag = "tags", security((), ("bearer" = [])), params(("tag" = u64, Path)),
    responses((status = 200, body = TagBody)))]
pub async fn show_tag(State(app): State<Shared>, path: PathIds) -> Result<Json<TagBody>> {
    lookups::show::<Tag>(&app, &path).await
}

/// Changes the fields that are sent. Admins.
#[utoipa::path(patch, path = "/api/tags/{tag}/", tag = "tags", security(("bearer" = [])), params(("tag" = u64, Path)),
    request_body = TagInput, responses((status = 200, body = TagBody)))]
pub async fn update_tag(
    State(app): State<Shared>,
    Admin(user): Admin,
    tag: Entry<Tag>,
    Input(input): Input<TagInput>,
) -> Result<Json<TagBody>> {
    lookups::change(&app, &user, tag, input, Mode::Update).await
}

/// Replaces all fields. Admins.
#[utoipa::path(put, path = "/api/tags/{tag}/", tag = "tags", security(("bearer" = [])), params(("tag" = u64, Path)),
    request_body = TagInput, responses((status = 200, body = TagBody)))]
pub async fn replace_tag(
    State(app): State<Shared>,
    Admin(user): Admin,
    tag: Entry<Tag>,
    Input(input): Input<TagInput>,
) -> Result<Json<TagBody>> {
    lookups::change(&app, &user, tag, input, Mode::Replace).await
}

/// Deletes a tag that no club has. Admins.
#[utoipa::path(delete, path = "/api/tags/{tag}/", tag = "tags", security(("bearer" = [])), params(("tag" = u64, Path)),
    responses((status = 204)))]
pub async fn delete_tag(
    State(app): State<Shared>,
    Admin(user): Admin,
    tag: Entry<Tag>,
) -> Result<NoContent> {
    lookups::delete(&app, &user, tag).await
}
