//! `/badges/`, `/badges/{badge}/`: the badges that admins award to clubs

use axum::Json;
use axum::response::Response;
use shared::bodies::BadgeBody;
use shared::domain::{Badge, ReferenceEntry};
use shared::text::kinds::{BadgeText, Color, Line, Name};
use shared::web::{Admin, Input, Mode, NewId, NoContent, NoInput, Params, PathIds, Reader, Result};
use shared::{Context, text};

use crate::reference_data::{Collection, Entry, collection};

shared::input! {
    /// The fields of a badge that admins write.
    pub struct BadgeInput {
        /// One line, at most 255 characters. Unique, whatever its case and accents.
        label: Name, Required;
        /// One line, at most 255 characters. The list can be filtered by it.
        purpose: Line, Optional;
        /// Plain text, at most 1,000 characters.
        description: BadgeText, Optional;
        /// `#rrggbb`, or an empty text.
        color: Color, Optional;
    }
}

impl Collection for Badge {
    type Input = BadgeInput;
    type Body = BadgeBody;
    type Context = ();
    const PARAM: &'static str = "badge";
    const PATH: &'static str = "/api/badges/";

    fn apply(&mut self, input: BadgeInput, mode: Mode) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(input.label, &mut self.label);
        reader.set(input.purpose, &mut self.purpose);
        reader.set(input.description, &mut self.description);
        reader.set(input.color, &mut self.color);
        reader.finish()
    }

    fn is_asked_for(&self, params: &Params) -> bool {
        let purpose = params.text("purpose").filter(|text| !text.is_empty());
        purpose.is_none_or(|purpose| text::fold(&self.purpose) == text::fold(purpose))
    }

    fn body(badge: &ReferenceEntry<Self>, (): &()) -> BadgeBody {
        badge.into()
    }
}

collection! {
    Badge, BadgeInput, BadgeBody, tag = "badges", id = "badge";
    /// List all badges.
    ///
    /// For everybody. Ordered by label.
    list_badges = "/api/badges/" params(
        ("purpose" = Option<String>, Query,
            description = "Only badges with this purpose, whatever its case")
    );
    /// Create a badge.
    ///
    /// For admins.
    create_badge;
    /// Get a badge.
    ///
    /// For everybody.
    show_badge = "/api/badges/{badge}/";
    /// Change some fields of a badge.
    ///
    /// For admins. With `PUT` every writable field must be sent; with `PATCH` the others stay as
    /// they are.
    update_badge;
    /// Delete a badge.
    ///
    /// For admins. It is 400, `in_use`, if a club has it, even a deleted one.
    delete_badge;
}
