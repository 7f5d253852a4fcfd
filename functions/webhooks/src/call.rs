//! Calls a receiver: once, without redirects, and only at a public address (Z11).

use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use shared::reason::Reason;
use shared::receiver_rules::ReceiverRules;
use tokio::time::{Instant, timeout};

use crate::connection::{Bounded, RESPONSE_TIMEOUT};

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

impl Receivers {
    /// Calls receivers by these rules.
    pub fn new(rules: ReceiverRules) -> Self {
        let connector = SharedHttpConnector::new(Bounded::new(rules.clone()));
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
            Ok(Ok(response)) => Some(response.status().as_u16()),
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
