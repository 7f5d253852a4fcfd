//! Storing images. They are decoded and encoded again, and stored in an object store under names
//! that are never used twice.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{
    Attribute, AttributeValue, Attributes, ObjectStore, ObjectStoreExt as _, PutOptions, PutPayload,
};
use tokio::sync::Semaphore;

use super::{CACHE_CONTROL, Media, picture};
use crate::domain::Image;

/// How long the removal of a file may take.
const DELETE_WAIT: Duration = Duration::from_secs(3);

/// Why an image was not stored or read.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The file is not an accepted image. The text is a message for the user.
    #[error("{0}")]
    Unusable(String),
    /// The store failed. The text goes to the log.
    #[error("{0}")]
    Failed(String),
}

impl MediaError {
    fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// An object store for images.
pub(super) struct ImageStore {
    objects: Arc<dyn ObjectStore>,
    /// Whether the store saves content types with the files.
    keeps_attributes: bool,
    /// Only one image is decoded at a time, to limit memory.
    decoding: Arc<Semaphore>,
}

impl ImageStore {
    async fn put(&self, name: &str, file: picture::File) -> object_store::Result<()> {
        let mut attributes = Attributes::new();
        if self.keeps_attributes {
            attributes.insert(
                Attribute::ContentType,
                AttributeValue::from(file.content_type),
            );
            attributes.insert(Attribute::CacheControl, AttributeValue::from(CACHE_CONTROL));
        }
        let options = PutOptions {
            attributes,
            ..PutOptions::default()
        };
        self.objects
            .put_opts(&Path::from(name), PutPayload::from(file.bytes), options)
            .await
            .map(drop)
    }
}

impl Media {
    /// Returns an image store that saves files in `objects`. Clients load them from `url`.
    pub fn new(objects: Arc<dyn ObjectStore>, keeps_attributes: bool, url: &str) -> Self {
        let store = ImageStore {
            objects,
            keeps_attributes,
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
        let made = made
            .await
            .unwrap_or_else(|_| Err("The image cannot be decoded.".into()));
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
            match tokio::time::timeout(
                DELETE_WAIT,
                store.objects.delete(&Path::from(name.as_str())),
            )
            .await
            {
                Ok(Ok(()) | Err(object_store::Error::NotFound { .. })) => {}
                Ok(Err(error)) => tracing::warn!(%error, "an image was not removed"),
                Err(_) => tracing::warn!("an image was not removed in time"),
            }
        });
        futures::future::join_all(removals).await;
    }

    /// Returns a file and its content type; none if there is no such file.
    pub async fn read(&self, name: &str) -> Result<Option<(Bytes, &'static str)>, MediaError> {
        if !is_name(name) {
            return Ok(None);
        }
        let content_type = picture::content_type(name);
        match self.images()?.objects.get(&Path::from(name)).await {
            Ok(found) => {
                let bytes = found.bytes().await.map_err(MediaError::failed)?;
                Ok(Some((bytes, content_type)))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(MediaError::failed(error)),
        }
    }
}

/// The name of the smallest file of an image. Images of earlier releases have no such file (V14).
fn tiny_name(image: &Image) -> String {
    image.small.replace("-600.", "-112.")
}

/// Returns whether a stored file can have this name.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
}

/// Returns 128 random bits in hexadecimal.
fn random_name() -> Result<String, MediaError> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes)
        .map_err(|_| MediaError::Failed("no random numbers".into()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
