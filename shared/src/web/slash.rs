//! Paths with and without their final slash (H1).

use axum::http::Uri;
use axum::http::request::Parts;

/// Returns whether a path names a file. Such paths have no final slash. A name that somebody chose,
/// for example of a user, may look like one.
fn is_file(path: &str) -> bool {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", "openapi.json" | "openapi-3.0.json" | "events.ics"]
        | ["api", "receipts", "jwks.json"]
        | ["api", "docs" | "calendars", _, ..]
        | ["api", "clubs", _, "events.ics"]
        | ["api", "clubs", _, "joinlinks", _, "qr.svg"] => true,
        ["api", "events", name] | ["api", "events", _, "showings", name] => {
            name.strip_suffix(".ics").is_some()
        }
        ["api", ..] | [] => false,
        [.., last] => {
            *last == "qr.svg" || last.rsplit_once('.').is_some_and(|(_, end)| end == "json")
        }
    }
}

/// Adds a final slash to the path: `/x` becomes `/x/`. Paths with a file extension have no slash
/// (H1).
pub(super) fn with_slash(parts: &mut Parts) {
    let path = parts.uri.path();
    if path.ends_with('/') || is_file(path) {
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
