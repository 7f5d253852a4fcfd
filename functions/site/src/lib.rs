//! The site: a page for students, officers and admins that uses the API and nothing else (design,
//! `docs/site.md`). The files are part of the binary, compressed when it was built. For previews of
//! links, the pages of clubs and events say what everybody may see of them.

mod config;
mod preview;

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;
use shared::web::{ApiError, Codings, PublicOrigin, PublicPath};

pub use config::{SentToken, SiteConfig, variable};
pub use preview::Public;

use preview::{Preview, about};

/// What the routes need.
#[derive(Clone)]
struct Site {
    config: SiteConfig,
    public: Arc<Public>,
}

struct File {
    name: &'static str,
    content_type: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
    brotli: &'static [u8],
}

const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));
/// Every page: its path, with a colon before a part that varies, and the modules that it needs.
const PAGES: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
const WORKER: &str = "worker.js";
/// Changes with every change of a file.
const HASH: &str = env!("SITE_HASH");
const INDEX: &str = include_str!("../index.html");
/// A file at an address with the hash never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Pages are the same for everybody. The distribution keeps them for a minute, and browsers ask
/// each time (O22).
const A_MINUTE_IN_DISTRIBUTION: &str = "public, max-age=0, s-maxage=60";

/// The routes of the site. For a browser, every path that is no file is the page itself; its status
/// tells whether the site has such a page (O14).
pub fn routes(config: SiteConfig, public: Public) -> Router {
    Router::new()
        .route("/config.json", get(show_config))
        .route("/assets/{hash}/{*name}", get(show_file))
        .route("/robots.txt", get(show_robots))
        .route("/sitemap.xml", get(show_site_map))
        .route("/qr.svg", get(show_qr_code))
        .route("/manifest.webmanifest", get(show_manifest))
        .route("/sw.js", get(show_worker))
        .fallback(get(show_page))
        .with_state(Site {
            config,
            public: Arc::new(public),
        })
}

async fn show_config(State(site): State<Site>) -> Response {
    let headers = [(header::CACHE_CONTROL, "public, max-age=300")];
    (headers, Json(site.config)).into_response()
}

/// Returns whether the client accepts a coding.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    Codings::of(headers).accepts(coding) == Some(true)
}

async fn show_file(
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let found = path.ok().and_then(|Path((hash, name))| {
        let file = FILES.iter().find(|file| file.name == name)?;
        Some((hash, file))
    });
    let Some((hash, file)) = found else {
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

/// Where the site is, with the origin, and a slash at its end.
struct Base(String);

impl<S: Sync> FromRequestParts<S> for Base {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let PublicPath(public) = PublicPath::from_request_parts(parts, state).await?;
        let origin = if let Some(PublicOrigin(origin)) = parts.extensions.get() {
            origin.clone()
        } else {
            let host = parts.headers.get(header::HOST);
            let host = host.and_then(|host| host.to_str().ok());
            format!("http://{}", host.unwrap_or("localhost"))
        };
        Ok(Self(format!(
            "{origin}{}",
            base_of(&public, parts.uri.path())
        )))
    }
}

/// Search engines may read what everybody may read. Addresses with a secret are not for them.
async fn show_robots(Base(base): Base) -> Response {
    let secrets = SECRETS.map(|start| format!("Disallow: {start}\n")).concat();
    let text = format!("User-agent: *\nDisallow: /api/\n{secrets}\nSitemap: {base}sitemap.xml\n");
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, text).into_response()
}

async fn show_site_map(State(site): State<Site>, Base(base): Base) -> Response {
    let map = match site.public.site_map(&base).await {
        Ok(map) => map,
        Err(error) => return ApiError::from(error).into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, "application/xml; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, map).into_response()
}

/// Where the site is, below a stage of the gateway or at the root of a host, with a slash at its
/// end.
fn base_of(public: &str, path: &str) -> String {
    format!("{}/", public.strip_suffix(path).unwrap_or_default())
}

/// Pages whose address has a secret.
const SECRETS: [&str; 3] = ["/invite/", "/join/", "/unsubscribe/"];

/// The page that a QR code leads to.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Target {
    /// The path of a page of this site.
    to: String,
}

/// The QR code of a page, for posters. Addresses with a secret are not given here, because
/// addresses of requests stand in logs: the code of a join link comes from the API.
async fn show_qr_code(Base(base): Base, target: Result<Query<Target>, QueryRejection>) -> Response {
    let Query(target) = target.unwrap_or_default();
    let path = target.to.split('?').next().unwrap_or_default();
    let has_secret = SECRETS.iter().any(|start| path.starts_with(start));
    let is_page = path.starts_with('/') && !has_secret && modules_of(path).is_some();
    let code = is_page.then(|| format!("{base}{}", &target.to[1..]));
    let Some(code) = code.and_then(|address| shared::qr::svg(&address)) else {
        return ApiError::NotFound.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, code).into_response()
}

/// What a phone needs to put the site beside its programs.
async fn show_manifest(PublicPath(public): PublicPath, uri: Uri) -> Response {
    let base = base_of(&public, uri.path());
    let icon = |side: u32| {
        json!({
            "src": format!("{base}assets/{HASH}/icon-{side}.png"), "sizes": format!("{side}x{side}"),
            "type": "image/png", "purpose": "any maskable",
        })
    };
    let manifest = json!({
        "name": "Clubs", "short_name": "Clubs", "id": base, "start_url": base, "scope": base,
        "display": "standalone", "background_color": "#f6f6f9", "theme_color": "#4353d6",
        "icons": [icon(192), icon(512)],
    });
    let headers = [
        (header::CONTENT_TYPE, "application/manifest+json"),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, manifest.to_string()).into_response()
}

/// The service worker, which keeps the files of this release. Browsers ask for it every time, so a
/// deployment is seen after a minute.
async fn show_worker(PublicPath(public): PublicPath, uri: Uri) -> Response {
    // The pictures are for the screen of a phone, not for the page.
    let is_kept = |file: &&File| file.content_type != "image/png" && file.name != WORKER;
    let kept: Vec<&str> = FILES.iter().filter(is_kept).map(|file| file.name).collect();
    let base = base_of(&public, uri.path());
    let shell = json!({ "version": HASH, "base": base, "files": kept });
    let worker = FILES.iter().find(|file| file.name == WORKER);
    let worker = worker.map_or_else(Default::default, |file| String::from_utf8_lossy(file.plain));
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        // An old one would keep files of this release under the name of another.
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, format!("self.SHELL = {shell};\n{worker}")).into_response()
}

/// The modules of the page at a path, or none if the site has no such page.
fn modules_of(path: &str) -> Option<&'static [&'static str]> {
    let path = path.trim_end_matches('/');
    let fits = |pattern: &str| {
        let (mut segments, mut given) = (pattern.trim_end_matches('/').split('/'), path.split('/'));
        loop {
            match (segments.next(), given.next()) {
                (None, None) => return true,
                (Some(name), Some(part)) if name.starts_with(':') && !part.is_empty() => {}
                (Some(name), Some(part)) if name == part => {}
                _ => return false,
            }
        }
    };
    let found = PAGES.iter().find(|(pattern, _)| fits(pattern));
    found.map(|(_, modules)| *modules)
}

/// A script that stands in the home page: it asks ahead for what visitors see. It is no file,
/// because a request for it would take as long as it saves.
const FIRST: &str = include_str!(concat!(env!("OUT_DIR"), "/first.js"));

/// The page at a path: the settings of the deployment, and the files that a browser will need.
fn page(
    config: &SiteConfig,
    base: &str,
    path: &str,
    language: &str,
    preview: Option<(&Preview, &str)>,
) -> String {
    let modules = modules_of(path).unwrap_or_default();
    let assets = format!("{base}/assets/{HASH}");
    let preload: String = modules
        .iter()
        .map(|module| format!("<link rel=\"modulepreload\" href=\"{assets}/{module}\">\n"))
        .chain([format!(
            "<link rel=\"modulepreload\" href=\"{assets}/texts/{language}.js\">\n"
        )])
        .collect();
    // Within a script, only this sign could end it.
    let settings = serde_json::to_string(config).unwrap_or_default();
    let settings = settings.replace('<', "\\u003c");
    let first = match path {
        "/" => format!("<script>{FIRST}</script>"),
        _ => String::new(),
    };
    let (about, scripts) = about(language);
    let (title, head) = match preview {
        None => ("Clubs".to_owned(), String::new()),
        Some((preview, address)) => (preview.title(), preview.head(address)),
    };
    let description = preview.map(|(preview, _)| preview.description());
    let description = description.filter(|text| !text.is_empty());
    INDEX
        .replace("{{base}}", &format!("{base}/"))
        .replace("{{preload}}", preload.trim_end())
        .replace("{{config}}", &settings)
        .replace("{{assets}}", &assets)
        .replace("{{language}}", language)
        .replace("{{first}}", &first)
        .replace("{{scripts}}", scripts)
        .replacen("{{title}}", &title, 1)
        .replacen(
            "{{description}}",
            description.as_deref().unwrap_or(about),
            1,
        )
        .replacen("{{preview}}", &head, 1)
}

/// A page for a client that takes gzip. It has some kilobytes, so this costs less than sending it.
fn gzip(html: &str) -> Option<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(html.as_bytes()).ok()?;
    encoder.finish().ok()
}

async fn show_page(
    State(site): State<Site>,
    PublicPath(public): PublicPath,
    Base(address): Base,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let text = |name: header::HeaderName| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    };
    let accepted = text(header::ACCEPT);
    let is_browser = accepted.contains("text/html");
    // Programs that make previews of links take anything, and often do not say so.
    let takes_any = accepted.is_empty() || accepted.contains("*/*");
    let is_page = modules_of(uri.path()).is_some();
    // Programs that ask for a path which is not there are told so.
    let is_api = uri.path() == "/api" || uri.path().starts_with("/api/");
    if is_api || !(is_browser || takes_any && is_page) {
        return ApiError::NotFound.into_response();
    }
    // Below a stage of the gateway the public path begins with the stage.
    let base = public.strip_suffix(uri.path()).unwrap_or_default();
    let (status, cache) = if is_page {
        (StatusCode::OK, A_MINUTE_IN_DISTRIBUTION)
    } else {
        (StatusCode::NOT_FOUND, "no-cache")
    };
    let is_german = text(header::ACCEPT_LANGUAGE).trim_start().starts_with("de");
    let language = if is_german { "de" } else { "en" };
    let preview = site.public.preview(uri.path()).await;
    let address = format!("{}{}", address.trim_end_matches('/'), uri.path());
    let preview = preview.as_deref().map(|preview| (preview, &*address));
    let config = &site.config;
    let html = page(config, base, uri.path(), language, preview);
    let policy = format!(
        "default-src 'none'; script-src 'self' '{first}'; style-src 'self'; \
         font-src 'self'; img-src 'self' data: {media}; \
         connect-src 'self' {issuer} {connect} {files}; \
         manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'self'; \
         frame-ancestors 'none'",
        first = env!("SITE_FIRST"),
        media = origin(&config.media_url),
        issuer = origin(&config.issuer),
        connect = config.connect,
        files = config.files,
    );
    let packed = accepts(&headers, "gzip").then(|| gzip(&html)).flatten();
    let mut response = (
        status,
        [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, cache),
            (header::VARY, "Accept, Accept-Language, Accept-Encoding"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        html,
    )
        .into_response();
    if let Some(packed) = packed {
        let gzip = HeaderValue::from_static("gzip");
        response
            .headers_mut()
            .insert(header::CONTENT_ENCODING, gzip);
        *response.body_mut() = packed.into();
    }
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
