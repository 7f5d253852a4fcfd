//! `/tags/`, `/tags/{tag}/`: the topics of clubs

use std::collections::HashMap;

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::Context;
use shared::domain::{ReferenceEntry, Tag, Versions};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text::kinds::Name;
use shared::web::{
    Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result, User,
    Visibility,
};
use utoipa::ToSchema;

use crate::reference_data::{Collection, Entry, collection};

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
            reader.errors.add("name", Reason::NoLetter);
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

collection! {
    Tag, TagInput, TagBody, tag = "tags", id = "tag";
    /// List all tags.
    ///
    /// For everybody. Ordered by name.
    list_tags = "/api/tags/";
    /// Create a tag.
    ///
    /// For admins.
    create_tag;
    /// Get a tag.
    ///
    /// For everybody.
    show_tag = "/api/tags/{tag}/";
    /// Change some fields of a tag.
    ///
    /// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as
    /// they are.
    update_tag;
    /// Delete a tag.
    ///
    /// For admins. It is 400, `in_use`, if a club has it, even a deleted one.
    delete_tag;
}
