//! The bucket in S3. Requests use the HTTP client and the signer of the AWS SDK (decision 23).

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials as _, SharedCredentialsProvider};
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SignatureLocation,
    SigningSettings, UriPathNormalizationMode, sign,
};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_types::body::SdkBody;
use aws_types::SdkConfig;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use tokio::time::timeout;

use super::s3_form::signed_form;
use super::{Announced, FileError, FileStore, HandedOut, Seen, UploadForm};
use crate::ids::sha256_hex;
use crate::limits;
use crate::time::{Clock as _, SystemClock};

/// How long S3 may take until its response begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(4);
/// How often a request is sent: all of them may be repeated.
const TRIES: usize = 3;
/// The largest answer that is read, in bytes.
const MAX_RESPONSE: usize = limits::FILE_MB as usize * 1024 * 1024 + 64 * 1024;

/// A bucket in S3.
pub struct S3Files {
    /// The address of the bucket, without a slash at its end.
    url: String,
    bucket: String,
    region: String,
    credentials: SharedCredentialsProvider,
    connector: SharedHttpConnector,
}

struct S3Response {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl S3Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Without the right to list, S3 answers 403 for what is not there. It does so, too, for what a
    /// policy of the bucket denies.
    fn is_absent(&self) -> bool {
        matches!(self.status, StatusCode::NOT_FOUND | StatusCode::FORBIDDEN)
    }

    fn error(&self, what: &str) -> FileError {
        let code = between(&String::from_utf8_lossy(&self.body), "Code")
            .next()
            .unwrap_or_default();
        FileError(format!("{what}: {} {code}", self.status))
    }
}

/// Returns the texts of all elements with this name. What is looked for has no characters that XML
/// would escape.
fn between(xml: &str, name: &str) -> impl Iterator<Item = String> {
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    let found: Vec<String> = xml
        .split(&begin)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(&end)?.0.to_owned()))
        .collect();
    found.into_iter()
}

fn failed(error: impl std::fmt::Display) -> FileError {
    FileError(error.to_string())
}

/// Encodes a value for a query, as the signature demands it.
fn encoded(text: &str) -> String {
    let mut found = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            found.push(char::from(byte));
        } else {
            let _ = write!(found, "%{byte:02X}");
        }
    }
    found
}

impl S3Files {
    /// Returns the bucket with this name, with the credentials and the region of the SDK.
    pub fn new(
        config: &SdkConfig,
        connector: SharedHttpConnector,
        bucket: &str,
    ) -> Result<Self, String> {
        let region = config.region().ok_or("no region")?.to_string();
        let credentials = config.credentials_provider().ok_or("no credentials")?;
        let end = if region.starts_with("cn-") { ".cn" } else { "" };
        // An emulator has one address for all buckets.
        let url = config.endpoint_url().map_or_else(
            || format!("https://{bucket}.s3.{region}.amazonaws.com{end}"),
            |endpoint| format!("{}/{bucket}", endpoint.trim_end_matches('/')),
        );
        Ok(Self {
            url,
            bucket: bucket.to_owned(),
            region,
            credentials,
            connector,
        })
    }

    async fn credentials(&self) -> Result<Credentials, FileError> {
        self.credentials.provide_credentials().await.map_err(failed)
    }

    /// Signs a request in its headers, or with `expires_in` in its address.
    fn signed(
        &self,
        request: &mut http::Request<SdkBody>,
        credentials: &Credentials,
        expires_in: Option<Duration>,
    ) -> Result<(), FileError> {
        let mut settings = SigningSettings::default();
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
        settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
        if expires_in.is_some() {
            settings.signature_location = SignatureLocation::QueryParams;
            settings.expires_in = expires_in;
        }
        let identity: Identity = credentials.clone().into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name("s3")
            .time(SystemClock.now().into())
            .settings(settings)
            .build()
            .map_err(failed)?
            .into();
        let (method, url) = (request.method().to_string(), request.uri().to_string());
        let headers = request.headers().iter();
        let headers =
            headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let headers: Vec<(&str, &str)> = headers.collect();
        let signable = SignableRequest::new(
            &method,
            &url,
            headers.into_iter(),
            SignableBody::UnsignedPayload,
        );
        let signature = sign(signable.map_err(failed)?, &params).map_err(failed)?;
        let (instructions, _) = signature.into_parts();
        instructions.apply_to_request_http1x(request);
        Ok(())
    }

    /// Sends a request without a body. It is repeated if S3 does not answer, or has a fault.
    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<S3Response, FileError> {
        self.send_bytes(method, path, headers, Bytes::new()).await
    }

    async fn send_bytes(
        &self,
        method: Method,
        path: &str,
        headers: &[(&'static str, &str)],
        bytes: Bytes,
    ) -> Result<S3Response, FileError> {
        let mut last = FileError("not sent".into());
        for _ in 0..TRIES {
            let sent = self.send_once(&method, path, headers, bytes.clone());
            match sent.await {
                Ok(response) if response.status.is_server_error() => last = response.error("busy"),
                Ok(response) => return Ok(response),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn send_once(
        &self,
        method: &Method,
        path: &str,
        headers: &[(&'static str, &str)],
        bytes: Bytes,
    ) -> Result<S3Response, FileError> {
        let mut request = http::Request::builder()
            .method(method)
            .uri(format!("{}/{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(SdkBody::from(bytes)).map_err(failed)?;
        self.signed(&mut request, &self.credentials().await?, None)?;
        let called = self.connector.call(request.try_into().map_err(failed)?);
        let response = timeout(RESPONSE_TIMEOUT, called).await.map_err(failed)?;
        let response = response.map_err(|error| failed(format!("{error:?}")))?;
        let (parts, body) = response.try_into_http1x().map_err(failed)?.into_parts();
        let body = Limited::new(body, MAX_RESPONSE).collect();
        let body = timeout(RESPONSE_TIMEOUT, body).await.map_err(failed)?;
        Ok(S3Response {
            status: parts.status,
            headers: parts.headers,
            body: body.map_err(failed)?.to_bytes(),
        })
    }

    /// Stores bytes: 1 request.
    #[cfg(feature = "images")]
    pub(crate) async fn put(
        &self,
        key: &str,
        bytes: Bytes,
        headers: &[(&'static str, &str)],
    ) -> Result<(), FileError> {
        let response = self.send_bytes(Method::PUT, key, headers, bytes).await?;
        if response.status.is_success() {
            return Ok(());
        }
        Err(response.error("PUT"))
    }

    /// Returns the SHA-256 of a file for which S3 keeps none, such as an emulator: 1 request that
    /// reads the file. None if its tag has changed.
    async fn hash(&self, key: &str, tag: &str) -> Result<Option<String>, FileError> {
        let response = self.send(Method::GET, key, &[("if-match", tag)]).await?;
        if response.is_absent() || response.status == StatusCode::PRECONDITION_FAILED {
            return Ok(None);
        }
        if !response.status.is_success() {
            return Err(response.error("GET"));
        }
        Ok(Some(sha256_hex(&response.body)))
    }
}

fn hex_of(base64: &str) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(base64).ok()?;
    Some(bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

#[async_trait]
impl FileStore for S3Files {
    async fn form(&self, file: &Announced) -> Result<UploadForm, FileError> {
        let credentials = self.credentials().await?;
        Ok(UploadForm {
            url: format!("{}/", self.url),
            fields: signed_form(
                (&self.bucket, &self.region),
                file,
                &credentials,
                SystemClock.now(),
            ),
        })
    }

    async fn address(&self, file: &HandedOut<'_>) -> Result<String, FileError> {
        let left = file.until.moment() - SystemClock.now();
        let left = left
            .to_std()
            .unwrap_or_default()
            .max(Duration::from_secs(1));
        let (disposition, media_type) = (encoded(file.disposition), encoded(file.media_type));
        let url = format!(
            "{}/{}?response-content-disposition={disposition}&response-content-type={media_type}",
            self.url, file.key
        );
        let mut request = http::Request::get(url)
            .body(SdkBody::empty())
            .map_err(failed)?;
        self.signed(&mut request, &self.credentials().await?, Some(left))?;
        Ok(request.uri().to_string())
    }

    async fn look(&self, key: &str) -> Result<Option<Seen>, FileError> {
        let range = format!("bytes=0-{}", Seen::FIRST - 1);
        let (range, mode) = (
            [("range", range.as_str())],
            [("x-amz-checksum-mode", "ENABLED")],
        );
        // A part of a file has no checksum, and only a part has bytes.
        let (head, part) = futures::try_join!(
            self.send(Method::HEAD, key, &mode),
            self.send(Method::GET, key, &range)
        )?;
        if head.is_absent() || part.is_absent() {
            return Ok(None);
        }
        if !head.status.is_success() || !part.status.is_success() {
            return Err(if head.status.is_success() { part } else { head }.error("look"));
        }
        let tag = head
            .header("etag")
            .ok_or_else(|| FileError("no tag".into()))?
            .to_owned();
        // The whole size stands behind the range: `bytes 0-15/4213`.
        let size = part
            .header("content-range")
            .and_then(|range| range.rsplit('/').next()?.parse().ok());
        // It was replaced between the two requests.
        let (Some(size), true) = (size, part.header("etag") == Some(tag.as_str())) else {
            return Ok(None);
        };
        let checksum = head.header("x-amz-checksum-sha256").and_then(hex_of);
        let sha256 = match checksum {
            Some(sha256) => sha256,
            None => match self.hash(key, &tag).await? {
                Some(sha256) => sha256,
                None => return Ok(None),
            },
        };
        let first = part.body.slice(..part.body.len().min(Seen::FIRST)).to_vec();
        Ok(Some(Seen {
            tag,
            size,
            sha256,
            first,
        }))
    }

    async fn copy(&self, from: &str, to: &str, tag: &str) -> Result<bool, FileError> {
        let source = format!("/{}/{from}", self.bucket);
        let headers = [
            ("x-amz-copy-source", source.as_str()),
            ("x-amz-copy-source-if-match", tag),
            ("x-amz-checksum-algorithm", "SHA256"),
            // A copy is scanned anew, so it takes no tags.
            ("x-amz-tagging-directive", "REPLACE"),
        ];
        let response = self.send(Method::PUT, to, &headers).await?;
        if response.is_absent() || response.status == StatusCode::PRECONDITION_FAILED {
            return Ok(false);
        }
        // A failure after the response began is told in its body.
        let body = String::from_utf8_lossy(&response.body);
        if response.status.is_success() && body.contains("<CopyObjectResult") {
            return Ok(true);
        }
        Err(response.error("copy"))
    }

    async fn delete(&self, keys: &[String]) -> Result<(), FileError> {
        let deleted = keys.iter().map(async |key| {
            let response = self.send(Method::DELETE, key, &[]).await?;
            if response.status.is_success() || response.status == StatusCode::NOT_FOUND {
                return Ok(());
            }
            Err(response.error("DELETE"))
        });
        futures::future::try_join_all(deleted).await.map(drop)
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let (mut found, mut rest) = (Vec::new(), None::<String>);
        loop {
            let mut path = format!("?list-type=2&prefix={}", encoded(prefix));
            if let Some(rest) = &rest {
                let _ = write!(path, "&continuation-token={}", encoded(rest));
            }
            let response = self.send(Method::GET, &path, &[]).await?;
            if !response.status.is_success() {
                return Err(response.error("list"));
            }
            let xml = String::from_utf8_lossy(&response.body);
            found.extend(between(&xml, "Key"));
            rest = between(&xml, "NextContinuationToken").next();
            if rest.is_none() {
                return Ok(found);
            }
        }
    }
}
