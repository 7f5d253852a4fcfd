//! Why the table did not do what it was asked, and how long to wait before it is asked again.

use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use tokio::time::Instant;

use super::usage::request_began;

/// What it means that the condition of a write did not hold. Each write carries its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The object was changed or removed after it was read. Read it again.
    Changed,
    /// There is such an object already.
    Exists,
    /// The person is a member of the club already.
    AlreadyMember,
    /// The club would be left without an owner.
    LastOwner,
    /// Whoever acts, or gave an invitation, no longer has the role that this needs.
    Authority,
    /// The person is being erased.
    Erased,
    /// A person or a club has as many as they may have.
    Quota,
    /// Something that the object refers to was deleted.
    ReferenceGone,
    /// Something else refers to the object.
    InUse,
    /// A mail is out of date: something newer takes its place.
    Superseded,
}

/// Why the table did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A condition did not hold, and what that means.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Throttled, or in conflict with other writers for too long. Nothing was stored; it may work
    /// later.
    #[error("busy: {0}")]
    Busy(String),
    /// A write that may or may not be stored: its answer was lost, and asking again did not tell.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// What was asked for is more than a request may hold in memory.
    #[error("too much to hold")]
    TooMuch,
    /// All else.
    #[error("{0}")]
    Failed(String),
}

impl TableError {
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// The error of a later step of several: busy would say that nothing was stored.
    #[must_use]
    pub fn after_write(self) -> Self {
        match self {
            Self::Busy(why) => Self::Unknown(why),
            other => other,
        }
    }
}

/// A write of what may be gone already.
pub(super) fn ignore_refusal<T>(result: Result<T, TableError>) -> Result<(), TableError> {
    match result {
        Ok(_) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// An error of the SDK for the log: never the answer itself, which holds what people wrote.
pub(super) fn describe<E, R>(error: &SdkError<E, R>) -> String
where
    E: ProvideErrorMetadata,
{
    match error {
        SdkError::ServiceError(service) => {
            format!("{:?} {:?}", service.err().code(), service.err().message())
        }
        SdkError::TimeoutError(_) => "time-out".to_owned(),
        SdkError::DispatchFailure(failure) => format!("{failure:?}"),
        SdkError::ConstructionFailure(failure) => format!("{failure:?}"),
        _ => "an answer that cannot be read".to_owned(),
    }
}

/// An error of a read, which the SDK has tried several times.
pub(super) fn read_error<E, R>(error: SdkError<E, R>) -> TableError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    let text = describe(&error);
    match error.code() {
        Some(
            "ProvisionedThroughputExceededException"
            | "ThrottlingException"
            | "RequestLimitExceeded",
        ) => TableError::Busy(text),
        _ if matches!(error, SdkError::TimeoutError(_)) => TableError::Busy(text),
        _ => TableError::Failed(text),
    }
}

/// Nothing is tried for longer, and nothing for long once a request is older: functions have 12
/// seconds, and the last try takes some.
const GIVE_UP: Duration = Duration::from_secs(6);
/// What is begun late in a request is tried for so long all the same.
const AT_LEAST: Duration = Duration::from_millis(500);
/// The longest pause between two tries.
const LONGEST_MS: u64 = 320;

/// Waits before each further try, longer each time and with jitter, until it is too late for
/// another one.
pub(super) struct Backoff {
    retries: u32,
    began: Instant,
    request_began: Option<Instant>,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            retries: 0,
            began: Instant::now(),
            request_began: request_began(),
        }
    }
}

impl Backoff {
    /// Waits. False, without a pause, if it is too late.
    pub(super) async fn wait(&mut self) -> bool {
        let age = self.began.elapsed();
        let request_is_old = self
            .request_began
            .is_some_and(|began| began.elapsed() > GIVE_UP);
        if age > GIVE_UP || (request_is_old && age > AT_LEAST) {
            return false;
        }
        self.retries += 1;
        let mut byte = [0];
        let _ = aws_lc_rs::rand::fill(&mut byte);
        let ceiling = LONGEST_MS.min(10 << self.retries.min(10));
        tokio::time::sleep(Duration::from_millis(
            ceiling * (64 + u64::from(byte[0])) / 320,
        ))
        .await;
        true
    }
}

/// Tries of a change that others may make impossible meanwhile: read, change, write on the
/// condition of what was read, and again on what somebody else wrote. The first one is at once.
#[derive(Default)]
pub struct Retries(Option<Backoff>);

impl Retries {
    /// Waits for the next try. Busy, if it is too late for one.
    pub async fn next(&mut self) -> Result<(), TableError> {
        let Some(backoff) = &mut self.0 else {
            self.0 = Some(Backoff::default());
            return Ok(());
        };
        if backoff.wait().await {
            Ok(())
        } else {
            Err(TableError::Busy("it was changed all the time".to_owned()))
        }
    }
}
