//! Calls a receiver: once, without redirects, and only at a public address (Z11).

use std::net::IpAddr;
use std::time::Duration;

use aws_smithy_runtime_api::client::dns::{DnsFuture, ResolveDns, ResolveDnsError};
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use http_body_util::{BodyExt as _, Limited};
use shared::lambda::connector_with;
use shared::reason::Reason;
use shared::receiver_rules::ReceiverRules;
use tokio::time::{Instant, timeout, timeout_at};

/// How long a call may take, with the resolution of the name and the response.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of a response is read.
const MOST_BYTES: usize = 64 * 1024;

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallResponse {
    /// The HTTP status; none if there was no response.
    pub status: Option<u16>,
    /// How long it took.
    pub ms: u32,
}

/// Calls receivers.
pub struct Receivers {
    rules: ReceiverRules,
    connector: SharedHttpConnector,
}

/// A request to a receiver.
pub struct Request<'a> {
    pub url: &'a str,
    pub headers: [(&'static str, String); 3],
    pub body: String,
}

/// Resolves names. A name with an address that may not be called is an error: so the addresses that
/// are checked are those that are connected to.
#[derive(Debug, Clone)]
struct PublicOnly(ReceiverRules);

impl ResolveDns for PublicOnly {
    fn resolve_dns<'a>(&'a self, name: &'a str) -> DnsFuture<'a> {
        DnsFuture::new(async move {
            let found = tokio::net::lookup_host((name, 0)).await;
            let found = found.map_err(ResolveDnsError::new)?;
            let found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
            if found.iter().all(|address| self.0.allows(*address)) {
                Ok(found)
            } else {
                Err(ResolveDnsError::new("an address is not public"))
            }
        })
    }
}

impl Receivers {
    /// Calls receivers by these rules.
    pub fn new(rules: ReceiverRules) -> Self {
        let connector = connector_with(PublicOnly(rules.clone()));
        Self::through(rules, connector)
    }

    /// The same through another connector, which checks no addresses.
    pub fn through(rules: ReceiverRules, connector: SharedHttpConnector) -> Self {
        Self { rules, connector }
    }

    /// Calls a receiver. Whatever goes wrong is a response without a status.
    pub async fn call(&self, request: Request<'_>) -> CallResponse {
        let began = Instant::now();
        let timed = timeout(RESPONSE_TIMEOUT, self.send(request)).await;
        let elapsed = began.elapsed();
        let status = match timed {
            Ok(Ok(response)) => {
                let status = response.status().as_u16();
                // The receiver may be hindered if nobody takes its response.
                let body = Limited::new(response.into_body(), MOST_BYTES).collect();
                let _ = timeout_at(began + RESPONSE_TIMEOUT, body).await;
                Some(status)
            }
            Ok(Err(why)) => {
                tracing::info!(why, "a receiver was not reached");
                None
            }
            Err(_) => None,
        };
        let ms = u32::try_from(elapsed.as_millis()).unwrap_or(u32::MAX);
        CallResponse { status, ms }
    }

    async fn send(&self, request: Request<'_>) -> Result<HttpResponse, &'static str> {
        // The rules may have become stricter since the address was stored. An address that is
        // written as a number is not resolved.
        let refused = |why: Reason| {
            tracing::info!(%why, "a receiver may not be called any more");
            "its address is not allowed"
        };
        let mut url = self.rules.parse(request.url).map_err(refused)?;
        url.set_fragment(None);
        let mut built = http::Request::post(url.as_str())
            .header("content-type", "application/json")
            .header("user-agent", "Clubs-Webhooks/1")
            // While the function is frozen, the other side gives the connection up.
            .header("connection", "close");
        for (name, value) in request.headers {
            built = built.header(name, value);
        }
        let built = built.body(SdkBody::from(request.body));
        let built = built.map_err(|_| "the request cannot be made")?;
        let built = HttpRequest::try_from(built).map_err(|_| "the request cannot be made")?;
        let reply = self.connector.call(built).await;
        // The error may name the whole address, which may be a secret.
        reply.map_err(|error| {
            if error.is_timeout() {
                "it takes too long"
            } else if error.is_io() {
                "there is no connection"
            } else {
                "it does not speak HTTP"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver(is_local: bool) -> PublicOnly {
        let mut settings = local::settings();
        settings.webhooks.is_local = is_local;
        PublicOnly(ReceiverRules::new(&settings))
    }

    // proves Z11
    #[tokio::test]
    async fn the_addresses_of_a_name_are_checked() {
        assert!(resolver(true).resolve_dns("localhost").await.is_ok());
        assert!(resolver(false).resolve_dns("localhost").await.is_err());
        for private in [
            "10.0.0.1",
            "169.254.169.254",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
        ] {
            assert!(
                resolver(true).resolve_dns(private).await.is_err(),
                "{private}"
            );
        }
        assert!(resolver(false).resolve_dns("9.9.9.9").await.is_ok());
    }
}
