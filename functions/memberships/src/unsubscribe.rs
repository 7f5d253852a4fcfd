//! `/unsubscribe/{token}/`: ends reminders or news, for everybody who has the mail

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::db::TableError;
use shared::domain::{NoticeKind, Person};
use shared::web::{ApiError, PathIds, Result};
use shared::{Context, unsubscribe};
use utoipa::ToSchema;

/// A kind of notice that a link in a mail ends.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnsubscribeBody {
    /// `drafts`, `interviews`, `events` or `news`.
    kind: NoticeKind,
    /// First name of the person.
    name: String,
    /// Whether the person gets these mails.
    active: bool,
}

impl UnsubscribeBody {
    fn new(person: &Person, kind: NoticeKind) -> Json<Self> {
        Json(Self {
            kind,
            name: person.personal.first_name.clone(),
            active: person.notices.has(kind),
        })
    }
}

/// The person and the kind that a token names. 404 if it is wrong, or the person was erased.
async fn named(app: &Context, token: &str) -> Result<(Person, NoticeKind)> {
    let (id, kind) = unsubscribe::named(token).ok_or(ApiError::NotFound)?;
    let person = app.table.person(id).await?;
    let person = person
        .filter(|person| !person.erasing)
        .filter(|person| unsubscribe::is_of(&app.settings.secrets.invite, person, kind, token));
    Ok((person.ok_or(ApiError::NotFound)?, kind))
}

/// Get what a link in a mail ends.
///
/// For everybody who has the link. It changes nothing.
#[utoipa::path(
    get, path = "/api/unsubscribe/{token}/", tag = "me", security(()),
    params(("token" = String, Path)), responses((status = 200, body = UnsubscribeBody))
)]
pub async fn show_unsubscription(app: Context, path: PathIds) -> Result<Response> {
    let (person, kind) = named(&app, path.text("token")).await?;
    // It has a name, although no credentials are sent.
    let policy = [(header::CACHE_CONTROL, "no-store")];
    Ok((policy, UnsubscribeBody::new(&person, kind)).into_response())
}

/// End the kind of mails that a link names.
///
/// For everybody who has the link, also for mail programs with one click (RFC 8058). The body may
/// be anything. Ending it again is 200, too.
#[utoipa::path(
    post, path = "/api/unsubscribe/{token}/", tag = "me", security(()),
    params(("token" = String, Path)), responses((status = 200, body = UnsubscribeBody))
)]
pub async fn unsubscribe(app: Context, path: PathIds) -> Result<Json<UnsubscribeBody>> {
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let (mut person, kind) = named(&app, path.text("token")).await?;
        if !person.notices.has(kind) {
            return Ok(UnsubscribeBody::new(&person, kind));
        }
        match app.table.end_notices(&person, kind).await {
            Ok(()) => {
                person.notices = person.notices.without(kind);
                return Ok(UnsubscribeBody::new(&person, kind));
            }
            // The settings changed at the same moment. They are read again.
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
