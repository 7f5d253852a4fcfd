//! Paths with and without their final slash (H1).

use axum::http::Uri;
use axum::http::request::Parts;

/// The last segments of paths that name a file.
const FILES: [&str; 8] = [
    "openapi.json",
    "openapi-3.0.json",
    "jwks.json",
    "events.ics",
    "qr.svg",
    "mail.json",
    "people.json",
    "config.json",
];

/// Adds a final slash to the path: `/x` becomes `/x/`. Paths with a file extension have no slash
/// (H1).
pub(super) fn with_slash(parts: &mut Parts) {
    let path = parts.uri.path();
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_file = FILES.contains(&last)
        || path.starts_with("/api/docs/")
        || path.starts_with("/api/calendars/");
    if last.is_empty() || is_file {
        return;
    }
    let query = parts
        .uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    if let Ok(path_and_query) = format!("{path}/{query}").parse() {
        let mut uri = parts.uri.clone().into_parts();
        uri.path_and_query = Some(path_and_query);
        if let Ok(uri) = Uri::from_parts(uri) {
            parts.uri = uri;
        }
    }
}
