//! The S3 bucket of a deployment. The distribution serves its folder `media` at the same path.

use std::sync::Arc;

use async_trait::async_trait;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_types::SdkConfig;
use bytes::Bytes;

use super::store::ImageBucket;
use super::{CACHE_CONTROL, Media};
use crate::files::{FileError, FileStore as _, S3Files};
use crate::settings::Settings;

/// Returns the image store in the bucket of the settings.
pub fn s3(
    settings: &Settings,
    config: &SdkConfig,
    connector: SharedHttpConnector,
) -> Result<Media, String> {
    let bucket = S3Files::new(config, connector, &settings.media.bucket)?;
    Ok(Media::new(Arc::new(bucket), &settings.media.url))
}

#[async_trait]
impl ImageBucket for S3Files {
    async fn put(
        &self,
        name: &str,
        bytes: Bytes,
        content_type: &'static str,
    ) -> Result<(), FileError> {
        let headers = [
            ("content-type", content_type),
            ("cache-control", CACHE_CONTROL),
        ];
        Self::put(self, &format!("media/{name}"), bytes, &headers).await
    }

    async fn remove(&self, name: &str) -> Result<(), FileError> {
        self.delete(&[format!("media/{name}")]).await
    }
}
