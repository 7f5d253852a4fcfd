//! JSON request bodies, and the responses to create and delete requests.

use axum::Json;
use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{ApiError, Code, FieldErrors};
use super::input::Body;
use super::params::Params;
use super::strict::Strict;
use super::twice::Twice;
use crate::reason::Reason;

/// Returns the media type of a body in small letters, without parameters such as `charset`; empty
/// if there is none.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let media_type = content_type.and_then(|value| value.split(';').next());
    media_type.unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads the body of a request, which is in memory already ([`super::layers`]).
pub(super) async fn read(request: Request) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, &())
        .await
        .map_err(|_| unread())
}

/// The error for a body that broke off.
pub(super) fn unread() -> ApiError {
    ApiError::rule(Reason::Unread)
}

/// The error for a body that is not what it must be.
pub(super) fn invalid_body(error: impl ToString) -> ApiError {
    let error = error.to_string();
    ApiError::rule(Reason::InvalidBody { error })
}

/// Reads a body. A [`super::field::Field`] stores its own errors, so this fails only if the body
/// must not have some of its keys (H34). These are all named, with what is wrong inside the others.
pub(super) fn read_object<T: Body>(mut body: Value) -> Result<T, ApiError> {
    let mut errors = FieldErrors::default();
    if let (true, Some(keys)) = (T::IS_STRICT, body.as_object_mut()) {
        keys.retain(|key, _| {
            let may_be_sent = T::NAMES.contains(&key.as_str());
            if !may_be_sent {
                errors.add(key, Reason::UnknownField);
            }
            may_be_sent
        });
    }
    let mut read = T::deserialize(Strict(body)).map_err(|error| match error.name {
        Some(name) => ApiError::field(name, error.reason),
        None => ApiError::rule(error.reason),
    })?;
    if errors.is_empty() {
        return Ok(read);
    }
    for field in read.fields() {
        for (inside, reason) in field.wrong() {
            errors.add([field.name(), inside].concat(), reason.clone());
        }
    }
    Err(ApiError::Invalid(Code::Invalid, errors))
}

/// Returns the parts of a response and its whole body, or the error to answer with instead.
pub(super) async fn whole(response: Response) -> Result<(Parts, Bytes), Response> {
    let (parts, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => Ok((parts, bytes)),
        Err(error) => Err(ApiError::Internal(error.to_string()).into_response()),
    }
}

/// Returns a JSON body of at most `limit` bytes. Of a larger one, the longest lists lose their
/// ends, and it says `"truncated": true` (X2). None if that is no object.
pub(super) fn cut(body: &str, limit: usize) -> Option<String> {
    if body.len() <= limit {
        return Some(body.to_owned());
    }
    let mut fields: Map<String, Value> = serde_json::from_str(body).ok()?;
    fields.insert("truncated".to_owned(), Value::Bool(true));
    loop {
        let text = serde_json::to_string(&fields).unwrap_or_default();
        if text.len() <= limit {
            return Some(text);
        }
        let lists = fields.values_mut().filter_map(Value::as_array_mut);
        match lists.max_by_key(|list| list.len()) {
            Some(list) if !list.is_empty() => list.truncate(list.len() / 2),
            _ => fields.retain(|name, _| name == "truncated"),
        }
    }
}

/// A JSON object as the request body. 415 if the content type is not JSON, 400 if the body is not a
/// JSON object.
pub struct Input<T>(pub T);

impl<S: Send + Sync, T: Body> FromRequest<S> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let sent = media_type(request.headers());
        if sent != "application/json"
            && !(sent.starts_with("application/") && sent.ends_with("+json"))
        {
            return Err(ApiError::UnsupportedMediaType(
                "Send a JSON body with the header Content-Type: application/json.",
            ));
        }
        let bytes = read(request).await?;
        let value: Value = serde_json::from_slice(&bytes).map_err(invalid_body)?;
        if !value.is_object() {
            return Err(invalid_body("it must be a JSON object"));
        }
        Twice::check(&bytes)?;
        read_object(value).map(Self)
    }
}

/// A request without a body. A body with keys is 400, which names them (H34).
pub struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|_| ApiError::rule(Reason::Unread))?;
        let sent = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_default();
        let mut errors = FieldErrors::default();
        for name in sent.as_object().into_iter().flat_map(serde_json::Map::keys) {
            errors.add(name, Reason::UnknownField);
        }
        errors.check()?;
        if bytes.is_empty() || sent.is_object() {
            return Ok(Self);
        }
        Err(ApiError::rule(Reason::NoBody))
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
