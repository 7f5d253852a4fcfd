//! What can go wrong for a caller, and the one place where it becomes a status and a body (decisions.md §1).

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::idempotency::RightsHold;
use crate::table::TableError;

/// An error as the caller gets it.
#[derive(Debug, Clone)]
pub enum ApiError {
    /// 401: no credentials where some are needed.
    Unauthenticated,
    /// 401: credentials that are no good, and why.
    BadToken(String),
    /// 403.
    Forbidden,
    /// 404.
    NotFound,
    /// 404 for a page past the end of a list.
    InvalidPage,
    /// 405.
    MethodNotAllowed,
    /// 412: the object is not in the state that the client wants to change.
    PreconditionFailed,
    /// 413, with the limit in bytes.
    TooLarge(usize),
    /// 415, and what to send instead.
    UnsupportedMediaType(&'static str),
    /// 400: a broken rule that belongs to no field.
    Rule(String),
    /// 400, with messages per field.
    Invalid(FieldErrors),
    /// 429: the table is busy.
    Busy,
    /// 500; the text goes to the log only.
    Internal(String),
    /// Not for callers: a request that was made only to check their rights has come to its body.
    RightsHold,
}

/// Messages per field; nested fields as dotted paths.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub struct FieldErrors(BTreeMap<String, Vec<String>>);

impl FieldErrors {
    /// Adds a message.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(message.into());
    }

    /// Adds the messages of what stands inside a field.
    pub fn extend(&mut self, field: &str, inside: Self) {
        self.0.extend(inside.0.into_iter().map(|(name, messages)| (format!("{field}.{name}"), messages)));
    }

    /// Whether the field has a message already.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// An error if there is any message.
    pub fn check(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::Invalid(self)) }
    }

    fn sentence(&self) -> String {
        match self.0.iter().next() {
            Some((field, messages)) => format!("{field}: {}", messages.first().map_or("invalid", String::as_str)),
            None => "Invalid request.".to_owned(),
        }
    }
}

impl ApiError {
    /// 400 naming one field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = FieldErrors::default();
        errors.add(field, message);
        Self::Invalid(errors)
    }

    /// 400 for a broken rule.
    pub fn rule(message: impl Into<String>) -> Self {
        Self::Rule(message.into())
    }
}

/// Says what the refusal of a write's condition means, where the write is made.
pub trait OrRefused<T> {
    /// The error that a refused condition is, whichever write of a transaction it was.
    fn or_refused(self, error: impl FnOnce() -> ApiError) -> Result<T, ApiError>;
    /// The error that a refused condition is; `which` are the positions of the writes in their transaction.
    fn or_refused_at(self, error: impl FnOnce(&[usize]) -> ApiError) -> Result<T, ApiError>;
}

impl<T> OrRefused<T> for Result<T, TableError> {
    fn or_refused(self, error: impl FnOnce() -> ApiError) -> Result<T, ApiError> {
        self.or_refused_at(|_| error())
    }

    fn or_refused_at(self, error: impl FnOnce(&[usize]) -> ApiError) -> Result<T, ApiError> {
        self.map_err(|refusal| match refusal {
            TableError::Refused(which) => error(&which),
            other => other.into(),
        })
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Busy(why) => {
                tracing::warn!(why, "the table is busy");
                Self::Busy
            }
            // A condition whose refusal has a meaning is mapped where the write is made.
            other => Self::Internal(other.to_string()),
        }
    }
}

/// The body of every error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// One sentence for people.
    pub detail: String,
    /// Validation messages per field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Vec<String>>>)]
    pub errors: Option<FieldErrors>,
}

/// The reason of a 5xx, on its way to the log.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, detail) = match &self {
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "Authentication credentials were not provided.".to_owned()),
            Self::BadToken(why) => (StatusCode::UNAUTHORIZED, format!("The access token is not valid: {why}.")),
            Self::Forbidden => (StatusCode::FORBIDDEN, "You do not have permission to do this.".to_owned()),
            Self::NotFound => (StatusCode::NOT_FOUND, "Not found.".to_owned()),
            Self::InvalidPage => (StatusCode::NOT_FOUND, "Invalid page.".to_owned()),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "This method is not allowed here.".to_owned()),
            Self::PreconditionFailed => {
                (StatusCode::PRECONDITION_FAILED, "This was changed since it was read. Get it again, and decide anew.".to_owned())
            }
            Self::TooLarge(limit) => (StatusCode::PAYLOAD_TOO_LARGE, format!("The request body is larger than {limit} bytes.")),
            Self::UnsupportedMediaType(wanted) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, (*wanted).to_owned()),
            Self::Rule(message) => (StatusCode::BAD_REQUEST, message.clone()),
            Self::Invalid(errors) => (StatusCode::BAD_REQUEST, errors.sentence()),
            Self::Busy => (StatusCode::TOO_MANY_REQUESTS, "The service is busy. Please try again.".to_owned()),
            Self::RightsHold => (StatusCode::NO_CONTENT, String::new()),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong on our side.".to_owned()),
        };
        let errors = if let Self::Invalid(errors) = &self { Some(errors.clone()) } else { None };
        let mut response = (status, Json(ErrorBody { detail, errors })).into_response();
        match self {
            Self::Unauthenticated => {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::BadToken(_) => {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer error=\"invalid_token\""));
            }
            Self::Busy => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Self::RightsHold => {
                response.extensions_mut().insert(RightsHold);
            }
            Self::Internal(cause) => {
                response.extensions_mut().insert(Cause(cause));
            }
            _ => {}
        }
        response
    }
}
