//! Storing the images of requests.

use bytes::Bytes;

use super::error::ApiError;
use crate::media::{Media, MediaError};
use crate::models::Image;

impl From<MediaError> for ApiError {
    fn from(error: MediaError) -> Self {
        Self::Internal(error.to_string())
    }
}

/// Stores an image. 400 naming `field` if it is not one.
pub async fn store_image(media: &Media, field: &str, bytes: Bytes) -> Result<Image, ApiError> {
    media.store(bytes).await.map_err(|error| match error {
        MediaError::Unusable(why) => ApiError::field(field, why),
        error @ MediaError::Failed(_) => error.into(),
    })
}

/// Passes on the result of an edit that was to show a stored image. If the edit was surely not
/// made, the image is removed; after a time-out it stays, because it may be shown.
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
