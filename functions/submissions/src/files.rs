//! `/clubs/{club}/applications/{application}/files/`, `…/{file}/`: files that applicants upload,
//! and those of their submissions. The bytes go from the browser to the bucket, so that no function
//! carries them (U2). A draft or a submission names uploads, and copies that earlier submissions of
//! the same person have (U4).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use futures::future::try_join_all;
use serde::Serialize;
use shared::db::TableError;
use shared::domain::{
    AnswerFile, Application, Attachment, FileFormat, FileState, Form, Question, QuestionType,
    StoredSubmission, Submission, Upload,
};
use shared::files::{Announced, HandedOut};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{FileBytes, FileName, Sha256, is_hidden};
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, SessionOnly};
use shared::web::{
    ApiError, ChangedNothing, Code, Created, Input, Maybe, Mode, NewId, PathIds, Reader,
    ReceivedAt, Reference, Result, SignedIn,
};
use shared::{Context, limits};
use utoipa::ToSchema;

use crate::applicant::ApplicantData;
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
        disposition: &attachment(file),
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

/// The header `Content-Disposition` for a file (RFC 6266): its name in ASCII, and the whole name in
/// UTF-8 (RFC 8187). It ends as its type does, and names no folder.
fn attachment(file: &AnswerFile) -> String {
    let shown: String = file
        .name
        .chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if matches!(c, '\\' | '/') { '_' } else { c })
        .collect();
    let format = FileFormat::of(&file.media_type);
    let name = format.map_or_else(|| shown.clone(), |format| format.named(&shown));
    let plain: String = name
        .chars()
        .map(|c| match c {
            '"' | '%' => '_',
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

/// A file of a person.
pub enum FileSource {
    /// It was uploaded, or will be.
    Upload(Upload),
    /// An earlier submission has it.
    Copy {
        attachment: Attachment,
        question: Id<of::Question>,
        file: AnswerFile,
    },
}

/// A file that is there, and was looked at.
pub struct CheckedFile {
    /// What is stored of it.
    pub file: AnswerFile,
    /// The upload, if it is one.
    pub upload: Option<Upload>,
    /// Its key in the bucket.
    pub object: String,
    /// Its tag when it was looked at.
    pub tag: String,
}

/// The files that a request names, by id; or why one cannot be used.
pub type CheckedFiles = HashMap<Id<of::Upload>, std::result::Result<CheckedFile, Reason>>;

/// Finds files of a person in an application: 1 query, and for files that were submitted 1 batch
/// read of the person's submissions, and 1 of their answers.
pub async fn find_sources(
    app: &Context,
    form: &Form,
    person: Id<of::Person>,
    ids: &[Id<of::Upload>],
) -> Result<HashMap<Id<of::Upload>, FileSource>> {
    let (application, now) = (form.application.id, app.now());
    let uploads = app.table.uploads(person, application).await?;
    let is_there = |upload: &Upload| upload.used || upload.kept_until > now;
    let mut found: HashMap<Id<of::Upload>, FileSource> = uploads
        .into_iter()
        .filter(|upload| ids.contains(&upload.id) && is_there(upload))
        .map(|upload| (upload.id, FileSource::Upload(upload)))
        .collect();
    if ids.iter().all(|id| found.contains_key(id)) {
        return Ok(found);
    }
    let committees = form.application.committees.iter().map(|one| one.id);
    let submission_ids: Vec<Id<of::Submission>> =
        Submission::ids_of(application, person, committees).collect();
    let stored = app
        .table
        .stored_submissions(application, submission_ids)
        .await?;
    let has_some = |submission: &Submission| submission.files.iter().any(|id| ids.contains(id));
    let submitted = stored.into_values().filter_map(|stored| match stored {
        StoredSubmission::Present(submission) => Some(*submission).filter(has_some),
        _ => None,
    });
    for answered in app.table.answered(submitted.collect()).await? {
        for answer in answered.answers.read() {
            let Some(file) = answer.file().filter(|file| ids.contains(&file.id)) else {
                continue;
            };
            let attachment = Attachment {
                application,
                submission: answered.id,
                person: answered.person,
                at: answered.answers_at,
                file: file.id,
            };
            let question = answer.question;
            found.entry(file.id).or_insert(FileSource::Copy {
                attachment,
                question,
                file,
            });
        }
    }
    Ok(found)
}

/// Why a file that is gone cannot be named.
pub const NOT_HERE: Reason = Reason::unknown("file");
const WAITING: Reason = Reason::FileNotArrived;
const OTHER: Reason = Reason::OtherFile;
const NO_SUCH_FORMAT: Reason = Reason::FileOfOtherType;

/// Looks at the files that answers name, each for its question: at most 5 requests of the bucket
/// at the same time.
pub async fn check_files(
    app: &Context,
    form: &Form,
    person: Id<of::Person>,
    named: impl IntoIterator<Item = (Id<of::Question>, Id<of::Upload>)>,
) -> Result<CheckedFiles> {
    let is_file = |question: &Question| question.prompt.question_type == QuestionType::File;
    let named: HashMap<Id<of::Question>, Id<of::Upload>> = named
        .into_iter()
        .filter(|(question, _)| form.question(*question).is_some_and(is_file))
        .collect();
    if named.is_empty() {
        return Ok(CheckedFiles::new());
    }
    let ids: Vec<Id<of::Upload>> = named.values().copied().collect();
    let mut sources = find_sources(app, form, person, &ids).await?;
    let looked = named.into_iter().map(|(question, id)| {
        let source = sources.remove(&id);
        async move { Ok::<_, ApiError>((id, check_file(app, question, source).await?)) }
    });
    Ok(try_join_all(looked).await?.into_iter().collect())
}

async fn check_file(
    app: &Context,
    question: Id<of::Question>,
    source: Option<FileSource>,
) -> Result<std::result::Result<CheckedFile, Reason>> {
    let (file, of, upload, object) = match source {
        Some(FileSource::Upload(upload)) => {
            let object = upload.object();
            (upload.answer(), upload.question, Some(upload), object)
        }
        Some(FileSource::Copy {
            attachment,
            question,
            file,
        }) => (file, question, None, attachment.object()),
        None => return Ok(Err(NOT_HERE)),
    };
    if of != question {
        return Ok(Err(NOT_HERE));
    }
    let Some(seen) = app.table.files().store()?.look(&object).await? else {
        return Ok(Err(WAITING));
    };
    if seen.size != file.size || seen.sha256 != file.sha256 {
        return Ok(Err(OTHER));
    }
    let format = FileFormat::of(&file.media_type);
    if !format.is_some_and(|format| format.fits(&seen.first)) {
        return Ok(Err(NO_SUCH_FORMAT));
    }
    Ok(Ok(CheckedFile {
        file,
        upload,
        object,
        tag: seen.tag,
    }))
}

#[cfg(test)]
mod tests {
    use shared::domain::AnswerFile;
    use shared::ids::Id;

    // proves U8
    #[test]
    fn names_are_clean_in_headers() {
        let attachment = |name: &str, media_type: &str| {
            super::attachment(&AnswerFile {
                id: Id::new(1),
                name: name.into(),
                size: 1,
                media_type: media_type.into(),
                sha256: String::new(),
            })
        };
        assert_eq!(
            attachment("Le\u{202e}bens\"lauf\\ü.pdf", "application/pdf"),
            "attachment; filename=\"Lebens_lauf__.pdf\"; \
             filename*=UTF-8''Lebens%22lauf_%C3%BC.pdf"
        );
        for (name, media_type, shown) in [
            ("cv.bat", "application/pdf", "cv.bat.pdf"),
            ("CV.PDF", "application/pdf", "CV.PDF"),
            ("me.JPEG", "image/jpeg", "me.JPEG"),
            ("me.png", "image/jpeg", "me.png.jpg"),
            ("../x/cv", "application/pdf", ".._x_cv.pdf"),
            ("cv\u{202e}fdp.bat", "application/pdf", "cvfdp.bat.pdf"),
        ] {
            let header = attachment(name, media_type);
            assert!(
                header.contains(&format!("filename=\"{shown}\"")),
                "{header}"
            );
        }
        let long = attachment(&"x".repeat(255), "application/pdf");
        assert!(
            long.ends_with("x.pdf") && long.matches('x').count() == 2 * 251,
            "{long}"
        );
    }
}
