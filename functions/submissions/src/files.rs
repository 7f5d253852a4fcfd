//! `/clubs/{club}/applications/{application}/files/`, `…/{file}/`: files that applicants upload.
//! The bytes go from the browser to the bucket, so that no function carries them (U2).

use std::collections::BTreeMap;

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::db::TableError;
use shared::domain::{FileFormat, FileState, Form, Question, Upload};
use shared::files::Announced;
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{FileBytes, FileName, Sha256};
use shared::time::Timestamp;
use shared::web::scopes::SessionOnly;
use shared::web::{
    ApiError, ChangedNothing, Code, Created, Input, Mode, NewId, PathIds, Reader, ReceivedAt,
    Reference, Result, SignedIn,
};
use shared::{Context, limits};
use utoipa::ToSchema;

use crate::applicant::ApplicantData;
use crate::file_sources::{FileSource, find_sources};
use crate::store::{closed, is_orphaned};

shared::input! {
    /// A file that is going to be uploaded.
    pub struct FileInput {
        /// Id of a question for a file.
        question: Reference, Required;
        /// Its name, at most 255 characters.
        name: FileName, Required;
        /// Its exact size, in bytes.
        size: FileBytes, Required;
        /// Its media type: one of the formats of the question.
        media_type as "type": String, Required;
        /// The SHA-256 of its bytes, in lower-case hexadecimal digits.
        sha256: Sha256, Required;
    }
}

/// Where the bytes of a file are sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct UploadAddress {
    /// Always `POST`.
    method: &'static str,
    /// The address of the bucket.
    url: String,
    /// The fields of the form (`multipart/form-data`). The last part is `file`, with the bytes.
    fields: BTreeMap<String, String>,
    /// Headers of the request, besides those that every form has.
    headers: BTreeMap<String, String>,
}

/// A file that can be sent now.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnouncedFileBody {
    /// Id of the file.
    #[schema(value_type = u64)]
    id: Id<of::Upload>,
    /// Where the bytes are sent.
    upload: UploadAddress,
    /// Until when they are taken: 15 minutes.
    expires_at: Timestamp,
}

/// A file of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileBody {
    /// Id of the file.
    #[schema(value_type = u64)]
    id: Id<of::Upload>,
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<of::Question>,
    /// Its name.
    name: String,
    /// Its size, in bytes.
    size: u64,
    /// Its media type.
    #[serde(rename = "type")]
    media_type: String,
    /// The SHA-256 of its bytes, in lower-case hexadecimal digits.
    sha256: String,
    /// Where it is.
    state: FileState,
    /// Until when it can be used. Null if a submission has it.
    expires_at: Option<Timestamp>,
}

/// A request without errors.
struct RequestedUpload<'f> {
    question: &'f Question,
    name: String,
    size: u64,
    format: FileFormat,
    sha256: String,
}

impl FileInput {
    fn check(self, form: &Form) -> Result<RequestedUpload<'_>> {
        let mut reader = Reader::new(Mode::Create);
        let id = reader.get(self.question).map(Reference::id);
        let name = reader.get(self.name).unwrap_or_default();
        let size = reader.get(self.size).unwrap_or_default();
        let media_type = reader.get(self.media_type);
        let sha256 = reader.get(self.sha256);
        let found = id.and_then(|id| form.question(id));
        let rule = found.and_then(|question| Some((question, question.prompt.file.as_ref()?)));
        let Some((question, rule)) = rule else {
            if id.is_some() {
                let why = Reason::unknown("question for a file");
                reader.errors.add("question", why);
            }
            reader.finish()?;
            return Err(ApiError::NotFound);
        };
        if size > rule.max_bytes() {
            let limit = rule.max_mb;
            reader.errors.add("size", Reason::LargeFile { limit });
        }
        let format = media_type.as_deref().and_then(FileFormat::of);
        let format = format.filter(|format| rule.formats.contains(format));
        if media_type.is_some() && format.is_none() {
            let allowed = rule.formats.iter().map(|format| format.media_type());
            let allowed = allowed.collect();
            reader.errors.add("type", Reason::OtherFormat { allowed });
        }
        reader.finish()?;
        Ok(RequestedUpload {
            question,
            name,
            size,
            format: format.ok_or(ApiError::NotFound)?,
            sha256: sha256.unwrap_or_default(),
        })
    }
}

fn too_many() -> ApiError {
    let limit = limits::UPLOADS;
    ApiError::rule(Reason::TooManyFiles { limit }).coded(Code::Quota)
}

/// Chooses the place of a new upload: an empty one, or one whose upload is not needed any more.
fn number_among(present: &[Upload], now: Timestamp) -> Result<(usize, Option<&Upload>)> {
    let at = |number: usize| present.iter().find(|upload| upload.number == number);
    let empty = (0..limits::UPLOADS).find(|number| at(*number).is_none());
    if let Some(number) = empty {
        return Ok((number, None));
    }
    let is_unused = |upload: &&Upload| upload.used || upload.kept_until <= now;
    let unused = present
        .iter()
        .filter(is_unused)
        .min_by_key(|upload| upload.kept_until);
    unused
        .map(|upload| (upload.number, Some(upload)))
        .ok_or_else(too_many)
}

/// Announce a file.
///
/// For every signed-in user who can see the club, while the application is open. The answer says
/// where the bytes are sent: straight to the bucket, within 15 minutes. A file that no draft names
/// is removed after 7 days. A person has at most 20 files of an application that are not submitted.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/files/", tag = "files",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    request_body = FileInput, responses((status = 201, body = AnnouncedFileBody))
)]
pub async fn create_file(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    scope: SignedIn<SessionOnly, Form, ApplicantData>,
    new: NewId,
    Input(input): Input<FileInput>,
) -> Result<Response> {
    let (form, ApplicantData { person, extension }) = (scope.parent, scope.object);
    let end = extension.map(|extension| extension.end);
    if !form.application.is_current(received, end) {
        return Err(closed());
    }
    let requested = input.check(&form)?;
    let now = app.now();
    let mut upload = Upload {
        id: new.id(),
        club: form.application.club.clone(),
        application: form.application.id,
        person: person.id,
        question: requested.question.id,
        number: 0,
        name: requested.name,
        size: requested.size,
        format: requested.format,
        sha256: requested.sha256,
        created_at: now,
        received: app.ids.received(received),
        used: false,
        kept_until: now.plus(Upload::KEPT),
    };
    let until = now.plus(Upload::SENT_WITHIN);
    // Without the bucket, nothing is stored.
    let files = app.table.files().store()?;
    let sent = files
        .form(&Announced {
            key: upload.object(),
            size: upload.size,
            media_type: upload.format.media_type(),
            sha256: upload.sha256.clone(),
            until,
        })
        .await?;
    store_upload(&app, &mut upload).await?;
    if app.table.request_age() > limits::DELETION_GRACE / 2
        && is_orphaned(&app, &form.application, &person, None)
            .await
            .map_err(ApiError::after_write)?
    {
        app.table.delete_upload(&upload).await?;
        return Err(closed());
    }
    let created = Created {
        location: format!(
            "/api/clubs/{}/applications/{}/files/{}/",
            upload.club, upload.application, upload.id
        ),
        body: AnnouncedFileBody {
            id: upload.id,
            upload: UploadAddress {
                method: "POST",
                url: sent.url,
                fields: sent.fields,
                headers: BTreeMap::new(),
            },
            expires_at: until,
        },
    };
    let mut response = created.into_response();
    // A repeat gets an address that is as good as this one was.
    response.extensions_mut().insert(ChangedNothing);
    Ok(response)
}

/// Stores a new upload in one of the places of its person.
async fn store_upload(app: &Context, upload: &mut Upload) -> Result<()> {
    let task = upload.scheduled_task(upload.created_at);
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let present = app.table.uploads(upload.person, upload.application).await?;
        if present.iter().any(|present| present.id == upload.id) {
            // An earlier attempt of this request stored it.
            return Ok(());
        }
        let (number, replaced) = number_among(&present, upload.created_at)?;
        upload.number = number;
        match app.table.put_upload(upload, replaced, &task).await {
            Ok(()) => return Ok(()),
            Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Get a file of the caller.
///
/// For whoever announced it. It says whether the bytes have arrived.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/files/{file}/", tag = "files",
    security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("file" = u64, Path)),
    responses((status = 200, body = FileBody))
)]
pub async fn show_file(
    app: Context,
    scope: SignedIn<SessionOnly, Form>,
    path: PathIds,
) -> Result<Json<FileBody>> {
    let id = path.id("file").ok_or(ApiError::NotFound)?;
    let mut found = find_sources(&app, &scope.parent, scope.user.id(), &[id]).await?;
    let body = match found.remove(&id).ok_or(ApiError::NotFound)? {
        FileSource::Upload(upload) => {
            let state = if upload.used {
                FileState::Used
            } else if app
                .table
                .files()
                .store()?
                .look(&upload.object())
                .await?
                .is_some()
            {
                FileState::Here
            } else {
                FileState::Waiting
            };
            FileBody {
                id,
                question: upload.question,
                name: upload.name,
                size: upload.size,
                media_type: upload.format.media_type().to_owned(),
                sha256: upload.sha256,
                state,
                expires_at: (!upload.used).then_some(upload.kept_until),
            }
        }
        FileSource::Copy { question, file, .. } => FileBody {
            id,
            question,
            name: file.name,
            size: file.size,
            media_type: file.media_type,
            sha256: file.sha256,
            state: FileState::Used,
            expires_at: None,
        },
    };
    Ok(Json(body))
}
