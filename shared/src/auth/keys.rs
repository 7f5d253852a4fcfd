//! The issuer's key set. It is cached, and fetched again for an unknown key id, at most once a
//! minute. Old keys are kept when a fetch fails.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use http_body_util::{BodyExt as _, Limited};
use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, JwkSet};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::settings::Settings;

/// A source of keys.
pub trait KeySource: Send + Sync {
    /// Returns the current keys, or why they are not available.
    fn fetch(&self) -> BoxFuture<'_, Result<JwkSet, String>>;
}

/// Keys that never change.
pub struct FixedKeys(pub JwkSet);

impl KeySource for FixedKeys {
    fn fetch(&self) -> BoxFuture<'_, Result<JwkSet, String>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// The keys of an issuer, fetched over HTTPS: from a fixed URL, or from the URL in its discovery
/// document.
pub struct IssuerKeys {
    connector: SharedHttpConnector,
    issuer: String,
    jwks_url: Option<String>,
}

/// The largest document that is read, in bytes. Key sets are smaller.
const MOST_BYTES: usize = 1024 * 1024;
/// How long the issuer may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
const REFETCH_SECONDS: i64 = 60;
/// Pause between fetches until the first one succeeds.
const FIRST_FETCH_SECONDS: i64 = 2;
/// Keys are fetched again after this time, so that keys which the issuer removed are removed here.
const FRESH_HOURS: i64 = 12;

impl IssuerKeys {
    /// Returns a source for the issuer in the settings. It uses the connector of the AWS SDK, so
    /// there is no second HTTP and TLS stack.
    pub fn new(settings: &Settings, connector: SharedHttpConnector) -> Self {
        Self {
            connector,
            issuer: settings.tokens.issuer.clone(),
            jwks_url: settings.tokens.jwks_url.clone(),
        }
    }

    async fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        // An issuer may also stop in the middle of its response.
        let fetch_once = timeout(RESPONSE_TIMEOUT, self.fetch_once(url));
        fetch_once.await.map_err(|_| format!("{url}: no answer"))?
    }

    async fn fetch_once(&self, url: &str) -> Result<Vec<u8>, String> {
        let request = http::Request::get(url)
            .header("accept", "application/json")
            .body(SdkBody::empty())
            .map_err(|e| e.to_string())?;
        let request = HttpRequest::try_from(request).map_err(|e| e.to_string())?;
        let response = self
            .connector
            .call(request)
            .await
            .map_err(|e| format!("{url}: {e:?}"))?;
        if response.status().as_u16() != 200 {
            return Err(format!("{url}: {}", response.status().as_u16()));
        }
        Limited::new(response.into_body(), MOST_BYTES)
            .collect()
            .await
            .map(|body| body.to_bytes().to_vec())
            .map_err(|e| format!("{url}: {e}"))
    }
}

impl KeySource for IssuerKeys {
    fn fetch(&self) -> BoxFuture<'_, Result<JwkSet, String>> {
        Box::pin(async {
            let url = if let Some(url) = &self.jwks_url {
                url.clone()
            } else {
                let discovery = format!(
                    "{}/.well-known/openid-configuration",
                    self.issuer.trim_end_matches('/')
                );
                let document: serde_json::Value =
                    serde_json::from_slice(&self.get(&discovery).await?)
                        .map_err(|e| e.to_string())?;
                document
                    .get("jwks_uri")
                    .and_then(|url| url.as_str())
                    .ok_or_else(|| format!("{discovery}: no jwks_uri"))?
                    .to_owned()
            };
            serde_json::from_slice(&self.get(&url).await?).map_err(|e| format!("{url}: {e}"))
        })
    }
}

/// A cache of keys.
pub struct Keys {
    source: Box<dyn KeySource>,
    cached: Mutex<Cached>,
}

#[derive(Default)]
struct Cached {
    keys: HashMap<String, Arc<DecodingKey>>,
    loaded: Option<DateTime<Utc>>,
    tried: Option<DateTime<Utc>>,
}

impl Keys {
    /// Returns an empty cache in front of `source`.
    pub fn new(source: impl KeySource + 'static) -> Self {
        Self {
            source: Box::new(source),
            cached: Mutex::default(),
        }
    }

    /// Returns the key with this id. Without an id, returns the only key if there is exactly one.
    /// It is an error if the issuer's keys were never fetched successfully.
    pub async fn find(
        &self,
        kid: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Option<Arc<DecodingKey>>, Unavailable> {
        // The lock is held during the fetch, so that concurrent requests wait for the same fetch.
        let mut cached = self.cached.lock().await;
        let stale = cached
            .loaded
            .is_none_or(|loaded| now - loaded > TimeDelta::hours(FRESH_HOURS));
        let found = cached.pick(kid);
        if found.is_some() && !stale {
            return Ok(found);
        }
        let pause = if cached.loaded.is_some() {
            REFETCH_SECONDS
        } else {
            FIRST_FETCH_SECONDS
        };
        if cached
            .tried
            .is_some_and(|tried| now - tried < TimeDelta::seconds(pause))
        {
            return cached.loaded.map(|_| found).ok_or(Unavailable);
        }
        cached.tried = Some(now);
        match self.source.fetch().await {
            Ok(set) => {
                cached.keys = usable(&set);
                cached.loaded = Some(now);
            }
            Err(error) => tracing::error!(error, "the issuer's keys cannot be fetched"),
        }
        cached.loaded.map(|_| cached.pick(kid)).ok_or(Unavailable)
    }
}

/// The issuer's keys were never fetched successfully, so tokens cannot be verified.
#[derive(Debug, thiserror::Error)]
#[error("the keys of the issuer cannot be fetched")]
pub struct Unavailable;

impl Cached {
    fn pick(&self, kid: Option<&str>) -> Option<Arc<DecodingKey>> {
        match kid {
            Some(kid) => self.keys.get(kid).cloned(),
            None if self.keys.len() == 1 => self.keys.values().next().cloned(),
            None => None,
        }
    }
}

/// Returns the asymmetric keys of a set. A shared secret in the set would let anybody who can read
/// the set sign tokens.
fn usable(set: &JwkSet) -> HashMap<String, Arc<DecodingKey>> {
    let asymmetric = set
        .keys
        .iter()
        .filter(|jwk| !matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_)));
    asymmetric
        .filter_map(|jwk| {
            Some((
                jwk.common.key_id.clone().unwrap_or_default(),
                Arc::new(DecodingKey::from_jwk(jwk).ok()?),
            ))
        })
        .collect()
}
