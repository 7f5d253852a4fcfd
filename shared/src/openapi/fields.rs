//! Types that stand for the texts and numbers of request bodies in the OpenAPI document. They carry
//! the limits that the readers of [`crate::web::Reader`] enforce. They have no values: a field
//! names one in `#[schema(value_type = …)]`.

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, OneOfBuilder, RefOr, SchemaFormat};

use crate::ids::MAX_ID;
use crate::limits;
use crate::web::Reference;

/// Text without control characters, which is what [`char::is_control`] means.
const ONE_LINE: &str = r"^[^\x00-\x1f]*$";
/// The same, with at least one character that is not a space.
const NAME: &str = r"^[^\x00-\x1f]*[^\s\x00-\x1f][^\x00-\x1f]*$";
const NOT_BLANK: &str = r"\S";
const WEB: &str = r"^([Hh][Tt][Tt][Pp][Ss]?://\S+)?$";
const COLOR: &str = "^(#[0-9A-Fa-f]{6})?$";
const CODE: &str = "^[a-z0-9-]*[a-z][a-z0-9-]*$";
const EMAIL_STATUSES: &str =
    r"^(\s*(queued|sending|sent|failed|unknown|bounced|complained|none)\s*(,|$))+$";
/// An address, or nothing.
const ADDRESS: &str = r"^(\s*[^@\s]+@[^@\s]+\s*)?$";

fn text(max: usize, pattern: Option<&str>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(max))
        .min_length((pattern == Some(NAME) || pattern == Some(NOT_BLANK)).then_some(1))
        .pattern(pattern)
}

fn number(low: i32, high: i32) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(low))
        .maximum(Some(high))
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident => $schema:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $schema.into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+

        /// Returns all these types with their schemas. The generator finds those of bodies by
        /// itself, but not those of parameters.
        pub fn all() -> Vec<(String, RefOr<Schema>)> {
            use utoipa::{PartialSchema as _, ToSchema as _};
            let mut all = vec![$(($name::name().into(), $name::schema())),+];
            all.extend(all_words());
            all
        }
    };
}

fields! {
    /// One line that may be empty.
    Line => text(limits::NAME, Some(ONE_LINE));
    /// One line that must not be blank.
    Name => text(limits::NAME, Some(NAME));
    /// A long text in HTML.
    Html => text(limits::LONG_TEXT, None);
    /// The text of a question.
    PromptText => text(limits::PROMPT, Some(NOT_BLANK));
    /// The text of an option.
    OptionText => text(limits::OPTION, Some(NOT_BLANK));
    /// One answer of a submission.
    AnswerText => text(limits::ANSWER, None);
    /// The reason of a decision.
    ReasonText => text(limits::REASON, None);
    /// The description of a member.
    MemberText => text(limits::MEMBER_DESCRIPTION, None);
    /// The comment of a review.
    CommentText => text(limits::COMMENT, None);
    /// The description of a badge.
    BadgeText => text(limits::BADGE_DESCRIPTION, None);
    /// A web address. An empty text means none.
    WebAddress => text(limits::URL, Some(WEB));
    /// An e-mail address.
    Address => text(limits::EMAIL, None)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Email)));
    /// An e-mail address, or an empty text.
    MaybeAddress => text(limits::EMAIL, Some(ADDRESS));
    /// A color, or an empty text.
    Color => text("#rrggbb".len(), Some(COLOR));
    /// The code of a club.
    CodeText => text(limits::CODE, Some(CODE));
    /// A year of graduation.
    YearNumber => number((*limits::YEARS.start()).into(), (*limits::YEARS.end()).into());
    /// A limit on words. 0 means none.
    WordLimit => number(0, 10_000);
    /// A position in a list.
    Position => number(-1_000_000, 1_000_000);
    /// How often a join link can be used.
    JoinUses => number(1, 10_000);
    /// A number of tickets.
    Tickets => number(1, 1_000_000);
    /// A number from 1 to 5.
    FromOneToFive => number(1, 5);
    /// Some states of mails, separated by commas.
    EmailStatuses => text(limits::NAME, Some(EMAIL_STATUSES));
    /// A text to search for.
    SearchText => text(limits::NAME, None);
    /// The number of a page, or of results.
    Count => ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    /// The largest number of results that a request wants.
    SliceCount => number(1, 10_000);
    /// A number of open applications.
    OpenCount => number(1, 200);
    /// Only null: a file is sent in another way.
    OnlyNull => ObjectBuilder::new().schema_type(Type::Null);
    /// A file in a form.
    File => ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
}

/// A form with an image.
#[derive(Debug, utoipa::ToSchema)]
pub struct ImageUpload {
    /// The image: PNG, JPEG, WebP or GIF, at most 4 MiB.
    pub file: File,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident $about:literal [$($word:literal),+];)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($about))
                    .enum_values(Some([$($word),+]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+

        fn all_words() -> Vec<(String, RefOr<Schema>)> {
            use utoipa::{PartialSchema as _, ToSchema as _};
            vec![$(($name::name().into(), $name::schema())),+]
        }
    };
}

words! {
    /// The orders of the list of clubs.
    ClubOrdering "The order of clubs. A `-` turns it round." [
        "featured", "alphabetical", "-alphabetical", "favorite_count", "-favorite_count"
    ];
    /// The orders of the list of submissions.
    SubmissionOrdering "The order of submissions. A `-` turns it round." [
        "-created_at", "-score", "score"
    ];
    /// Who has reviewed a submission.
    Reviewed "Who has reviewed a submission." ["mine", "none", "others"];
}

impl utoipa::PartialSchema for Reference {
    fn schema() -> RefOr<Schema> {
        let id = || {
            ObjectBuilder::new()
                .schema_type(Type::Integer)
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
                .minimum(Some(1))
                .maximum(Some(MAX_ID))
        };
        let object = ObjectBuilder::new()
            .schema_type(Type::Object)
            .property("id", id().description(Some("The id.")))
            .required("id");
        OneOfBuilder::new()
            .description(Some(
                "An id, or an object with an id, so that what GET returned can be sent.",
            ))
            .item(id().title(Some("Id")))
            .item(object.title(Some("Object with an id")))
            .into()
    }
}

impl utoipa::ToSchema for Reference {}
