//! The pages of the local service besides the site: the tools of a developer, and the mailbox. They
//! are files in `infra/local/pages/` and use only what any client can use.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use shared::Shared;
use shared::web::ApiError;

use crate::demo;

/// The files: name, content type, content.
const FILES: [(&str, &str, &str); 4] = [
    (
        "common.js",
        "text/javascript",
        include_str!("../pages/common.js"),
    ),
    (
        "home.js",
        "text/javascript",
        include_str!("../pages/home.js"),
    ),
    (
        "mailbox.js",
        "text/javascript",
        include_str!("../pages/mailbox.js"),
    ),
    ("style.css", "text/css", include_str!("../pages/style.css")),
];

/// The mails in the mailbox have styles and pictures of their own. Nothing else comes from outside.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src * data:; \
    frame-ancestors 'none'";

/// The routes of the pages.
pub fn routes() -> Router<Shared> {
    Router::new()
        .route(
            "/local/",
            get(async || page(include_str!("../pages/home.html"))),
        )
        .route("/api/", get(async || Redirect::to("/api/docs/")))
        .route(
            "/local/mail/",
            get(async || page(include_str!("../pages/mailbox.html"))),
        )
        .route("/local/pages/{file}/", get(show_file))
        .route("/local/people.json", get(list_people))
}

fn page(html: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, html).into_response()
}

async fn show_file(Path(file): Path<String>) -> Result<Response, ApiError> {
    let (_, content_type, content) = FILES
        .iter()
        .find(|(name, ..)| *name == file)
        .ok_or(ApiError::NotFound)?;
    Ok(([(header::CONTENT_TYPE, *content_type)], *content).into_response())
}

/// The people of the demo campus for whom the service prints tokens.
async fn list_people() -> Json<Value> {
    let people =
        demo::personas().map(|(role, subject)| json!({ "role": role, "subject": subject }));
    Json(people.into_iter().collect())
}
