//! Passes calls of functions on to the emulators, as far as their roles allow them.

use std::sync::{Arc, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::{HeaderMap, Method, StatusCode, Uri};
use local::engine::Reply;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::faults::Apply;

use crate::services::{SEND, Services};

/// Forwards a call of the table, perhaps with a fault.
async fn table_call(
    services: &Arc<Services>,
    operation: &str,
    headers: &HeaderMap,
    body: Bytes,
) -> Response {
    let (services, headers) = (services.clone(), headers.clone());
    let (faults, operation) = (services.faults.clone(), operation.to_owned());
    let apply: Apply = Arc::new(move |body: Vec<u8>| {
        let (services, headers) = (services.clone(), headers.clone());
        Box::pin(async move {
            let _alone = match &services.alone {
                Some(lock) => Some(lock.lock().await),
                None => None,
            };
            let mut forwarded = services
                .http
                .post(format!("{}/", services.table))
                .body(body);
            for (name, value) in headers
                .iter()
                .filter(|(name, _)| !HOP.contains(&name.as_str()))
            {
                forwarded = forwarded.header(name, value);
            }
            match forwarded.send().await {
                Ok(response) => {
                    let status = response.status().as_u16();
                    response
                        .text()
                        .await
                        .map_or(Reply::Broken, |text| Reply::Response(status, text))
                }
                Err(_) => Reply::Broken,
            }
        })
    });
    match faults.run(&operation, body.to_vec(), apply).await {
        Reply::Response(status, text) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (
                status,
                [("content-type", "application/x-amz-json-1.0")],
                text,
            )
                .into_response()
        }
        // The connection breaks before the body.
        Reply::Broken => Response::new(Body::from_stream(futures::stream::once(async {
            Err::<Bytes, _>(std::io::Error::other("broken"))
        }))),
    }
}

/// Headers that are not forwarded.
const HOP: [&str; 4] = ["host", "content-length", "transfer-encoding", "connection"];

pub(crate) async fn call(
    State(services): State<Arc<Services>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(why) = services.refusal(&method, &uri, &headers, &body) {
        let reply = Json(
            json!({ "__type": "com.amazon.coral.service#AccessDeniedException", "message": why }),
        );
        services
            .denied
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(why);
        return (StatusCode::BAD_REQUEST, reply).into_response();
    }
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok())
        .map(str::to_owned);
    let is_table = target.is_some();
    if let Some(operation) = target
        .as_deref()
        .and_then(|target| target.strip_prefix("DynamoDB_20120810."))
    {
        return table_call(&services, operation, &headers, body).await;
    }
    if target.as_deref() == Some(SEND) {
        let request = serde_json::from_slice(&body).unwrap_or_default();
        return Json(services.queues.keep(&request)).into_response();
    }
    let _alone = match &services.alone {
        Some(lock) if is_table => Some(lock.lock().await),
        _ => None,
    };
    let origin = if is_table {
        &services.table
    } else {
        &services.moto
    };
    let url = format!(
        "{origin}{}",
        uri.path_and_query().map_or("/", |path| path.as_str())
    );
    let mut forwarded = services.http.request(method, url).body(body.clone());
    for (name, value) in headers.iter().filter(|(name, _)| {
        !["host", "content-length", "transfer-encoding"].contains(&name.as_str())
    }) {
        forwarded = forwarded.header(name, value);
    }
    let response = match forwarded.send().await {
        Ok(response) => response,
        Err(error) => return (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    };
    let (status, headers) = (response.status(), response.headers().clone());
    let Ok(reply) = response.bytes().await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    if uri.path() == "/v2/email/outbound-emails" && status.is_success() {
        let (request, taken): (Value, Value) = (
            serde_json::from_slice(&body).unwrap_or_default(),
            serde_json::from_slice(&reply).unwrap_or_default(),
        );
        let id = taken["MessageId"].as_str().unwrap_or_default();
        for event in local::simulator::events(&request, id, SystemClock.now()) {
            // SNS may deliver a report more than once, so each is sent twice.
            let _ = services.reports.send(event.clone());
            let _ = services.reports.send(event);
        }
    }
    let mut response = Response::new(Body::from(reply));
    *response.status_mut() = status;
    for (name, value) in headers.iter().filter(|(name, _)| {
        !["connection", "content-length", "transfer-encoding"].contains(&name.as_str())
    }) {
        response.headers_mut().append(name, value.clone());
    }
    response
}

impl Services {
    pub fn router(self: &Arc<Self>) -> Router {
        let keys = async |State(services): State<Arc<Self>>| Json(json!(services.issuer.keys()));
        Router::new()
            .route("/jwks.json", get(keys))
            .fallback(call)
            .layer(DefaultBodyLimit::disable())
            .with_state(self.clone())
    }
}
