//! What can go wrong for a caller, and the one place where it becomes a status and a body (H6).

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::auth::TokenError;
use crate::table::{Refusal, TableError};

/// What went wrong, as programs compare it (H7). A code never tells more than the sentence beside
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// 401: no credentials.
    AuthenticationRequired,
    /// 401: bad credentials.
    InvalidToken,
    /// 403.
    PermissionDenied,
    /// 404.
    NotFound,
    /// 405.
    MethodNotAllowed,
    /// 412.
    PreconditionFailed,
    /// 413.
    PayloadTooLarge,
    /// 415.
    UnsupportedMediaType,
    /// 400: fields, or a rule without a code of its own.
    Invalid,
    /// 429: a limit of this service was reached.
    RateLimited,
    /// 429: nothing was stored, because many others write at this moment.
    Busy,
    /// 500.
    Internal,
    /// 500: what was asked for may or may not be stored. The same request may be sent again.
    OutcomeUnknown,
    /// 400: the application takes no submission, change or withdrawal from the caller.
    ApplicationClosed,
    /// 400: a club would be left without an owner.
    LastOwner,
    /// 400: the person is a member of the club.
    AlreadyMember,
    /// 400: an invitation that was used, revoked, has expired or never existed.
    InviteUnusable,
    /// 400: something else refers to it.
    InUse,
    /// 400: decisions, reasons or templates changed since the preview.
    DigestChanged,
    /// 400: an idempotency key was sent with another body.
    KeyReused,
    /// 400: the fair takes no registrations at present.
    RegistrationClosed,
    /// 400: a limit on how much one person or club may have.
    Quota,
    /// 400: the club waits for approval, and invites nobody until then.
    ClubNotApproved,
}

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
    Rule(Code, String),
    /// 400, with messages per field.
    Invalid(Code, FieldErrors),
    /// 429: a limit of this service, what it is, and after how many seconds it may be tried again.
    RateLimited(String, u64),
    /// 429: the table is busy, and nothing was stored.
    Busy,
    /// 429: others changed the object all the time, and nothing was stored. [`super::edit`] tries
    /// again before.
    Changed,
    /// 500: what was asked for may or may not be stored; the text goes to the log only.
    OutcomeUnknown(String),
    /// 500; the text goes to the log only.
    Internal(String),
}

/// What somebody reads who is being erased.
pub const ERASING: &str = "Your account is being erased.";

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
        self.0.extend(
            inside
                .0
                .into_iter()
                .map(|(name, messages)| (format!("{field}.{name}"), messages)),
        );
    }

    /// Whether the field has a message already.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// An error if there is any message.
    pub fn check(self) -> Result<(), ApiError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ApiError::Invalid(Code::Invalid, self))
        }
    }

    fn sentence(&self) -> String {
        match self.0.iter().next() {
            Some((field, messages)) => format!(
                "{field}: {}",
                messages.first().map_or("invalid", String::as_str)
            ),
            None => "Invalid request.".to_owned(),
        }
    }
}

impl ApiError {
    /// 400 naming one field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = FieldErrors::default();
        errors.add(field, message);
        Self::Invalid(Code::Invalid, errors)
    }

    /// 400 for a broken rule.
    pub fn rule(message: impl Into<String>) -> Self {
        Self::Rule(Code::Invalid, message.into())
    }

    /// The same 400 with a code of its own.
    #[must_use]
    pub fn coded(self, code: Code) -> Self {
        match self {
            Self::Rule(_, message) => Self::Rule(code, message),
            Self::Invalid(_, errors) => Self::Invalid(code, errors),
            other => other,
        }
    }

    /// The error of what follows a write: 429 would say that nothing was stored.
    #[must_use]
    pub fn after_write(self) -> Self {
        match self {
            Self::Busy | Self::Changed => {
                Self::OutcomeUnknown("a read after a write was not answered".to_owned())
            }
            other => other,
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Unauthenticated => Code::AuthenticationRequired,
            Self::BadToken(_) => Code::InvalidToken,
            Self::Forbidden => Code::PermissionDenied,
            Self::NotFound | Self::InvalidPage => Code::NotFound,
            Self::MethodNotAllowed => Code::MethodNotAllowed,
            Self::PreconditionFailed => Code::PreconditionFailed,
            Self::TooLarge(_) => Code::PayloadTooLarge,
            Self::UnsupportedMediaType(_) => Code::UnsupportedMediaType,
            Self::Rule(code, _) | Self::Invalid(code, _) => *code,
            Self::RateLimited(..) => Code::RateLimited,
            Self::Busy | Self::Changed => Code::Busy,
            Self::OutcomeUnknown(_) => Code::OutcomeUnknown,
            Self::Internal(_) => Code::Internal,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated | Self::BadToken(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound | Self::InvalidPage => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Rule(..) | Self::Invalid(..) => StatusCode::BAD_REQUEST,
            Self::RateLimited(..) | Self::Busy | Self::Changed => StatusCode::TOO_MANY_REQUESTS,
            Self::OutcomeUnknown(_) | Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The sentence for people.
    fn detail(&self) -> String {
        match self {
            Self::Unauthenticated => "Authentication credentials were not provided.".to_owned(),
            Self::BadToken(why) => format!("The access token is not valid: {why}."),
            Self::Forbidden => "You do not have permission to do this.".to_owned(),
            Self::NotFound => "Not found.".to_owned(),
            Self::InvalidPage => "Invalid page.".to_owned(),
            Self::MethodNotAllowed => "This method is not allowed here.".to_owned(),
            Self::PreconditionFailed => {
                "This was changed since you read it. Read it again, then decide.".to_owned()
            }
            Self::TooLarge(limit) => format!("The request body is larger than {limit} bytes."),
            Self::UnsupportedMediaType(wanted) => (*wanted).to_owned(),
            Self::Rule(_, message) | Self::RateLimited(message, _) => message.clone(),
            Self::Invalid(_, errors) => errors.sentence(),
            Self::Busy | Self::Changed => "The service is busy. Please try again.".to_owned(),
            Self::OutcomeUnknown(_) => {
                "It is not known whether this was stored. You may send the same request again."
                    .to_owned()
            }
            Self::Internal(_) => "Something went wrong on our side.".to_owned(),
        }
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Busy(why) => {
                tracing::warn!(why, "the table is busy");
                Self::Busy
            }
            TableError::Unknown(why) => Self::OutcomeUnknown(why),
            TableError::Refused(Refusal::Changed) => Self::Changed,
            TableError::Refused(Refusal::Authority) => Self::Forbidden,
            TableError::Refused(Refusal::Erased) => Self::rule(ERASING),
            TableError::Refused(Refusal::LastOwner) => {
                Self::rule("A club needs at least one owner.").coded(Code::LastOwner)
            }
            TableError::TooMuch => Self::rule(
                "The answer is too large. Ask for it in parts with the parameters limit and cursor.",
            ),
            // A condition whose refusal has a meaning is mapped where the write is made.
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Invalid(why) => Self::BadToken(why.to_owned()),
            TokenError::Unavailable => Self::Busy,
        }
    }
}

/// The body of every error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// One sentence for people.
    pub detail: String,
    /// What went wrong, for programs.
    pub code: Code,
    /// Validation messages per field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Vec<String>>>)]
    pub errors: Option<FieldErrors>,
}

/// The reason of a 5xx, on its way to the log, and the code that the caller gets.
#[derive(Debug, Clone)]
pub struct Cause {
    /// For the log.
    pub text: String,
    /// For the caller.
    pub code: Code,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code, detail) = (self.status(), self.code(), self.detail());
        let errors = if let Self::Invalid(_, errors) = &self {
            Some(errors.clone())
        } else {
            None
        };
        let mut response = (
            status,
            Json(ErrorBody {
                detail,
                code,
                errors,
            }),
        )
            .into_response();
        let headers = response.headers_mut();
        match self {
            Self::Unauthenticated => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::BadToken(_) => {
                headers.insert(
                    header::WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer error=\"invalid_token\""),
                );
            }
            Self::RateLimited(_, seconds) => {
                headers.insert(header::RETRY_AFTER, seconds.max(1).into());
            }
            Self::Busy | Self::Changed => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Self::OutcomeUnknown(text) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                response.extensions_mut().insert(Cause { text, code });
            }
            Self::Internal(text) => {
                response.extensions_mut().insert(Cause { text, code });
            }
            _ => {}
        }
        response
    }
}
