//! `/local/…`: tokens, mails and the clock. `/media/…`: images. Lambda functions do not have these
//! routes.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::Shared;
use shared::html::escape;
use shared::http::{ApiError, Field, Input, Mode, Need, NoContent, Reader, Result};
use shared::media::CACHE_CONTROL;
use shared::time::Clock as _;

use crate::clock::MovableClock;
use crate::issuer::{ISSUER, Issuer, Subject};
use crate::mailbox::{KeptMail, Mailbox};

/// The state of these routes.
#[derive(Clone)]
pub struct Local {
    pub issuer: Arc<Issuer>,
    pub mailbox: Mailbox,
    pub clock: Arc<MovableClock>,
}

/// The routes below `/local/`.
pub fn routes(local: Local) -> Router<Shared> {
    Router::new()
        .route("/local/token/", post(create_token))
        .route(
            "/local/.well-known/openid-configuration/",
            get(show_discovery),
        )
        .route("/local/.well-known/jwks.json", get(show_keys))
        .route("/local/mail/", get(show_mailbox))
        .route("/local/mail.json", get(list_mails).delete(clear_mails))
        .route("/local/clock/", get(show_clock).post(move_clock))
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .with_state(local)
}

/// The routes of images. They have no limit for the size of answers, because in the cloud another
/// host serves images.
pub fn media(app: Shared) -> Router {
    let cors = shared::http::cors(&app.settings.cors_origins);
    Router::new()
        .route("/media/{file}", get(show_image))
        .layer(cors)
        .with_state(app)
}

#[derive(Default, Deserialize)]
struct TokenInput {
    #[serde(default)]
    username: Field<String>,
    #[serde(default)]
    email: Field<String>,
    #[serde(default)]
    name: Field<String>,
    #[serde(default)]
    groups: Field<Vec<String>>,
    #[serde(default)]
    expires_in: Field<i64>,
}

async fn create_token(
    State(local): State<Local>,
    Input(input): Input<TokenInput>,
) -> Result<Json<Value>> {
    let mut reader = Reader::new(Mode::Create);
    let mut username = String::new();
    reader.line("username", input.username, Need::Required, &mut username);
    let subject = Subject {
        username,
        email: reader.nullable("email", input.email, Need::Free).flatten(),
        name: reader.nullable("name", input.name, Need::Free).flatten(),
        groups: reader
            .nullable("groups", input.groups, Need::Free)
            .flatten()
            .unwrap_or_default(),
        expires_in: reader
            .nullable("expires_in", input.expires_in, Need::Free)
            .flatten(),
    };
    reader.finish()?;
    let (token, expires_in) = local
        .issuer
        .token(&subject, local.clock.now())
        .map_err(ApiError::Internal)?;
    Ok(Json(
        json!({ "access_token": token, "token_type": "Bearer", "expires_in": expires_in }),
    ))
}

/// The addresses have the port of the request. The issuer is the same on every port.
async fn show_discovery(headers: HeaderMap) -> Json<Value> {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or("127.0.0.1:8000");
    let local = format!("http://{host}/local");
    Json(json!({
        "issuer": ISSUER,
        "jwks_uri": format!("{local}/.well-known/jwks.json"),
        "token_endpoint": format!("{local}/token"),
    }))
}

async fn show_keys(State(local): State<Local>) -> Json<Value> {
    Json(json!(local.issuer.keys()))
}

async fn list_mails(State(local): State<Local>) -> Json<Vec<KeptMail>> {
    Json(local.mailbox.mails())
}

async fn clear_mails(State(local): State<Local>) -> Result<NoContent> {
    local
        .mailbox
        .clear()
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(NoContent)
}

async fn show_image(
    State(app): State<Shared>,
    Path(file): Path<String>,
) -> Result<impl IntoResponse> {
    let (bytes, content_type) = app.media.read(&file).await?.ok_or(ApiError::NotFound)?;
    Ok((
        [
            (header::CONTENT_TYPE, content_type),
            (header::CACHE_CONTROL, CACHE_CONTROL),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        bytes,
    ))
}

#[derive(Default, Deserialize)]
struct MoveInput {
    #[serde(default)]
    advance_s: Field<i64>,
}

async fn show_clock(State(local): State<Local>) -> Json<Value> {
    Json(json!({ "now": shared::time::Timestamp::at(local.clock.now()) }))
}

async fn move_clock(
    State(local): State<Local>,
    Input(input): Input<MoveInput>,
) -> Result<Json<Value>> {
    let mut seconds = 0;
    let mut reader = Reader::new(Mode::Create);
    reader.number(
        "advance_s",
        input.advance_s,
        Need::Required,
        (0, 3_155_760_000),
        &mut seconds,
    );
    reader.finish()?;
    local.clock.advance(TimeDelta::seconds(seconds));
    Ok(show_clock(State(local)).await)
}

async fn show_mailbox(State(local): State<Local>) -> Html<String> {
    let mails: String = local.mailbox.mails().iter().rev().map(row).collect();
    let mails = if mails.is_empty() {
        "<p>No mails yet.</p>".to_owned()
    } else {
        mails
    };
    Html(format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Mailbox</title>\
         <style>body{{font:16px/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}}\
         article{{border:1px solid #ccc;border-radius:8px;padding:1rem;margin:1rem 0}}\
         iframe{{width:100%;height:16rem;border:0;background:#fff}}small{{color:#666}}</style>\
         <h1>Mailbox</h1>{mails}"
    ))
}

fn row(mail: &KeptMail) -> String {
    let reply_to = mail.reply_to.as_ref().map_or_else(String::new, |address| {
        format!(", answers to {}", escape(address))
    });
    format!(
        "<article><b>{}</b><br><small>to {} from {}{reply_to}, {}</small>\
         <iframe sandbox srcdoc=\"{}\"></iframe></article>",
        escape(&mail.subject),
        escape(&mail.to),
        escape(&mail.from),
        mail.sent_at,
        escape(&mail.html),
    )
}
