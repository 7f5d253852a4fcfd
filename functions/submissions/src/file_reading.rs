//! `/clubs/{club}/applications/{application}/submissions/{submission}/files/{file}/`

use std::fmt::Write as _;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use serde::Serialize;
use shared::Context;
use shared::domain::{Application, Attachment, Submission};
use shared::files::HandedOut;
use shared::time::Timestamp;
use shared::web::scopes::RecruitmentRead;
use shared::web::{ApiError, Maybe, PathIds, Result, SignedIn};
use utoipa::ToSchema;

/// How long an address is good.
const GOOD_FOR: TimeDelta = TimeDelta::seconds(60);

/// Where the bytes of a file are.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileAddressBody {
    /// An address of the bucket, good for 60 seconds for whoever has it.
    url: String,
    /// Until when it is good.
    expires_at: Timestamp,
}

/// Get a file of a submission.
///
/// For officers and for the applicant. The answer leads to an address of the bucket that is good
/// for 60 seconds. With `Accept: application/json` it says the address instead.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/files/{file}/",
    tag = "files", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("submission" = u64, Path),
        ("file" = u64, Path)
    ),
    responses(
        (status = 302, description = "The header `Location` has the address."),
        (status = 200, body = FileAddressBody, example = json!({
            "url": "https://files.example/files/1/2/3/4?signature=9f86d081",
            "expires_at": "2026-11-21T09:01:00Z",
        }))
    )
)]
pub async fn show_submitted_file(
    app: Context,
    headers: HeaderMap,
    scope: SignedIn<RecruitmentRead, Application, Maybe<Submission>>,
    path: PathIds,
) -> Result<Response> {
    let is_officer = scope.is_officer();
    let person = scope.user.id();
    let Maybe(submission) = scope.object;
    let submission = submission.filter(|found| is_officer || found.person == Some(person));
    let Some(submission) = submission else {
        return Err(if is_officer {
            ApiError::NotFound
        } else {
            ApiError::Forbidden
        });
    };
    let id = path.id("file").ok_or(ApiError::NotFound)?;
    let submission = app.table.one_answered(submission).await?;
    let submission = submission.ok_or(ApiError::NotFound)?;
    let files = submission.answers.files();
    let file = files
        .iter()
        .find(|file| file.id == id)
        .ok_or(ApiError::NotFound)?;
    let own_file = Attachment {
        application: submission.application,
        submission: submission.id,
        person: submission.person,
        at: submission.answers_at,
        file: id,
    };
    let store = app.table.files().store()?;
    // A file that a scanner refuses cannot be looked at.
    let key = own_file.object();
    if store.look(&key).await?.is_none() {
        return Err(ApiError::NotFound);
    }
    let expires_at = app.now().plus(GOOD_FOR);
    let address = HandedOut {
        key: &key,
        disposition: &attachment(&file.name),
        media_type: &file.media_type,
        until: expires_at,
    };
    let url = store.address(&address).await?;
    let mut response = if accepts_json(&headers) {
        Json(FileAddressBody { url, expires_at }).into_response()
    } else {
        let location = HeaderValue::from_str(&url)
            .map_err(|_| ApiError::Internal("an address that is no header".into()))?;
        (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn accepts_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| range.split(';').next().unwrap_or_default().trim() == "application/json")
}

/// The header `Content-Disposition` for a file with this name (RFC 6266): a name in ASCII, and the
/// whole name in UTF-8 (RFC 8187).
fn attachment(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            '"' | '\\' | '/' | '%' => '_',
            c if c.is_ascii_graphic() || c == ' ' => c,
            _ => '_',
        })
        .collect();
    let mut whole = String::new();
    for byte in name.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte);
        if is_plain {
            whole.push(char::from(byte));
        } else {
            let _ = write!(whole, "%{byte:02X}");
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}")
}

#[cfg(test)]
mod tests {
    use super::attachment;

    // proves U8
    #[test]
    fn names_are_clean_in_headers() {
        assert_eq!(
            attachment("Le\u{202e}bens\"lauf\\ü.pdf"),
            "attachment; filename=\"Le_bens_lauf__.pdf\"; \
             filename*=UTF-8''Le%E2%80%AEbens%22lauf%5C%C3%BC.pdf"
        );
    }
}
