//! JSON request bodies, and the responses to create and delete requests.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{ApiError, FieldErrors};
use super::field::{Misnamed, UNKNOWN};
use super::params::Params;
use super::twice::Twice;

/// A JSON object as the request body. 415 if the content type is not JSON, 400 if the body is not a
/// JSON object.
pub struct Input<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let content_type = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let essence = content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        if essence != "application/json"
            && !(essence.starts_with("application/") && essence.ends_with("+json"))
        {
            return Err(ApiError::UnsupportedMediaType(
                "Send a JSON body with the header Content-Type: application/json.",
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|_| ApiError::rule("The request body could not be read."))?;
        let value: serde_json::Value = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::rule(format!("The request body is not JSON: {error}.")))?;
        if !value.is_object() {
            return Err(ApiError::rule("The request body must be a JSON object."));
        }
        Twice::check(&bytes)?;
        // `Field` stores its own errors, so this fails only if the body must not have a key (H34).
        serde_json::from_value(value).map(Self).map_err(|error| {
            let why = error.to_string();
            match Misnamed::of(&why) {
                Some(Misnamed { name, why }) => ApiError::field(name, why),
                None => ApiError::rule(format!("The request body is not valid: {error}.")),
            }
        })
    }
}

/// A request without a body. A body with keys is 400, which names them (H34).
pub struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|_| ApiError::rule("The request body could not be read."))?;
        let sent = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_default();
        let mut errors = FieldErrors::default();
        for name in sent.as_object().into_iter().flat_map(serde_json::Map::keys) {
            errors.add(name, UNKNOWN);
        }
        errors.check()?;
        if bytes.is_empty() || sent.is_object() {
            return Ok(Self);
        }
        Err(ApiError::rule("This request takes no body."))
    }
}

/// A request without a body and without query parameters, for most deletions (H34).
pub struct NoInput;

impl<S: Send + Sync> FromRequest<S> for NoInput {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        Params::parse(request.uri().query().unwrap_or_default()).only(&[])?;
        NoBody::from_request(request, state).await.map(|_| Self)
    }
}

/// 201 with the created object and its location.
pub struct Created<T> {
    /// Path of the object, starting with `/api/`.
    pub location: String,
    /// The created object.
    pub body: T,
}

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        let mut response = (StatusCode::CREATED, Json(self.body)).into_response();
        if let Ok(location) = HeaderValue::try_from(self.location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

/// 204 without a body.
pub struct NoContent;

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}
