//! The OpenAPI document. It is generated from the routes; what all operations share is added here.

mod codes;
pub mod fields;
mod older;
mod operations;
mod responses;
mod schemas;
mod tags;
mod variants;
mod walk;
mod webhooks;

use serde_json::{Map, Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ContactBuilder, InfoBuilder, License, OpenApi, OpenApiBuilder, ServerBuilder,
};
use utoipa::{PartialSchema as _, ToSchema as _};

pub use codes::CODES;
pub use older::version_3_0;
pub use schemas::LISTED_VALUES;

use crate::web::{Code, ErrorBody};

/// Whether routes describe themselves. Functions in Lambda do not, because that is a quarter of
/// their start: the finished document is a file of one of them.
pub const IS_DESCRIBED: bool = cfg!(feature = "documents");

/// One path of a function: handlers for its methods. Like the macro of `utoipa_axum`, but without
/// the descriptions if nobody asks for them
/// ([`openapi::IS_DESCRIBED`](crate::openapi::IS_DESCRIBED)).
#[macro_export]
macro_rules! routes {
    ($($module:ident::$handler:ident),+ $(,)?) => {
        if $crate::openapi::IS_DESCRIBED {
            utoipa_axum::routes!($($module::$handler),+)
        } else {
            use utoipa::Path as _;
            use utoipa_axum::PathItemExt as _;
            let mut paths = utoipa::openapi::path::Paths::new();
            let router = axum::routing::MethodRouter::new();
            $(
                // The name that utoipa gives to the description of a handler.
                let (path, methods) = utoipa_axum::paste! {(
                    $module::[<__path_ $handler>]::path(),
                    $module::[<__path_ $handler>]::methods(),
                )};
                paths.paths.entry(path).or_default();
                let router = methods.iter().fold(router, |router, method| {
                    router.on(method.to_method_filter(), $module::$handler)
                });
            )+
            (Vec::new(), paths, router)
        }
    };
}

/// What a reader should know before the first operation.
const ABOUT: &str = include_str!("about.md");

/// The address of the service in the document: that of the local service. A service that gives out
/// the document writes its own address there.
pub const ADDRESS: &str = "http://127.0.0.1:8000";

/// Returns the document without routes.
pub fn base() -> OpenApi {
    if !IS_DESCRIBED {
        return OpenApi::default();
    }
    let mut license = License::new(env!("CARGO_PKG_LICENSE"));
    license.identifier = Some(env!("CARGO_PKG_LICENSE").to_owned());
    let info = InfoBuilder::new()
        .title("Clubs")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .contact(Some(
            ContactBuilder::new()
                .name(Some("The operators of this service"))
                .build(),
        ))
        .license(Some(license))
        .build();
    // Generators of clients cannot resolve an address that is relative to the document.
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new()
            .url(ADDRESS)
            .description(Some(
                "The service that gave out this document; in a copy, the local service.",
            ))
            .build()]))
        .build()
}

/// Adds what all operations share. The examples are added by a test, which calls every operation.
pub fn complete(mut api: OpenApi) -> Value {
    let components = api.components.get_or_insert_default();
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some(
            "An access token of the university's issuer. On the local service: `POST \
            /local/token` with a `username`.",
        ))
        .build();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("clubs_ and 40 letters and digits")
        .description(Some(
            "A token of a person for a program (`POST /settings/tokens/`). Each operation names the \
            scope that it needs; where none is named, a token counts as no credentials, or is 403.",
        ))
        .build();
    components.add_security_scheme("token", SecurityScheme::Http(token));
    for (name, schema) in [
        (ErrorBody::name(), ErrorBody::schema()),
        (Code::name(), Code::schema()),
    ] {
        components.schemas.insert(name.into_owned(), schema);
    }
    components.schemas.extend(fields::all());
    webhooks::add_schemas(components);
    let mut document = json!(api);
    document["tags"] = tags::all();
    document["x-tagGroups"] = tags::groups();
    webhooks::complete(&mut document);
    schemas::complete(&mut document);
    operations::complete(&mut document);
    document
}

/// Returns the first sentence of a text, without its final period.
fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").or_else(|| text.find(".\n"));
    end.map_or_else(|| text.trim_end_matches('.'), |end| &text[..end])
}

/// Returns a reference to a component.
fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// The schemas of the document.
fn schemas_of(document: &mut Value) -> &mut Map<String, Value> {
    document["components"]["schemas"]
        .as_object_mut()
        .expect("the document has schemas")
}

/// Whether the description of a field has this sentence.
fn says(field: &Value, sentence: &str) -> bool {
    let about = field["description"].as_str().unwrap_or_default();
    about.replace('\n', " ").contains(sentence)
}
