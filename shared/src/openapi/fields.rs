//! Types that stand for parameters and files in the OpenAPI document. They have no values. Those of
//! fields of request bodies are in [`crate::text::kinds`].

use utoipa::IntoParams;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, OneOfBuilder, RefOr, SchemaFormat};

use crate::ids::MAX_ID;
use crate::limits;
use crate::web::Reference;

const EMAIL_STATUSES: &str =
    r"^(\s*(queued|sending|sent|failed|unknown|bounced|complained|none)\s*(,|$))+$";

fn text(pattern: Option<&str>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(limits::NAME))
        .pattern(pattern)
}

fn count(low: i32, high: i32) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(low))
        .maximum(Some(high))
}

/// One of these words.
fn words(about: &str, values: &[&str]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(about))
        .enum_values(Some(values.to_vec()))
}

/// The names of the values in generated clients.
fn variants(names: &[&str]) -> Extensions {
    Extensions::builder()
        .add("x-enum-varnames", serde_json::json!(names))
        .build()
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
            vec![$(($name::name().into(), $name::schema())),+]
        }
    };
}

fields! {
    /// Some states of mails, separated by commas.
    EmailStatuses => text(Some(EMAIL_STATUSES));
    /// A text to search for.
    SearchText => text(None);
    /// The number of a page, or of results.
    Count => ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    /// The largest number of results that a request wants.
    SliceCount => count(1, 10_000);
    /// A number of open applications.
    OpenCount => count(1, 200);
    /// A file in a form.
    File => ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    /// The format of an export.
    ExportKind => words("The format of a table.", &["csv", "xlsx"]);
    /// The dialect of CSV.
    CsvDialect => words("What separates the cells of CSV.", &["comma", "semicolon"]);
    /// Ids in an address.
    Ids => ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(r"^[0-9]+(,[0-9]+)*$"));
    /// The orders of the list of clubs.
    ClubOrdering => words("The order of clubs. A `-` turns it round.", &[
        "featured", "alphabetical", "-alphabetical", "favorite_count", "-favorite_count",
    ]);
    /// The orders of the list of events.
    EventOrdering => words("The order of events.", &["start_time", "next_start_time"]);
    /// The orders of the list of submissions.
    SubmissionOrdering => words("The order of submissions. A `-` turns it round.", &[
        "-created_at", "-score", "score",
    ]);
    /// Who has reviewed a submission.
    Reviewed => words("Who has reviewed a submission.", &["mine", "none", "others"]);
    /// The clubs that wait for approval.
    Unapproved => words("The clubs that wait for approval.", &["none"])
        .extensions(Some(variants(&["WaitingForApproval"])));
    /// What officers have to do about a submission.
    SubmissionDuty => words("What officers have to do about a submission.", &[
        "undecided", "untold", "unreached",
    ]).extensions(Some(variants(&["ToDecide", "ToTell", "ToReach"])));
    /// How far the interview of a submission is. No other enumeration may have the name of a value.
    InterviewStage => words("How far the interview of a submission is.", &[
        "none", "invited", "booked", "attended", "missed",
    ]).extensions(Some(variants(&[
        "NotInvited", "InvitedToInterview", "InterviewBooked", "InterviewAttended", "InterviewMissed",
    ])));
}

/// A form with an image.
#[derive(Debug, utoipa::ToSchema)]
pub struct ImageUpload {
    /// The image: PNG, JPEG, WebP or GIF, at most 4 MiB.
    pub file: File,
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

/// What exports read besides their filters.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the parameters are read by their names")]
pub struct ExportParams {
    /// `csv` or `xlsx`. If it is not sent, `Accept` tells it, and else it is CSV
    format: Option<ExportKind>,
    /// What separates the cells of CSV: `comma` or `semicolon`
    dialect: Option<CsvDialect>,
    /// Only the rows with these ids: at most 400, separated by commas
    ids: Option<Ids>,
}
