//! `/openapi.json`, `/docs/`, `/docs/{file}`

use std::sync::{Arc, LazyLock};

use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use shared::http::{ApiError, PublicPath, Result};
use utoipa_swagger_ui::{Config, SwaggerFile, serve};

/// Made from the routes of all groups, and compared with them by a test.
const OPENAPI: &str = include_str!("../../../docs/openapi.json");

/// The page finds the document beside itself, whatever the stage in front.
static UI: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::new(["../openapi.json"]).try_it_out_enabled(true).persist_authorization(true)));

/// This document. Anybody.
#[utoipa::path(get, path = "/api/openapi.json", tag = "service", responses((status = 200, content_type = "application/json")))]
pub async fn show_openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// A page to read the document and try it. Anybody.
#[utoipa::path(get, path = "/api/docs/", tag = "service", responses((status = 200, content_type = "text/html")))]
pub async fn show_docs(PublicPath(path): PublicPath) -> Result<Response> {
    // Without its slash, and behind a stage, the page still finds its parts.
    let base = format!("<head><base href=\"{}/\">", shared::html::escape(path.trim_end_matches('/')));
    let found = part("index.html")?;
    let html = String::from_utf8_lossy(&found.bytes).replacen("<head>", &base, 1);
    Ok(answer(html.into_bytes(), found.content_type))
}

/// A part of the page. Anybody.
#[utoipa::path(get, path = "/api/docs/{file}", tag = "service", params(("file" = String, Path)), responses((status = 200)))]
pub async fn show_docs_file(Path(file): Path<String>) -> Result<Response> {
    let found = part(&file)?;
    Ok(answer(found.bytes.into_owned(), found.content_type))
}

fn part(file: &str) -> Result<SwaggerFile<'static>> {
    serve(file, UI.clone()).map_err(|error| ApiError::Internal(error.to_string()))?.ok_or(ApiError::NotFound)
}

fn answer(bytes: Vec<u8>, content_type: String) -> Response {
    let mut response = bytes.into_response();
    let content_type = HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    // Swagger UI styles itself inline; it loads nothing from elsewhere.
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}
