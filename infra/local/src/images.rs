//! The bucket of images in this process, and their addresses.

use std::sync::Arc;

use async_trait::async_trait;
use axum::body::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};
use shared::files::FileError;
use shared::media::{ImageBucket, content_type};

/// Images in a folder or in memory.
#[derive(Debug, Clone)]
pub struct LocalImages(pub Arc<dyn ObjectStore>);

fn failed(error: impl std::fmt::Display) -> FileError {
    FileError(error.to_string())
}

/// Returns whether a stored file can have this name.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
}

impl LocalImages {
    /// Returns a file and its content type; none if there is no such file.
    pub async fn read(&self, name: &str) -> Result<Option<(Bytes, &'static str)>, FileError> {
        if !is_name(name) {
            return Ok(None);
        }
        match self.0.get(&Path::from(name)).await {
            Ok(found) => {
                let bytes = found.bytes().await.map_err(failed)?;
                Ok(Some((bytes, content_type(name))))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

#[async_trait]
impl ImageBucket for LocalImages {
    async fn put(&self, name: &str, bytes: Bytes, _: &'static str) -> Result<(), FileError> {
        let put = self.0.put(&Path::from(name), PutPayload::from(bytes)).await;
        put.map(drop).map_err(failed)
    }

    async fn remove(&self, name: &str) -> Result<(), FileError> {
        match self.0.delete(&Path::from(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}
