//! The results of handing a mail to SES, classified by what may be done next (E14, E15).

use aws_sdk_sesv2::error::{ConnectorError, ProvideErrorMetadata, SdkError};

/// The result of handing a mail to SES.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// SES has taken the mail and gave it this id.
    Sent(String),
    /// SES surely did not take the mail, but may do so later: throttled, no connection, sending
    /// paused.
    Later(String),
    /// SES surely did not take the mail and never will: rejected, invalid request.
    Refused(String),
    /// SES perhaps took the mail: time-out, broken response, server error. It is never retried
    /// automatically.
    Unknown(String),
}

/// Classifies an error about a mail from `sender`, an address with or without a name.
pub fn classify<E, R>(error: &SdkError<E, R>, sender: &str) -> SendOutcome
where
    E: ProvideErrorMetadata + std::fmt::Debug,
    R: StatusCode + std::fmt::Debug,
{
    match error {
        SdkError::ConstructionFailure(why) => SendOutcome::Refused(format!("{why:?}")),
        // Without a connection, nothing was handed over.
        SdkError::DispatchFailure(failure)
            if failure.as_connector_error().is_some_and(never_connected) =>
        {
            SendOutcome::Later("no connection".into())
        }
        SdkError::ServiceError(service) => {
            let code = service.err().code().unwrap_or_default().to_owned();
            match service.raw().status() {
                400..500 if may_pass(&code) || is_unverified(service.err(), sender) => {
                    SendOutcome::Later(code)
                }
                400..500 => SendOutcome::Refused(code),
                // A server error, or a successful response that cannot be read.
                _ => SendOutcome::Unknown(code),
            }
        }
        other => SendOutcome::Unknown(short(other)),
    }
}

/// Whether the error is about the account or its sending rate, and not about the mail.
fn may_pass(code: &str) -> bool {
    let codes = [
        "TooManyRequestsException",
        "ThrottlingException",
        "Throttling",
        "LimitExceededException",
        "SendingPausedException",
        "AccountSuspendedException",
        "MailFromDomainNotVerifiedException",
        // The configuration set is not there.
        "NotFoundException",
        "AccessDeniedException",
        "ExpiredTokenException",
        "UnrecognizedClientException",
    ];
    codes.contains(&code)
}

/// Whether SES does not know the sender at present, for example while its DNS records are broken.
/// It tells that as the rejection of a mail, and so it does of a recipient in the sandbox, which
/// stays. So does the placeholder of a deployment without a sender.
fn is_unverified(error: &impl ProvideErrorMetadata, sender: &str) -> bool {
    let message = error.message().unwrap_or_default();
    let (_, address) = sender.rsplit_once('<').unwrap_or(("", sender));
    let address = address.trim_end_matches('>').trim();
    error.code() == Some("MessageRejected")
        && message.contains("identities failed the check")
        && message.contains(address)
        && !address.ends_with(".invalid")
}

fn never_connected(error: &ConnectorError) -> bool {
    // The SDK shows this only in its debug text. If the text changes, the result is `Unknown`,
    // which is safe.
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

/// A response with an HTTP status.
pub trait StatusCode {
    /// The HTTP status.
    fn status(&self) -> u16;
}

impl StatusCode for aws_sdk_sesv2::config::http::HttpResponse {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }
}
