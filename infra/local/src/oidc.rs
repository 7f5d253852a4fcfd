//! The sign-in page of the local issuer: authorization code with PKCE (RFC 6749, RFC 7636), so that
//! the site signs in here as it does at a university (O14).

use aws_lc_rs::digest;
use axum::Json;
use axum::extract::{Form, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::time::Clock as _;

use crate::demo;
use crate::grants::SignInGrant;
use crate::issuer::{AUDIENCE, Subject};
use crate::state::Local;

/// How long an authorization code can be exchanged.
const CODE_LASTS: TimeDelta = TimeDelta::minutes(5);
/// How long a token of the sign-in page lasts. It is short, so that a renewal is seen.
const TOKEN_SECONDS: i64 = 900;

/// A request for authorization.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AuthorizeQuery {
    response_type: String,
    client_id: String,
    redirect_uri: String,
    state: String,
    code_challenge: String,
    code_challenge_method: String,
    nonce: Option<String>,
    /// Who was chosen on the page.
    username: Option<String>,
    /// The name of somebody who is not in the list.
    name: Option<String>,
}

/// What is wrong with a request for authorization. It is shown and not sent to the address in the
/// request, which may be somebody else's.
fn problem(local: &Local, query: &AuthorizeQuery) -> Option<&'static str> {
    let origin = local.issuer.url().trim_end_matches("/local");
    // 127.0.0.1 and localhost are the same machine.
    let origins = [origin.to_owned(), origin.replace("127.0.0.1", "localhost")];
    if !origins
        .iter()
        .any(|origin| query.redirect_uri.starts_with(&format!("{origin}/")))
    {
        return Some("redirect_uri must be an address of this service");
    }
    if query
        .redirect_uri
        .chars()
        .any(|c| c.is_control() || !c.is_ascii())
    {
        return Some("redirect_uri must be an address");
    }
    if query.response_type != "code" {
        return Some("response_type must be code");
    }
    if query.client_id != AUDIENCE {
        return Some("there is no such client_id");
    }
    if query.code_challenge_method != "S256" || query.code_challenge.is_empty() {
        return Some("PKCE with S256 is required");
    }
    None
}

/// `GET /local/authorize`: a list of demo people. Choosing one leads back to the site with a code.
pub async fn authorize(
    State(local): State<Local>,
    Query(query): Query<AuthorizeQuery>,
) -> Response {
    if let Some(why) = problem(&local, &query) {
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    let Some(username) = query.username.as_deref().map(str::trim) else {
        return page(&query);
    };
    let origins = demo::personas()
        .into_iter()
        .map(|(_, subject)| subject)
        .find(|subject| subject.username == username);
    let simple: String = username
        .to_lowercase()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
        .take(40)
        .collect();
    if simple.is_empty() {
        return page(&query);
    }
    let subject = origins.unwrap_or_else(|| Subject {
        email: Some(format!("{simple}@uni.example")),
        name: query.name.clone().filter(|name| !name.trim().is_empty()),
        username: simple,
        ..Subject::default()
    });
    let ends = local.clock.now() + CODE_LASTS;
    let code = local.grants.store(SignInGrant {
        subject,
        nonce: query.nonce,
        code: Some((query.code_challenge, query.redirect_uri.clone(), ends)),
        used_until: None,
    });
    let separator = if query.redirect_uri.contains('?') {
        '&'
    } else {
        '?'
    };
    let state: String = url::form_urlencoded::byte_serialize(query.state.as_bytes()).collect();
    let to = format!("{}{separator}code={code}&state={state}", query.redirect_uri);
    Redirect::to(&to).into_response()
}

/// The page with the list of people. Its forms have the request in hidden fields.
fn page(query: &AuthorizeQuery) -> Response {
    let escape = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;")
    };
    let nonce = query.nonce.clone().unwrap_or_default();
    let fields = [
        ("response_type", &query.response_type),
        ("client_id", &query.client_id),
        ("redirect_uri", &query.redirect_uri),
        ("state", &query.state),
        ("code_challenge", &query.code_challenge),
        ("code_challenge_method", &query.code_challenge_method),
        ("nonce", &nonce),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| {
        let value = escape(value);
        format!(r#"<input type="hidden" name="{name}" value="{value}">"#)
    })
    .collect::<Vec<_>>()
    .concat();
    let people = demo::personas()
        .into_iter()
        .map(|(role, subject)| {
            let name = escape(subject.name.as_deref().unwrap_or_default());
            let username = escape(&subject.username);
            format!(
                r#"<form><input type="hidden" name="username" value="{username}">{fields}<p><button class="main">{name}</button> <span class="quiet">{role}</span></p></form>"#
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let html = include_str!("../pages/authorize.html")
        .replace("<!-- people -->", &people)
        .replace("<!-- fields -->", &fields);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'",
        ),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, html).into_response()
}

/// A request for tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TokenForm {
    grant_type: String,
    code: String,
    redirect_uri: String,
    code_verifier: String,
    refresh_token: String,
}

/// `POST /local/oauth/token`: exchanges a code or a refresh token.
pub async fn exchange(State(local): State<Local>, Form(form): Form<TokenForm>) -> Response {
    let refuse =
        |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    let grant = match form.grant_type.as_str() {
        "authorization_code" => local.grants.take(&form.code),
        "refresh_token" => local.grants.renew(&form.refresh_token, local.clock.now()),
        _ => return refuse("unsupported_grant_type"),
    };
    let Some(grant) = grant else {
        return refuse("invalid_grant");
    };
    if let Some((challenge, redirect_uri, ends)) = &grant.code {
        let hash = digest::digest(&digest::SHA256, form.code_verifier.as_bytes());
        if BASE64_URL_SAFE_NO_PAD.encode(hash) != *challenge
            || form.redirect_uri != *redirect_uri
            || local.clock.now() > *ends
        {
            return refuse("invalid_grant");
        }
    }
    let subject = Subject {
        expires_in: Some(TOKEN_SECONDS),
        ..grant.subject.clone()
    };
    match tokens(&local, &subject, grant) {
        Ok(body) => ([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
    }
}

/// A refresh token that is not needed any more.
#[derive(Debug, Deserialize)]
pub struct RevokeForm {
    token: String,
}

/// `POST /local/oauth/revoke`: forgets a refresh token. It is no error if there is none (RFC 7009).
pub async fn revoke(State(local): State<Local>, Form(form): Form<RevokeForm>) -> StatusCode {
    local.grants.take(&form.token);
    StatusCode::OK
}

fn tokens(local: &Local, subject: &Subject, grant: SignInGrant) -> Result<Value, String> {
    let now = local.clock.now();
    let (access, expires_in) = local.issuer.token(subject, now)?;
    let id = local
        .issuer
        .id_token(subject, grant.nonce.as_deref(), now)?;
    let refresh = local.grants.store(SignInGrant {
        code: None,
        used_until: None,
        nonce: None,
        ..grant
    });
    Ok(json!({
        "access_token": access,
        "id_token": id,
        "refresh_token": refresh,
        "token_type": "Bearer",
        "expires_in": expires_in,
    }))
}
