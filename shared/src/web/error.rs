//! Errors of the API, and the one place where they become a status and a body (H6).

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::domain::Resent;
use crate::limits;
use crate::reason::Reason;
use crate::text::Email;

crate::text::enums::text_enum! {
    /// What went wrong, for programs (H7). A code never reveals more than the sentence in `detail`.
    Code {
        /// 401: no credentials were sent.
        AuthenticationRequired,
        /// 401: the credentials are not valid.
        InvalidToken,
        /// 403: the caller does not have the rights for this.
        PermissionDenied,
        /// 403: the token is not for this route, or not for this club.
        Scope,
        /// 403: the account of the caller is being erased. After that they may sign in anew.
        Erasing,
        /// 404: there is no such object, or it is not visible to the caller.
        NotFound,
        /// 405: the path does not support this method.
        MethodNotAllowed,
        /// 406: the client accepts no coding in which the service can answer.
        NotAcceptable,
        /// 412: the object does not match `If-Match`.
        PreconditionFailed,
        /// 413: the request body is too large.
        PayloadTooLarge,
        /// 415: the content type is not supported here.
        UnsupportedMediaType,
        /// 400: invalid fields, or a broken rule that has no code of its own.
        Invalid,
        /// 429: a limit of this service was reached.
        RateLimited,
        /// 429: nothing was stored, because there are many other writes at the same time.
        Busy,
        /// 500: an error in the service.
        Internal,
        /// 500: the change may or may not be stored. The same request may be sent again.
        OutcomeUnknown,
        /// 400: the caller cannot submit, change or withdraw at this application now.
        ApplicationClosed,
        /// 400: the club would be left without an owner.
        LastOwner,
        /// 400: the person is already a member of the club.
        AlreadyMember,
        /// 400: the invitation was used or revoked, has expired, or never existed.
        InviteUnusable,
        /// 400: other objects refer to it.
        InUse,
        /// 400: decisions, reasons, answers or templates changed since the preview.
        DigestChanged,
        /// 400: the idempotency key was sent before with another body.
        KeyReused,
        /// 400: the fair does not accept registrations at present.
        RegistrationClosed,
        /// 400: a limit on how many objects one person or club may have.
        Quota,
        /// 400: somebody is not decided yet, and the request wants everybody decided.
        Undecided,
        /// 412: answers of the draft were changed elsewhere since the client read them.
        DraftConflict,
        /// 400: the data of the applicant was erased, and what remains does not change any more.
        ApplicantErased = "erased",
        /// 400: the answer is to a question that was deleted since.
        QuestionGone,
        /// 400: all places of the slot are taken.
        SlotFull,
        /// 400: it is too late to book, move or cancel this interview.
        SlotClosed,
        /// 400: the person has another interview at this time.
        Overlap,
        /// 400: tickets are not available yet.
        NotStarted,
        /// 400: it is too late for this with a ticket, or its holder was let in.
        TicketsClosed = "closed",
        /// 400: the type of ticket is only for members.
        AudienceOnly = "audience",
        /// 400: not so many tickets are left.
        SoldOut,
        /// 400: the draw is being held.
        Drawing,
        /// 400: the code does not open this door.
        TicketUnusable,
        /// 503: files cannot be stored or read at the moment. Nothing was changed.
        FilesUnavailable,
        /// 400: the club is not approved yet, and cannot invite anybody until then.
        ClubNotApproved,
        /// 410: changes after this cursor are not kept any more. Read everything, and begin without
        /// a cursor.
        CursorExpired,
    }
}

/// An error that is returned to the caller.
#[derive(Debug, Clone)]
pub enum ApiError {
    /// 401: no credentials where they are required.
    Unauthenticated,
    /// 401: the credentials are not valid, and why.
    BadToken(String),
    /// 403: the caller does not have the rights for this.
    Forbidden,
    /// 403: the token is not for this, and why.
    OutOfScope(Reason),
    /// 403: the caller is being erased (P17).
    Erasing,
    /// 404: there is no such object, or it is not visible to the caller.
    NotFound,
    /// 404: the page is past the end of a list.
    InvalidPage,
    /// 405: the path does not support this method.
    MethodNotAllowed,
    /// 406: the client accepts no coding in which the service can answer.
    NotAcceptable,
    /// 410: changes after this cursor are not kept any more.
    CursorExpired,
    /// 412: the object does not match `If-Match`.
    PreconditionFailed,
    /// 413, with the limit in bytes.
    TooLarge(usize),
    /// 415, and what to send instead.
    UnsupportedMediaType(&'static str),
    /// 400: a broken rule that does not belong to a field.
    Rule(Code, Reason),
    /// 400, with reasons for each field.
    Invalid(Code, FieldErrors),
    /// 429: a limit of this service was reached: which one, and after how many seconds to try
    /// again.
    RateLimited(Reason, u64),
    /// 429: the table is busy, and nothing was stored.
    Busy,
    /// 429: others kept changing the object, and nothing was stored. [`super::edit`] retries before
    /// it returns this.
    Changed,
    /// 503: the bucket of files cannot be reached. Nothing was stored. The text goes to the log.
    FilesUnavailable(String),
    /// 500: the change may or may not be stored. The text goes to the log only.
    OutcomeUnknown(String),
    /// 500: an error in the service. The text goes to the log only.
    Internal(String),
}

/// The sentence while the bucket of files cannot be reached (U11).
pub(super) const NO_FILES: &str =
    "Files cannot be stored or read at the moment. Nothing was changed. Please try again.";

/// What is wrong with each field. Nested fields have dotted paths.
#[derive(Debug, Clone, Default)]
pub struct FieldErrors(BTreeMap<String, Vec<Reason>>);

impl FieldErrors {
    /// Adds what is wrong with a field.
    ///
    /// At most [`limits::NAMED_ERRORS`] fields are named. The others would say nothing new, and a
    /// body with a million wrong values must not cost a million reasons.
    pub fn add(&mut self, field: impl Into<String>, reason: Reason) {
        let field = field.into();
        if self.0.len() < limits::NAMED_ERRORS || self.0.contains_key(&field) {
            self.0.entry(field).or_default().push(reason);
        }
    }

    /// Adds what is wrong with the fields inside `field`.
    pub fn extend(&mut self, field: &str, inside: Self) {
        for (name, reason) in inside.into_reasons() {
            self.add(format!("{field}.{name}"), reason);
        }
    }

    /// Returns whether something is wrong with the field already.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Returns all reasons, each with its field.
    pub fn into_reasons(self) -> impl Iterator<Item = (String, Reason)> {
        self.0.into_iter().flat_map(|(field, reasons)| {
            reasons
                .into_iter()
                .map(move |reason| (field.clone(), reason))
        })
    }

    /// Returns whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns an error if anything is wrong.
    pub fn check(self) -> Result<(), ApiError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(ApiError::Invalid(Code::Invalid, self))
        }
    }

    /// Returns the first field with what is wrong with it.
    fn first(&self) -> Option<(&str, &Reason)> {
        let (field, reasons) = self.0.iter().next()?;
        Some((field, reasons.first()?))
    }

    /// Returns the sentences of each field.
    fn sentences(&self) -> BTreeMap<String, Vec<String>> {
        let all = self.0.iter().map(|(field, reasons)| {
            let sentences = reasons.iter().map(Reason::to_string).collect();
            (field.clone(), sentences)
        });
        all.collect()
    }
}

impl ApiError {
    /// Returns a 400 error for one field.
    pub fn field(field: impl Into<String>, reason: Reason) -> Self {
        let mut errors = FieldErrors::default();
        errors.add(field, reason);
        Self::Invalid(Code::Invalid, errors)
    }

    /// Returns a 400 error for a broken rule.
    pub fn rule(reason: Reason) -> Self {
        Self::Rule(Code::Invalid, reason)
    }

    /// Returns the same 400 error with another code. Other errors are returned unchanged.
    #[must_use]
    pub fn coded(self, code: Code) -> Self {
        match self {
            Self::Rule(_, reason) => Self::Rule(code, reason),
            Self::Invalid(_, errors) => Self::Invalid(code, errors),
            other => other,
        }
    }

    /// Returns the error for a failure after a write. 429 would wrongly say that nothing was
    /// stored.
    #[must_use]
    pub fn after_write(self) -> Self {
        match self {
            Self::Busy | Self::Changed | Self::FilesUnavailable(_) => {
                Self::OutcomeUnknown("a read after a write failed".to_owned())
            }
            other => other,
        }
    }

    /// Returns whether what the request wanted may have been stored, or may still be: a call that
    /// nobody waits for any more can arrive seconds later.
    pub fn may_be_stored(&self) -> bool {
        matches!(self, Self::OutcomeUnknown(_))
    }

    fn code(&self) -> Code {
        match self {
            Self::Unauthenticated => Code::AuthenticationRequired,
            Self::BadToken(_) => Code::InvalidToken,
            Self::Forbidden => Code::PermissionDenied,
            Self::OutOfScope(_) => Code::Scope,
            Self::Erasing => Code::Erasing,
            Self::NotFound | Self::InvalidPage => Code::NotFound,
            Self::MethodNotAllowed => Code::MethodNotAllowed,
            Self::NotAcceptable => Code::NotAcceptable,
            Self::CursorExpired => Code::CursorExpired,
            Self::PreconditionFailed => Code::PreconditionFailed,
            Self::TooLarge(_) => Code::PayloadTooLarge,
            Self::UnsupportedMediaType(_) => Code::UnsupportedMediaType,
            Self::Rule(code, _) | Self::Invalid(code, _) => *code,
            Self::RateLimited(..) => Code::RateLimited,
            Self::Busy | Self::Changed => Code::Busy,
            Self::FilesUnavailable(_) => Code::FilesUnavailable,
            Self::OutcomeUnknown(_) => Code::OutcomeUnknown,
            Self::Internal(_) => Code::Internal,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated | Self::BadToken(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::OutOfScope(_) | Self::Erasing => StatusCode::FORBIDDEN,
            Self::NotFound | Self::InvalidPage => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::CursorExpired => StatusCode::GONE,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Rule(..) | Self::Invalid(..) => StatusCode::BAD_REQUEST,
            Self::RateLimited(..) | Self::Busy | Self::Changed => StatusCode::TOO_MANY_REQUESTS,
            Self::FilesUnavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::OutcomeUnknown(_) | Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the reason that `detail` tells, if the code does not say all.
    fn reason(&self) -> Option<Reason> {
        match self {
            Self::Rule(_, reason) | Self::RateLimited(reason, _) | Self::OutOfScope(reason) => {
                Some(reason.clone())
            }
            Self::Invalid(_, errors) => Some(errors.first()?.1.clone()),
            Self::TooLarge(limit) => Some(Reason::LargeBody { limit: *limit }),
            _ => None,
        }
    }

    /// Returns the sentence for people.
    fn detail(&self) -> String {
        match self {
            Self::Unauthenticated => "Authentication credentials were not provided.".to_owned(),
            Self::BadToken(why) => format!("The access token is not valid: {why}."),
            Self::Forbidden => "You do not have permission to do this.".to_owned(),
            Self::Erasing => "Your account is being erased.".to_owned(),
            Self::NotFound => "Not found.".to_owned(),
            Self::InvalidPage => "Invalid page.".to_owned(),
            Self::MethodNotAllowed => "This method is not allowed here.".to_owned(),
            Self::NotAcceptable => {
                "Accept one of gzip, br and identity in the header Accept-Encoding.".to_owned()
            }
            Self::CursorExpired => {
                "Changes after this cursor are not kept any more. Read everything, and begin without \
                    a cursor."
                    .to_owned()
            }
            Self::PreconditionFailed => {
                "This was changed since you read it. Read it again, then decide.".to_owned()
            }
            Self::TooLarge(limit) => Reason::LargeBody { limit: *limit }.to_string(),
            Self::UnsupportedMediaType(expected) => (*expected).to_owned(),
            Self::Rule(_, reason) | Self::RateLimited(reason, _) | Self::OutOfScope(reason) => {
                reason.to_string()
            }
            Self::Invalid(_, errors) => errors.first().map_or_else(
                || "Invalid request.".to_owned(),
                |(field, reason)| format!("{field}: {reason}"),
            ),
            Self::Busy | Self::Changed => "The service is busy. Please try again.".to_owned(),
            Self::FilesUnavailable(_) => NO_FILES.to_owned(),
            Self::OutcomeUnknown(_) => {
                "It is not known whether this was stored. You may send the same request again."
                    .to_owned()
            }
            Self::Internal(_) => "Something went wrong on our side.".to_owned(),
        }
    }
}

/// Returns the 400 error for a change of a submission whose applicant was erased (D5).
pub fn applicant_erased() -> ApiError {
    ApiError::rule(Reason::ApplicantErased).coded(Code::ApplicantErased)
}

/// Returns an address to which a mail can be sent.
///
/// # Errors
/// 400 if there is none.
pub fn has_address(address: &Email) -> Result<&Email, ApiError> {
    if address.is_empty() {
        return Err(ApiError::rule(Reason::NoAddress));
    }
    Ok(address)
}

/// Returns whether a mail is sent again (E36).
///
/// # Errors
/// 400 if it cannot be sent.
pub fn resent(outcome: Resent) -> Result<(), ApiError> {
    let limit = limits::MAIL_RESENDS;
    match outcome {
        Resent::Done => Ok(()),
        Resent::TooOften => {
            Err(ApiError::rule(Reason::MailResentTooOften { limit }).coded(Code::Quota))
        }
        Resent::NoText => Err(ApiError::rule(Reason::MailNotKept)),
    }
}

/// The body of every error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// One sentence for people.
    pub detail: String,
    /// What went wrong, for programs.
    pub code: Code,
    /// Validation messages for each field. The names of nested fields are joined by dots, as in
    /// `responses.0.text`. Missing if no field is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BTreeMap<String, Vec<String>>>,
    /// The same for programs: the reasons of each field, in the order of the messages. Missing if
    /// no field is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<BTreeMap<String, Vec<Reason>>>,
    /// The reason that `detail` tells, for programs. Missing if `code` says all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The id of the request in the logs. Missing if it is not a 5xx error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The reason of a 5xx error, which goes to the log, and the code that is returned to the caller.
#[derive(Debug, Clone)]
pub struct Cause {
    /// The text for the log.
    pub text: String,
    /// The code for the caller.
    pub code: Code,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code, detail) = (self.status(), self.code(), self.detail());
        let fields = match &self {
            Self::Invalid(_, errors) => Some(errors),
            _ => None,
        };
        let body = ErrorBody {
            detail,
            code,
            errors: fields.map(FieldErrors::sentences),
            reasons: fields.map(|errors| errors.0.clone()),
            reason: self.reason(),
            request_id: None,
        };
        let mut response = (status, Json(body)).into_response();
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
            // A draw begins half a minute after its time.
            Self::Rule(Code::Drawing, _) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
            }
            Self::OutcomeUnknown(text) | Self::FilesUnavailable(text) => {
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
