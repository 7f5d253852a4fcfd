//! Layers around every response: a header against guessed types, texts that are shortened, and the
//! largest size that Lambda can return.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::body::whole;
use super::error::ApiError;
use super::idempotency::ChangedNothing;
use super::list::Sliced;
use crate::limits;
use crate::reason::Reason;

/// What is returned instead of the response to a successful write, if that is too large for the
/// gateway.
#[derive(Clone)]
struct Shortened(Bytes);

/// Keeps a short form of large responses to successful writes: without their large lists. What is
/// stored is never reported as an error (H35).
pub(crate) async fn shortened(request: Request, next: Next) -> Response {
    let is_write = !matches!(*request.method(), Method::GET | Method::HEAD);
    let response = next.run(request).await;
    let changed_nothing = response.extensions().get::<ChangedNothing>().is_some();
    if !is_write || !response.status().is_success() || changed_nothing {
        return response;
    }
    let (mut parts, bytes) = match whole(response).await {
        Ok(whole) => whole,
        Err(error) => return error,
    };
    if bytes.len() > limits::RESPONSE_BODY {
        let mut short = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        for list in ["questions", "responses"] {
            short.remove(list);
        }
        short.insert("truncated".to_owned(), Value::Bool(true));
        let mut short = serde_json::to_vec(&short).unwrap_or_default();
        if short.len() > limits::RESPONSE_BODY {
            short = br#"{"truncated":true}"#.to_vec();
        }
        parts.extensions.insert(Shortened(short.into()));
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Replaces a response that is too large for the gateway by its short form, or by an error with a
/// hint; otherwise the gateway would cut it off.
pub(crate) async fn bounded_response(request: Request, next: Next) -> Response {
    let (mut parts, body) = next.run(request).await.into_parts();
    let sliced = parts.extensions.get::<Sliced>().is_some();
    match to_bytes(body, limits::RESPONSE_BODY).await {
        Ok(bytes) => {
            let mut response = Response::from_parts(parts, Body::from(bytes.clone()));
            if !bytes.is_empty() {
                response
                    .headers_mut()
                    .insert(header::CONTENT_LENGTH, bytes.len().into());
            }
            response
        }
        Err(_) if parts.extensions.get::<Shortened>().is_some() => {
            let short = parts.extensions.remove::<Shortened>();
            let short = short.map_or_else(Bytes::new, |short| short.0);
            parts.headers.remove(header::CONTENT_ENCODING);
            parts
                .headers
                .insert(header::CONTENT_LENGTH, short.len().into());
            Response::from_parts(parts, Body::from(short))
        }
        Err(_) => {
            let how = if sliced {
                "in parts with the parameters `limit` and `cursor`, or compressed with the header \
                 Accept-Encoding: gzip"
            } else {
                "compressed, with the header Accept-Encoding: gzip"
            };
            ApiError::rule(Reason::LargeResponse { how }).into_response()
        }
    }
}
