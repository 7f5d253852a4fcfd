//! The bucket of files that applicants upload as answers (U1 to U12). A browser sends and fetches
//! the bytes itself, with a form or an address that is signed here. No function carries them.

#[cfg(feature = "files")]
mod s3;
#[cfg(feature = "files")]
mod s3_form;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::time::Timestamp;

#[cfg(feature = "files")]
pub use s3::S3Files;

/// What a browser may send to the bucket, and until when.
#[derive(Debug, Clone)]
pub struct Announced {
    /// The key in the bucket.
    pub key: String,
    /// The exact size, in bytes.
    pub size: u64,
    /// The media type.
    pub media_type: &'static str,
    /// The SHA-256, in lower-case hexadecimal digits.
    pub sha256: String,
    /// Until when the bucket takes it.
    pub until: Timestamp,
}

/// How a browser sends a file: a form with these fields and the bytes as its last part, `file`.
#[derive(Debug, Clone)]
pub struct UploadForm {
    /// The address.
    pub url: String,
    /// The fields, in any order.
    pub fields: BTreeMap<String, String>,
}

/// A file in the bucket, as far as it is looked at.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The entity tag. It differs if the bytes do.
    pub tag: String,
    /// The size, in bytes.
    pub size: u64,
    /// The SHA-256, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The first bytes, at most [`Seen::FIRST`].
    pub first: Vec<u8>,
}

impl Seen {
    /// How many bytes of a file are looked at. The header of a PDF may begin within its first 1,024
    /// bytes.
    pub const FIRST: usize = 1_023 + b"%PDF-".len();
}

/// How a file is handed out.
#[derive(Debug, Clone)]
pub struct HandedOut<'a> {
    /// The key in the bucket.
    pub key: &'a str,
    /// The header `Content-Disposition`.
    pub disposition: &'a str,
    /// The media type.
    pub media_type: &'a str,
    /// When the address ends.
    pub until: Timestamp,
}

/// The bucket cannot be reached, or refuses.
#[derive(Debug, thiserror::Error)]
#[error("the bucket of files: {0}")]
pub struct FileError(pub String);

/// A bucket. Every operation can be repeated.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// Returns the form with which a browser sends this file.
    async fn form(&self, file: &Announced) -> Result<UploadForm, FileError>;

    /// Returns the address from which a browser fetches a file, until the given time.
    async fn address(&self, file: &HandedOut<'_>) -> Result<String, FileError>;

    /// Looks at a file: 1 request. None if it is not there.
    async fn look(&self, key: &str) -> Result<Option<Seen>, FileError>;

    /// Copies a file within the bucket: 1 request. Returns false if it is not there, or its tag is
    /// another one.
    async fn copy(&self, from: &str, to: &str, tag: &str) -> Result<bool, FileError>;

    /// Deletes files: 1 request for each. It is no error if one is not there.
    async fn delete(&self, keys: &[String]) -> Result<(), FileError>;

    /// Returns all keys with this beginning: 1 request for each 1,000.
    async fn list(&self, prefix: &str) -> Result<Vec<String>, FileError>;
}

/// The bucket of a deployment.
#[derive(Clone, Default)]
pub struct Files(Option<Arc<dyn FileStore>>);

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Files"
        } else {
            "no files"
        })
    }
}

impl Files {
    /// Returns the files in this bucket.
    pub fn new(store: Arc<dyn FileStore>) -> Self {
        Self(Some(store))
    }

    /// Returns the bucket. An error in a function that has none.
    pub fn store(&self) -> Result<&dyn FileStore, FileError> {
        let store = self.0.as_deref();
        store.ok_or_else(|| FileError("this function has none".into()))
    }
}
