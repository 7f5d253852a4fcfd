//! `/local/…`: tokens, mails and the clock. `/media/…`: images. Lambda functions do not have these
//! routes.

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use serde_json::{Value, json};
use shared::Shared;
use shared::media::CACHE_CONTROL;
use shared::reason::Reason;
use shared::text::kinds::{List, Name};
use shared::time::Clock as _;
use shared::web::{ApiError, Input, Mode, NoContent, Reader, Result};

use crate::images::LocalImages;
use crate::issuer::Subject;
use crate::mailbox::KeptMail;
use crate::oidc;
use crate::state::Local;

/// The routes below `/local/`.
pub fn routes(local: Local) -> Router<Shared> {
    Router::new()
        .route("/local/token/", post(create_token))
        .route("/local/authorize/", get(oidc::authorize))
        .route("/local/oauth/token/", post(oidc::exchange))
        .route("/local/oauth/revoke/", post(oidc::revoke))
        .route(
            "/local/.well-known/openid-configuration/",
            get(show_discovery),
        )
        .route("/local/.well-known/jwks.json", get(show_keys))
        .route("/local/mail.json", get(list_mails).delete(clear_mails))
        .route("/local/clock/", get(show_clock).post(move_clock))
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .with_state(local)
}

/// Refuses a request of HTTP/1.1 that does not say which host it is for, or that names two, as the
/// gateway does in the cloud (RFC 9112, 3.2).
pub async fn one_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if request.version() == Version::HTTP_11 && hosts != 1 {
        return ApiError::field("Host", Reason::Repeated).into_response();
    }
    next.run(request).await
}

/// Refuses requests for tokens, mails and the clock that a web page of somebody else makes: by a
/// name that leads to this machine (`Host`), or from its own origin (`Origin`).
pub async fn own_callers(request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/local") && !is_own_caller(request.headers()) {
        return ApiError::Forbidden.into_response();
    }
    next.run(request).await
}

fn is_own_caller(headers: &HeaderMap) -> bool {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let host = text(header::HOST).unwrap_or_default();
    // A browser may know this machine by any of its names.
    let port = |host: &str| host.rsplit(':').next().unwrap_or_default().to_owned();
    let is_own = text(header::ORIGIN).is_none_or(|origin| {
        let from = origin.strip_prefix("http://");
        from.is_some_and(|from| is_loopback(from) && port(from) == port(host))
    });
    (host.is_empty() || is_loopback(host)) && is_own
}

/// Whether a host, perhaps with a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// The routes of images. They have no limit for the size of responses, because in the cloud another
/// host serves images.
pub fn media(app: &Shared, images: LocalImages) -> Router {
    let cors = shared::web::cors(&app.settings.addresses.cors_origins);
    Router::new()
        .route("/media/{file}", get(show_image))
        .layer(cors)
        .with_state(images)
}

shared::input! {
    /// Whose token it is.
    struct TokenInput {
        /// User name.
        username: Name, Required;
        /// Without it the token has no address.
        email: Option<String>, Free;
        /// Without it the token has no name.
        name: Option<String>, Free;
        /// Without it the token has no first name.
        given_name: Option<String>, Free;
        /// Without it the token has no last name.
        family_name: Option<String>, Free;
        /// Groups of the university.
        groups: Option<List<String>>, Free;
        /// Seconds until the token ends.
        expires_in: Option<i64>, Free;
    }
}

async fn create_token(
    State(local): State<Local>,
    Input(input): Input<TokenInput>,
) -> Result<Json<Value>> {
    let mut reader = Reader::new(Mode::Create);
    let subject = Subject {
        username: reader.get(input.username).unwrap_or_default(),
        email: reader.get(input.email).flatten(),
        name: reader.get(input.name).flatten(),
        given_name: reader.get(input.given_name).flatten(),
        family_name: reader.get(input.family_name).flatten(),
        groups: reader.get(input.groups).flatten().unwrap_or_default(),
        expires_in: reader.get(input.expires_in).flatten(),
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

async fn show_discovery(State(local): State<Local>) -> Json<Value> {
    let issuer = local.issuer.url();
    Json(json!({
        "issuer": issuer,
        "jwks_uri": format!("{issuer}/.well-known/jwks.json"),
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["openid"],
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
    State(images): State<LocalImages>,
    Path(file): Path<String>,
) -> Result<impl IntoResponse> {
    let found = images.read(&file).await?;
    let (bytes, content_type) = found.ok_or(ApiError::NotFound)?;
    Ok((
        [
            (header::CONTENT_TYPE, content_type),
            (header::CACHE_CONTROL, CACHE_CONTROL),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ],
        bytes,
    ))
}

/// The longest way of the clock in one step, in seconds: a century.
const LONGEST_STEP: i64 = 3_155_760_000;

shared::input! {
    /// A step of the clock.
    struct MoveInput {
        /// Seconds.
        advance_s: i64, Required;
    }
}

async fn show_clock(State(local): State<Local>) -> Json<Value> {
    Json(json!({ "now": shared::time::Timestamp::at(local.clock.now()) }))
}

async fn move_clock(
    State(local): State<Local>,
    Input(input): Input<MoveInput>,
) -> Result<Json<Value>> {
    let mut reader = Reader::new(Mode::Create);
    let mut seconds = reader.get(input.advance_s).unwrap_or_default();
    if !(0..=LONGEST_STEP).contains(&seconds) {
        let (minimum, limit) = (0, LONGEST_STEP);
        let why = Reason::OutOfRange { minimum, limit };
        reader.errors.add("advance_s", why);
        seconds = 0;
    }
    let by = TimeDelta::seconds(seconds);
    let last =
        NaiveDate::from_ymd_opt(9_999, 12, 31).map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let is_valid = local
        .clock
        .now()
        .checked_add_signed(by)
        .is_some_and(|then| Some(then) <= last);
    if !is_valid && !reader.errors.has("advance_s") {
        reader.errors.add("advance_s", Reason::TooLate);
    }
    reader.finish()?;
    let moved = local.ticker.advance(by).await;
    moved.map_err(ApiError::Internal)?;
    Ok(show_clock(State(local)).await)
}
