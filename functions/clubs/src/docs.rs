//! `/openapi.json`, `/docs/`, `/docs/{file}`

use std::io::Read as _;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use shared::openapi::ADDRESS;
use shared::openapi::fields::File;
use shared::web::{ApiError, Codings, PathIds, PublicPath, PublicUrl, Result};

/// The OpenAPI document of all routes, compressed by build.rs. A test checks that it agrees with
/// the code (O1).
const OPENAPI: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz"));

/// The same in OpenAPI 3.0.
const OPENAPI_3_0: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/openapi-3.0.json.gz"));

/// The files of the page: name, content type, compressed content.
const PARTS: [(&str, &str, &[u8]); 5] = [
    (
        "swagger-ui.css",
        "text/css",
        include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz")),
    ),
    (
        "index.css",
        "text/css",
        include_bytes!(concat!(env!("OUT_DIR"), "/index.css.gz")),
    ),
    (
        "swagger-ui-bundle.js",
        "text/javascript",
        include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz")),
    ),
    (
        "favicon-16x16.png",
        "image/png",
        include_bytes!(concat!(env!("OUT_DIR"), "/favicon-16x16.png.gz")),
    ),
    (
        "favicon-32x32.png",
        "image/png",
        include_bytes!(concat!(env!("OUT_DIR"), "/favicon-32x32.png.gz")),
    ),
];

/// The page without its beginning. It uses relative addresses, so it works with any path prefix.
const PAGE: &str = r#"<meta charset="utf-8"><title>Clubs API</title>
<link rel="stylesheet" href="swagger-ui.css"><link rel="stylesheet" href="index.css">
<link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32"><link rel="icon" type="image/png" href="favicon-16x16.png" sizes="16x16">
</head><body><div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script><script src="swagger-initializer.js"></script></body></html>
"#;

const INITIALIZER: &str = r##"window.onload = () => {
  window.ui = SwaggerUIBundle({ url: "../openapi.json", dom_id: "#swagger-ui",
    deepLinking: true, tryItOutEnabled: true, persistAuthorization: true,
    docExpansion: "none", filter: true, operationsSorter: (a, b) => order(a) - order(b) });
};
const METHODS = ["get", "post", "put", "patch", "delete"];
// The shorter path comes first, then reads before writes.
const order = (operation) =>
  operation.get("path").split("/").length * METHODS.length
  + METHODS.indexOf(operation.get("method"));
"##;

/// Get this OpenAPI document.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/openapi.json", tag = "service", security((), ("bearer" = [])),
    responses((status = 200, body = Object, description = "The document."))
)]
pub async fn show_openapi(url: PublicUrl) -> Result<Response> {
    document(OPENAPI, &url)
}

/// Get this document in OpenAPI 3.0.
///
/// For everybody. For programs that do not read 3.1: it says the same, as far as 3.0 can.
#[utoipa::path(
    get, path = "/api/openapi-3.0.json", tag = "service", security((), ("bearer" = [])),
    responses((status = 200, body = Object, description = "The document."))
)]
pub async fn show_openapi_3_0(url: PublicUrl) -> Result<Response> {
    document(OPENAPI_3_0, &url)
}

/// A document with the address of this service, under which the client has asked for it.
fn document(packed: &[u8], PublicUrl(url): &PublicUrl) -> Result<Response> {
    let address = url
        .rsplit_once("/api/")
        .map_or(url.as_str(), |(address, _)| address);
    let address = serde_json::to_string(address).unwrap_or_default();
    let text = String::from_utf8(unzipped(packed)?)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let [from, to] = [format!("{ADDRESS:?}"), address].map(|url| format!("\"url\": {url}"));
    let text = text.replacen(&from, &to, 1);
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Get a page to read and try this document.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/docs/", tag = "service", security((), ("bearer" = [])),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn show_docs(PublicPath(path): PublicPath) -> Response {
    // The page finds its files also if the path has no final slash, or has a prefix of the gateway.
    let base = shared::text::html::escape(path.trim_end_matches('/'));
    guarded(
        (
            [(header::CONTENT_TYPE, "text/html")],
            format!("<!doctype html><html lang=\"en\"><head><base href=\"{base}/\">{PAGE}"),
        )
            .into_response(),
    )
}

/// Get a file of the documentation page.
///
/// For everybody.
#[utoipa::path(
    get, path = "/api/docs/{file}", tag = "service", security((), ("bearer" = [])),
    params(("file" = String, Path)),
    responses((status = 200, description = "The file.", content(
        (String = "text/css"), (String = "text/javascript"), (File = "image/png")
    )))
)]
pub async fn show_docs_file(headers: HeaderMap, path: PathIds) -> Result<Response> {
    let file = path.text("file");
    if file == "swagger-initializer.js" {
        return Ok(guarded(
            ([(header::CONTENT_TYPE, "text/javascript")], INITIALIZER).into_response(),
        ));
    }
    let (_, content_type, packed) = PARTS
        .iter()
        .find(|(name, ..)| *name == file)
        .ok_or(ApiError::NotFound)?;
    Ok(guarded(unpacked(&headers, content_type, packed)?))
}

/// Answers with the compressed file if the client accepts gzip; otherwise unpacks it.
fn unpacked(
    headers: &HeaderMap,
    content_type: &'static str,
    packed: &'static [u8],
) -> Result<Response> {
    if Codings::of(headers).accepts("gzip") == Some(true) {
        return Ok((
            [
                (header::CONTENT_TYPE, content_type),
                (header::CONTENT_ENCODING, "gzip"),
            ],
            packed,
        )
            .into_response());
    }
    Ok(([(header::CONTENT_TYPE, content_type)], unzipped(packed)?).into_response())
}

fn unzipped(packed: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(bytes)
}

fn guarded(mut response: Response) -> Response {
    // Swagger UI needs inline styles. It loads nothing from other hosts (O1).
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
        frame-ancestors 'none'";
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(policy),
    );
    response.headers_mut().insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=3600"),
    );
    response
}
