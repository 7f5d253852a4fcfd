//! The bucket of files on this machine: the contract of S3 (a signed form to send, a signed address
//! to fetch), beside the images.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use aws_lc_rs::hmac;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Multipart, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures::TryStreamExt as _;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};
use serde::{Deserialize, Serialize};
use shared::files::{Announced, FileError, FileStore, HandedOut, Seen, UploadForm};
use shared::ids::sha256_hex;
use shared::time::{Clock, Timestamp};

use crate::clock::MovableClock;

/// The largest form that is read: the largest file, and its fields.
const FORM_BYTES: usize = (shared::limits::FILE_MB as usize + 1) * 1024 * 1024;

/// Files in a folder, or in memory.
pub struct LocalFiles {
    objects: Arc<dyn ObjectStore>,
    /// The address of the routes, without a trailing slash.
    url: String,
    key: hmac::Key,
    clock: Arc<MovableClock>,
}

/// What a form may send. It is signed, as the policy of S3 is.
#[derive(Debug, Serialize, Deserialize)]
struct Policy {
    key: String,
    size: u64,
    media_type: String,
    sha256: String,
    until: Timestamp,
}

/// The query of an address.
#[derive(Debug, Deserialize)]
struct Signed {
    disposition: String,
    media_type: String,
    until: i64,
    signature: String,
}

fn failed(error: impl std::fmt::Display) -> FileError {
    FileError(error.to_string())
}

impl LocalFiles {
    /// Returns files in these objects. The routes are at `url`; `secret` signs forms and addresses.
    pub fn new(
        objects: Arc<dyn ObjectStore>,
        url: &str,
        secret: &[u8],
        clock: Arc<MovableClock>,
    ) -> Self {
        Self {
            objects,
            url: url.trim_end_matches('/').to_owned(),
            key: hmac::Key::new(hmac::HMAC_SHA256, secret),
            clock,
        }
    }

    fn sign(&self, text: &str) -> String {
        let tag = hmac::sign(&self.key, text.as_bytes());
        tag.as_ref().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    fn is_signed(&self, text: &str, signature: &str) -> bool {
        aws_lc_rs::constant_time::verify_slices_are_equal(
            self.sign(text).as_bytes(),
            signature.as_bytes(),
        )
        .is_ok()
    }

    fn signed_address(key: &str, signed: &Signed) -> String {
        format!(
            "{key}\n{}\n{}\n{}",
            signed.disposition, signed.media_type, signed.until
        )
    }

    async fn bytes(&self, key: &str) -> Result<Option<Bytes>, FileError> {
        match self.objects.get(&Key::from(key)).await {
            Ok(found) => found.bytes().await.map(Some).map_err(failed),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    async fn put(&self, key: &str, bytes: Bytes) -> Result<(), FileError> {
        let key = Key::from(key);
        let put = self.objects.put(&key, PutPayload::from(bytes)).await;
        put.map(drop).map_err(failed)
    }
}

#[async_trait]
impl FileStore for LocalFiles {
    async fn form(&self, file: &Announced) -> Result<UploadForm, FileError> {
        let policy = Policy {
            key: file.key.clone(),
            size: file.size,
            media_type: file.media_type.to_owned(),
            sha256: file.sha256.clone(),
            until: file.until,
        };
        // In base64, as S3 has it: a text without quotes is simple to send with curl.
        let policy = BASE64_STANDARD.encode(serde_json::to_vec(&policy).map_err(failed)?);
        let fields = BTreeMap::from([
            ("Content-Type".to_owned(), file.media_type.to_owned()),
            ("key".to_owned(), file.key.clone()),
            ("signature".to_owned(), self.sign(&policy)),
            ("policy".to_owned(), policy),
        ]);
        let url = format!("{}/", self.url);
        Ok(UploadForm { url, fields })
    }

    async fn address(&self, file: &HandedOut<'_>) -> Result<String, FileError> {
        let mut signed = Signed {
            disposition: file.disposition.to_owned(),
            media_type: file.media_type.to_owned(),
            until: file.until.epoch_seconds(),
            signature: String::new(),
        };
        signed.signature = self.sign(&Self::signed_address(file.key, &signed));
        let until = signed.until.to_string();
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("disposition", &signed.disposition)
            .append_pair("media_type", &signed.media_type)
            .append_pair("until", &until)
            .append_pair("signature", &signed.signature)
            .finish();
        Ok(format!("{}/{}?{query}", self.url, file.key))
    }

    async fn look(&self, key: &str) -> Result<Option<Seen>, FileError> {
        let found = self.bytes(key).await?;
        Ok(found.map(|bytes| {
            let sha256 = sha256_hex(&bytes);
            Seen {
                tag: sha256.clone(),
                size: bytes.len() as u64,
                sha256,
                first: bytes[..bytes.len().min(Seen::FIRST)].to_vec(),
            }
        }))
    }

    async fn copy(&self, from: &str, to: &str, tag: &str) -> Result<bool, FileError> {
        let found = self.bytes(from).await?;
        let Some(bytes) = found.filter(|bytes| sha256_hex(bytes) == tag) else {
            return Ok(false);
        };
        self.put(to, bytes).await?;
        Ok(true)
    }

    async fn delete(&self, keys: &[String]) -> Result<(), FileError> {
        for key in keys {
            match self.objects.delete(&Key::from(key.as_str())).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let found = self.objects.list(Some(&Key::from(prefix)));
        let keys = found.map_ok(|found| found.location.to_string());
        keys.try_collect().await.map_err(failed)
    }
}

/// The routes of the bucket. They have no other limit for sizes, because in the cloud another host
/// takes and serves the files.
pub fn routes(files: Arc<LocalFiles>, origins: &[String]) -> Router {
    Router::new()
        .route("/files/", post(take))
        .route("/files/{*key}", get(hand_out))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(shared::web::cors(origins))
        .with_state(files)
}

/// An error as S3 says it.
fn refused(status: StatusCode, code: &str) -> Response {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>");
    (status, [(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

/// Takes a file, if it is exactly what was signed.
async fn take(State(files): State<Arc<LocalFiles>>, mut form: Multipart) -> Response {
    let wrong = || refused(StatusCode::BAD_REQUEST, "MalformedPOSTRequest");
    let mut fields = BTreeMap::new();
    let mut file = None;
    // What stands behind the file is not read, as in S3.
    while file.is_none() {
        let Ok(Some(part)) = form.next_field().await else {
            return wrong();
        };
        let name = part.name().unwrap_or_default().to_owned();
        let Ok(bytes) = part.bytes().await else {
            return refused(StatusCode::BAD_REQUEST, "EntityTooLarge");
        };
        if name == "file" {
            file = Some(bytes);
        } else {
            fields.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    let Some(bytes) = file else { return wrong() };
    let denied = || refused(StatusCode::FORBIDDEN, "AccessDenied");
    if !files.is_signed(field("policy"), field("signature")) {
        return denied();
    }
    let policy = BASE64_STANDARD.decode(field("policy")).ok();
    let Some(policy) = policy.and_then(|json| serde_json::from_slice::<Policy>(&json).ok()) else {
        return denied();
    };
    let is_meant = field("key") == policy.key && field("Content-Type") == policy.media_type;
    if !is_meant || Timestamp::at(files.clock.now()) > policy.until {
        return denied();
    }
    match (bytes.len() as u64).cmp(&policy.size) {
        std::cmp::Ordering::Less => return refused(StatusCode::BAD_REQUEST, "EntityTooSmall"),
        std::cmp::Ordering::Greater => return refused(StatusCode::BAD_REQUEST, "EntityTooLarge"),
        std::cmp::Ordering::Equal => {}
    }
    if sha256_hex(&bytes) != policy.sha256 {
        return refused(StatusCode::BAD_REQUEST, "BadDigest");
    }
    match files.put(&policy.key, bytes).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => refused(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable"),
    }
}

async fn hand_out(
    State(files): State<Arc<LocalFiles>>,
    Path(key): Path<String>,
    Query(signed): Query<Signed>,
) -> Response {
    let text = LocalFiles::signed_address(&key, &signed);
    let now = files.clock.now().timestamp();
    if !files.is_signed(&text, &signed.signature) || signed.until < now {
        return refused(StatusCode::FORBIDDEN, "AccessDenied");
    }
    let Ok(Some(bytes)) = files.bytes(&key).await else {
        return refused(StatusCode::NOT_FOUND, "NoSuchKey");
    };
    let mut headers = HeaderMap::new();
    let mut insert = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    insert(header::CONTENT_TYPE, &signed.media_type);
    insert(header::CONTENT_DISPOSITION, &signed.disposition);
    insert(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    insert(header::CACHE_CONTROL, "no-store");
    (headers, bytes).into_response()
}
