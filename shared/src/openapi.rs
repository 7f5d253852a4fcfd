//! The OpenAPI document. It is generated from the routes; the parts that all operations share are
//! added here.

use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{Schema, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    InfoBuilder, ObjectBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required, Response,
    ResponseBuilder, Server,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::http::{Code, ErrorBody};

/// Returns the document without routes.
pub fn base() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Clubs")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "The club-management service of a university: clubs, memberships, \
            events and recruitment.",
        ))
        .build();
    // The URL is relative to the document, so that it is also right behind a gateway stage.
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([Server::new("..")]))
        .build()
}

/// Adds the parts that all operations share: errors, the bearer scheme, and PATCH bodies in which
/// no field is required.
pub fn complete(mut api: OpenApi) -> OpenApi {
    let components = api.components.get_or_insert_default();
    let bearer = SecurityScheme::Http(
        HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .build(),
    );
    components.add_security_scheme("bearer", bearer);
    components
        .schemas
        .insert(ErrorBody::name().into_owned(), ErrorBody::schema());
    components
        .schemas
        .insert(Code::name().into_owned(), Code::schema());
    for item in api.paths.paths.values_mut() {
        for operation in operations(item) {
            add_errors(operation);
        }
        if let Some(post) = item.post.as_mut().filter(|post| post.security.is_some()) {
            add_header(
                post,
                "Idempotency-Key",
                "A key of at most 255 characters. For 24 hours, a repeat with the same key and \
                    body is not executed again and gets the first status.",
            );
        }
        let edited = if item.patch.is_some() {
            [&mut item.put, &mut item.patch, &mut item.delete]
        } else {
            [&mut None, &mut None, &mut None]
        };
        for operation in edited.into_iter().filter_map(Option::as_mut) {
            add_header(
                operation,
                "If-Match",
                "The entity tag of the object as it was read. 412 if the object has changed \
                    since then.",
            );
            operation
                .responses
                .responses
                .entry("412".to_owned())
                .or_insert_with(|| error("Changed since it was read"));
        }
        if let Some(name) = item.patch.as_mut().and_then(patch_body) {
            let patched = components.schemas.get(&name).map(without_required);
            components
                .schemas
                .extend(patched.map(|schema| (format!("{name}Patch"), schema)));
        }
    }
    api
}

/// Returns the operations of a path.
pub fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.post,
        &mut item.put,
        &mut item.patch,
        &mut item.delete,
    ]
    .into_iter()
    .filter_map(Option::as_mut)
}

fn add_errors(operation: &mut Operation) {
    let signed_in = operation.security.is_some();
    let errors = [
        ("400", true),
        ("401", true),
        ("403", signed_in),
        ("404", true),
        ("429", true),
        ("500", true),
    ];
    for (status, _) in errors.into_iter().filter(|(_, applies)| *applies) {
        let description = match status {
            "400" => "Invalid request data",
            "401" => "Authentication required",
            "403" => "Insufficient permissions",
            "404" => "Does not exist, or is not visible to the caller",
            "429" => "Too many requests",
            _ => "Server error",
        };
        operation
            .responses
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| error(description));
    }
}

fn error(description: &str) -> RefOr<Response> {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(ErrorBody::name())))
        .build();
    RefOr::T(
        ResponseBuilder::new()
            .description(description)
            .content("application/json", content)
            .build(),
    )
}

fn add_header(operation: &mut Operation, name: &str, about: &str) {
    let schema = ObjectBuilder::new().schema_type(Type::String).build();
    let header = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .description(Some(about))
        .schema(Some(schema));
    operation
        .parameters
        .get_or_insert_default()
        .push(RefOr::T(header.required(Required::False).build()));
}

/// Changes a PATCH body so that it refers to the variant of its schema without required fields.
/// Returns the name of the schema.
fn patch_body(operation: &mut Operation) -> Option<String> {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return None;
    };
    let RefOr::T(content) = body.content.get_mut("application/json")? else {
        return None;
    };
    let Some(RefOr::Ref(reference)) = &mut content.schema else {
        return None;
    };
    let name = reference.ref_location.rsplit('/').next()?.to_owned();
    reference.ref_location = format!("{}Patch", reference.ref_location);
    Some(name)
}

fn without_required(schema: &RefOr<Schema>) -> RefOr<Schema> {
    let mut schema = schema.clone();
    if let RefOr::T(Schema::Object(object)) = &mut schema {
        debug_assert!(matches!(
            &object.schema_type,
            SchemaType::Type(Type::Object)
        ));
        object.required.clear();
    }
    schema
}
