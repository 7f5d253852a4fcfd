//! Storing images. They are decoded and encoded again, and stored in a bucket under names
//! that are never used twice.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{Media, picture};
use crate::domain::Image;
use crate::files::FileError;
use crate::reason::Reason;

/// How long the removal of a file may take.
const DELETE_WAIT: Duration = Duration::from_secs(3);

/// Why an image was not stored.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The file is not an accepted image.
    #[error("{0}")]
    Unusable(Reason),
    /// The store failed. The text goes to the log.
    #[error("{0}")]
    Failed(String),
}

impl MediaError {
    fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Where images are. Each has a name that is never used twice.
#[async_trait]
pub trait ImageBucket: Send + Sync {
    /// Stores an image: 1 request.
    async fn put(
        &self,
        name: &str,
        bytes: Bytes,
        content_type: &'static str,
    ) -> Result<(), FileError>;

    /// Removes an image: 1 request. It is no error if it is not there.
    async fn remove(&self, name: &str) -> Result<(), FileError>;
}

/// A bucket for images.
pub(super) struct ImageStore {
    bucket: Arc<dyn ImageBucket>,
    /// Only one image is decoded at a time, to limit memory.
    decoding: Arc<Semaphore>,
}

impl ImageStore {
    async fn put(&self, name: &str, file: picture::File) -> Result<(), FileError> {
        let bytes = Bytes::from(file.bytes);
        self.bucket.put(name, bytes, file.content_type).await
    }
}

impl Media {
    /// Returns an image store that saves files in this bucket. Clients load them from `url`.
    pub fn new(bucket: Arc<dyn ImageBucket>, url: &str) -> Self {
        let store = ImageStore {
            bucket,
            decoding: Arc::new(Semaphore::new(1)),
        };
        Self {
            store: Some(store),
            ..Self::links_only(url)
        }
    }

    fn images(&self) -> Result<&ImageStore, MediaError> {
        self.store
            .as_ref()
            .ok_or_else(|| MediaError::Failed("this function stores no images".to_owned()))
    }

    /// Stores an image in three sizes.
    pub async fn store(&self, bytes: Bytes) -> Result<Image, MediaError> {
        let store = self.images()?;
        let permit = store
            .decoding
            .clone()
            .acquire_owned()
            .await
            .map_err(MediaError::failed)?;
        let made = tokio::task::spawn_blocking(move || {
            // The permit is released when the work ends, even if nobody waits for it any more.
            let _permit = permit;
            picture::remake(&bytes)
        });
        // A file that makes a decoder panic is treated as unusable.
        let made = made.await.unwrap_or(Err(Reason::BrokenImage));
        let made = made.map_err(MediaError::Unusable)?;
        let name = random_name()?;
        let image = Image {
            full: format!("{name}.{}", made.full.extension),
            small: format!("{name}-600.{}", made.small.extension),
        };
        let tiny = tiny_name(&image);
        let stored = futures::try_join!(
            store.put(&image.full, made.full),
            store.put(&image.small, made.small),
            store.put(&tiny, made.tiny)
        );
        if let Err(error) = stored {
            self.remove(&image).await;
            return Err(MediaError::Failed(format!(
                "an image was not stored: {error}"
            )));
        }
        Ok(image)
    }

    /// Removes the files of an image that was replaced by `new` or removed.
    pub async fn forget(&self, old: Option<&Image>, new: Option<&Image>) {
        if let Some(image) = old.filter(|old| Some(*old) != new) {
            self.remove(image).await;
        }
    }

    /// Removes the files of an image that is no longer in use. A file that cannot be removed now
    /// stays in the store; nobody can guess its name.
    pub async fn remove(&self, image: &Image) {
        let Some(store) = &self.store else { return };
        let tiny = tiny_name(image);
        let removals = [&image.full, &image.small, &tiny].map(async |name| {
            match tokio::time::timeout(DELETE_WAIT, store.bucket.remove(name)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "an image was not removed"),
                Err(_) => tracing::warn!("an image was not removed in time"),
            }
        });
        futures::future::join_all(removals).await;
    }
}

/// The name of the smallest file of an image. Images of earlier releases have no such file (V14).
fn tiny_name(image: &Image) -> String {
    image.small.replace("-600.", "-112.")
}

/// Returns 128 random bits in hexadecimal.
fn random_name() -> Result<String, MediaError> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes)
        .map_err(|_| MediaError::Failed("no random numbers".into()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
