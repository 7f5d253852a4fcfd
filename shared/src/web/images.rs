//! Storing images that requests contain.

use bytes::Bytes;

use super::error::ApiError;
use crate::domain::Image;
use crate::media::{Media, MediaError};

impl From<MediaError> for ApiError {
    fn from(error: MediaError) -> Self {
        Self::Internal(error.to_string())
    }
}

/// Stores an image. Returns a 400 error for `field` if it is not a usable image.
pub async fn store_image(media: &Media, field: &str, bytes: Bytes) -> Result<Image, ApiError> {
    media.store(bytes).await.map_err(|error| match error {
        MediaError::Unusable(why) => ApiError::field(field, why),
        error @ MediaError::Failed(_) => error.into(),
    })
}

/// Returns the result of an edit that uses a stored image. If the edit certainly failed, the image
/// is removed. If the outcome is unknown (for example after a time-out), the image stays, because
/// it may be in use.
pub async fn remove_unless_saved<T>(
    media: &Media,
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
        media.forget(image, None).await;
    }
    edit
}
