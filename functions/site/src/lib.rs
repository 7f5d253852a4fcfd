//! The site: a page for students, officers and admins that uses the API and nothing else (design,
//! `docs/site.md`). The files are part of the binary, compressed when it was built.

mod config;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use shared::http::{ApiError, PublicPath};

pub use config::{SentToken, SiteConfig, variable};

struct File {
    name: &'static str,
    content_type: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
    brotli: &'static [u8],
}

const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
/// Changes with every change of a file.
const HASH: &str = env!("SITE_HASH");
const INDEX: &str = include_str!("../index.html");
/// A file at an address with the hash never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The routes of the site. For a browser, every path that is no file is the page itself, which knows
/// its paths (O14).
pub fn routes(config: SiteConfig) -> Router {
    Router::new()
        .route("/config.json", get(show_config))
        .route("/assets/{hash}/{*name}", get(show_file))
        .fallback(get(show_page))
        .with_state(config)
}

async fn show_config(State(config): State<SiteConfig>) -> Response {
    let headers = [(header::CACHE_CONTROL, "public, max-age=300")];
    (headers, Json(config)).into_response()
}

/// Returns whether the client accepts a coding. A weight of 0 refuses it.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    accepted.split(',').any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let refused = weight
            .replace(' ', "")
            .trim_start_matches("q=")
            .parse::<f32>()
            == Ok(0.0);
        name.trim().eq_ignore_ascii_case(coding) && !refused
    })
}

async fn show_file(Path((hash, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return ApiError::NotFound.into_response();
    };
    let (bytes, coding) = if accepts(&headers, "br") {
        (file.brotli, Some("br"))
    } else if accepts(&headers, "gzip") {
        (file.gzip, Some("gzip"))
    } else {
        (file.plain, None)
    };
    // A page that was loaded before a deployment asks for the old hash. It gets the present file.
    let cache = if hash == HASH { FOR_EVER } else { "no-store" };
    let mut response = (
        [
            (header::CONTENT_TYPE, file.content_type),
            (header::CACHE_CONTROL, cache),
            (header::VARY, "Accept-Encoding"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        bytes,
    )
        .into_response();
    if let Some(coding) = coding {
        let value = HeaderValue::from_static(coding);
        response
            .headers_mut()
            .insert(header::CONTENT_ENCODING, value);
    }
    response
}

async fn show_page(
    State(config): State<SiteConfig>,
    PublicPath(public): PublicPath,
    headers: HeaderMap,
    uri: axum::http::Uri,
) -> Response {
    let accept = headers.get(header::ACCEPT);
    let is_browser = accept
        .and_then(|value| value.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    // Programs that ask for a path which is not there are told so.
    let is_api = uri.path() == "/api" || uri.path().starts_with("/api/");
    if is_api || (!is_browser && uri.path() != "/") {
        return ApiError::NotFound.into_response();
    }
    // Below a stage of the gateway the public path begins with the stage.
    let base = public.strip_suffix(uri.path()).unwrap_or_default();
    let html = INDEX
        .replace("{{base}}", &format!("{base}/"))
        .replace("{{assets}}", &format!("{base}/assets/{HASH}"));
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: {media}; \
         connect-src 'self' {issuer} {connect}; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
        media = origin(&config.media_url),
        issuer = origin(&config.issuer),
        connect = config.connect,
    );
    let mut response = (
        [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        html,
    )
        .into_response();
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response
            .headers_mut()
            .insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The scheme and host of a URL.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    &url[..end]
}
