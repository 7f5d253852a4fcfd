//! Images: decoded and made anew, kept in an object store under names that are never used twice
//! (V14, V16).

mod container;
mod picture;
mod s3;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use object_store::path::Path;
use object_store::{
    Attribute, AttributeValue, Attributes, ObjectStore, ObjectStoreExt as _, PutOptions, PutPayload,
};
use tokio::sync::Semaphore;

use crate::http::ApiError;
use crate::models::Image;

pub use s3::s3;

/// How long a file may be kept: for ever, since its name stands for its content; by shared caches
/// for a day, so that what was removed is gone then.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=86400, immutable";

/// How long the removal of a file is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where images are kept.
pub struct Media {
    store: Arc<dyn ObjectStore>,
    /// Whether the store keeps what a file is, beside it.
    keeps_attributes: bool,
    /// Where clients get the files, without a trailing slash.
    url: String,
    /// One image at a time is decoded: memory is bounded.
    decoding: Arc<Semaphore>,
}

impl Media {
    /// Images in `store`, which clients reach at `url`.
    pub fn new(store: Arc<dyn ObjectStore>, keeps_attributes: bool, url: &str) -> Self {
        Self {
            store,
            keeps_attributes,
            url: url.trim_end_matches('/').to_owned(),
            decoding: Arc::new(Semaphore::new(1)),
        }
    }

    /// For functions that only tell where images are.
    pub fn nowhere(url: &str) -> Self {
        Self::new(Arc::new(object_store::memory::InMemory::new()), true, url)
    }

    /// Where clients get a file.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    /// Stores an image in two sizes. 400 naming `field` for what is not one.
    pub async fn store(&self, field: &str, bytes: Bytes) -> Result<Image, ApiError> {
        let permit = self
            .decoding
            .clone()
            .acquire_owned()
            .await
            .map_err(|error| ApiError::Internal(error.to_string()))?;
        let made = tokio::task::spawn_blocking(move || {
            // Given back when the work ends, also if nobody waits for it any more.
            let _permit = permit;
            picture::remake(&bytes)
        });
        // A file that makes a decoder panic is no image.
        let made = made
            .await
            .unwrap_or_else(|_| Err("The image cannot be decoded.".into()));
        let made = made.map_err(|why| ApiError::field(field, why))?;
        let name = random_name()?;
        let image = Image {
            full: format!("{name}.{}", made.full.extension),
            small: format!("{name}-600.{}", made.small.extension),
        };
        let puts = [(&image.full, made.full), (&image.small, made.small)]
            .map(|(name, file)| self.put(name, file));
        let [full, small] = futures::future::join_all(puts)
            .await
            .try_into()
            .unwrap_or([Ok(()), Ok(())]);
        if let Err(error) = full.and(small) {
            self.remove(&image).await;
            return Err(ApiError::Internal(format!(
                "an image was not stored: {error}"
            )));
        }
        Ok(image)
    }

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
        self.store
            .put_opts(&Path::from(name), PutPayload::from(file.bytes), options)
            .await
            .map(drop)
    }

    /// Removes the files of an image that is no longer the one that is shown.
    pub async fn forget(&self, old: Option<&Image>, new: Option<&Image>) {
        if let Some(image) = old.filter(|old| Some(*old) != new) {
            self.remove(image).await;
        }
    }

    /// What came of an edit that was to show a stored image. If it was surely not made, the image
    /// goes; after a time-out it stays, since it may be shown.
    pub async fn kept<T>(
        &self,
        edit: Result<T, ApiError>,
        image: Option<&Image>,
    ) -> Result<T, ApiError> {
        if let Err(
            ApiError::NotFound
            | ApiError::PreconditionFailed
            | ApiError::Rule(..)
            | ApiError::Invalid(..),
        ) = edit
        {
            self.forget(image, None).await;
        }
        edit
    }

    /// Removes the files of an image that nothing shows any more. What cannot be removed now stays:
    /// nobody finds its name.
    pub async fn remove(&self, image: &Image) {
        let removals = [&image.full, &image.small].map(async |name| {
            match tokio::time::timeout(PATIENCE, self.store.delete(&Path::from(name.as_str())))
                .await
            {
                Ok(Ok(()) | Err(object_store::Error::NotFound { .. })) => {}
                Ok(Err(error)) => tracing::warn!(%error, "an image was not removed"),
                Err(_) => tracing::warn!("an image was not removed in time"),
            }
        });
        futures::future::join_all(removals).await;
    }

    /// A file and its content type; none if there is none.
    pub async fn read(&self, name: &str) -> Result<Option<(Bytes, &'static str)>, ApiError> {
        if !is_name(name) {
            return Ok(None);
        }
        let content_type = picture::content_type(name);
        match self.store.get(&Path::from(name)).await {
            Ok(found) => {
                let bytes = found
                    .bytes()
                    .await
                    .map_err(|error| ApiError::Internal(error.to_string()))?;
                Ok(Some((bytes, content_type)))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(ApiError::Internal(error.to_string())),
        }
    }
}

/// Whether a file that was stored here may be called so.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
}

/// 128 random bits in hexadecimal.
fn random_name() -> Result<String, ApiError> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes)
        .map_err(|_| ApiError::Internal("no random numbers".into()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
