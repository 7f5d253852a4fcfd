//! What became of a mail that was handed to SES, classed by what is safe to do next (E14, E15).

use aws_sdk_sesv2::error::{ConnectorError, ProvideErrorMetadata, SdkError};

/// The classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// Taken; the id that SES gave it.
    Sent(String),
    /// Surely not taken, and may be taken later: throttled, not connected, sending paused.
    Later(String),
    /// Surely not taken, and never will be: rejected, not a valid request.
    Refused(String),
    /// Perhaps taken: a time-out, a broken answer, a server error. Nothing retries it by itself.
    Unknown(String),
}

/// The class of an error.
pub fn classify<E, R>(error: &SdkError<E, R>) -> SendOutcome
where
    E: ProvideErrorMetadata + std::fmt::Debug,
    R: StatusCode + std::fmt::Debug,
{
    match error {
        SdkError::ConstructionFailure(why) => SendOutcome::Refused(format!("{why:?}")),
        // Without a connection nothing was handed over.
        SdkError::DispatchFailure(failure)
            if failure.as_connector_error().is_some_and(never_connected) =>
        {
            SendOutcome::Later("no connection".into())
        }
        SdkError::ServiceError(service) => {
            let code = service.err().code().unwrap_or_default().to_owned();
            match service.raw().status() {
                400..500 if may_pass(&code) => SendOutcome::Later(code),
                400..500 => SendOutcome::Refused(code),
                // A server error, or a success that cannot be read.
                _ => SendOutcome::Unknown(code),
            }
        }
        other => SendOutcome::Unknown(short(other)),
    }
}

/// What is wrong with the account or its pace, not with the mail.
fn may_pass(code: &str) -> bool {
    let known = [
        "TooManyRequestsException",
        "ThrottlingException",
        "Throttling",
        "LimitExceededException",
        "SendingPausedException",
        "AccountSuspendedException",
        "MailFromDomainNotVerifiedException",
        "AccessDeniedException",
        "ExpiredTokenException",
        "UnrecognizedClientException",
    ];
    known.contains(&code)
}

fn never_connected(error: &ConnectorError) -> bool {
    // The SDK knows it but tells it in the debug text only; another wording would make it
    // `Unknown`, which is safe.
    let text = format!("{error:?}");
    text.contains("NeverConnected") || text.contains("HTTP connect")
}

fn short<E, R>(error: &SdkError<E, R>) -> String {
    match error {
        SdkError::TimeoutError(_) => "time-out".into(),
        SdkError::DispatchFailure(_) => "broken connection".into(),
        _ => "broken answer".into(),
    }
}

/// The status of a raw answer.
pub trait StatusCode {
    /// As a number.
    fn status(&self) -> u16;
}

impl StatusCode for aws_sdk_sesv2::config::http::HttpResponse {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }
}
