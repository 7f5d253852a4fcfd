//! The S3 bucket of a deployment. Requests use the HTTP client of the AWS SDK, so that there is
//! only one TLS stack.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_types::body::SdkBody;
use http_body_util::{BodyExt as _, Limited};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, RetryConfig};
use tokio::time::timeout;

use super::Media;
use crate::settings::Settings;

/// How long S3 may take until its response begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest response of S3 that is read, in bytes.
const MAX_S3_RESPONSE: usize = 16 * 1024 * 1024;

/// Returns the image store in the bucket of the settings. Credentials and region come from the
/// environment of this process.
pub fn s3(settings: &Settings, connector: SharedHttpConnector) -> Result<Media, String> {
    let builder = AmazonS3Builder::from_env().with_bucket_name(&settings.media.bucket);
    // Only an emulator has an address without TLS.
    let emulated = builder
        .get_config_value(&AmazonS3ConfigKey::Endpoint)
        .is_some_and(|url| url.starts_with("http://"));
    let builder = builder.with_allow_http(emulated);
    // A function has only seconds, but by default the library retries for minutes.
    let retry = RetryConfig {
        max_retries: 2,
        retry_timeout: Duration::from_secs(8),
        ..RetryConfig::default()
    };
    let builder = builder
        .with_http_connector(Connector(connector))
        .with_retry(retry)
        .with_disable_bulk_delete(true);
    let store = builder.build().map_err(|error| error.to_string())?;
    // The distribution serves the folder at the same path.
    let store = PrefixStore::new(store, "media");
    Ok(Media::new(Arc::new(store), true, &settings.media.url))
}

#[derive(Debug)]
struct Connector(SharedHttpConnector);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Service(self.0.clone())))
    }
}

#[derive(Debug)]
struct Service(SharedHttpConnector);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let unknown = |error: Box<dyn std::error::Error + Send + Sync>| {
            HttpError::new_boxed(HttpErrorKind::Unknown, error)
        };
        let bytes = body
            .collect()
            .await
            .map_err(|error| unknown(error.into()))?
            .to_bytes();
        let request = http::Request::from_parts(parts, SdkBody::from(bytes));
        let request = request
            .try_into()
            .map_err(|error: aws_smithy_runtime_api::http::HttpError| unknown(error.into()))?;
        let called = timeout(RESPONSE_TIMEOUT, self.0.call(request)).await;
        let called = called.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
        let response = called.map_err(|error| {
            let kind = if error.is_timeout() {
                HttpErrorKind::Timeout
            } else {
                HttpErrorKind::Connect
            };
            HttpError::new_boxed(kind, error.into())
        })?;
        let response = response
            .try_into_http1x()
            .map_err(|error| unknown(error.into()))?;
        let (parts, body) = response.into_parts();
        let bytes = Limited::new(body, MAX_S3_RESPONSE)
            .collect()
            .await
            .map_err(|error| HttpError::new_boxed(HttpErrorKind::Interrupted, error))?
            .to_bytes();
        Ok(HttpResponse::from_parts(parts, bytes.into()))
    }
}
