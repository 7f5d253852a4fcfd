//! Errors of the table, and how long to wait before a retry.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use tokio::time::Instant;

use crate::db::Table;
use crate::db::request::Request;
use crate::files::FileError;
use crate::limits;

/// What a failed condition means. Each write has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The object was changed or deleted after it was read. Read it again.
    Changed,
    /// The object already exists.
    Exists,
    /// The person has it already, or had it and lost it after the request was received.
    AlreadyThere,
    /// The same for a member of a club.
    AlreadyMember,
    /// It was deleted after the request was received.
    Deleted,
    /// The club would have no owner.
    LastOwner,
    /// The person who acts, or who sent the invitation, no longer has the required role.
    Authority,
    /// The person is being erased.
    Erased,
    /// The applicant was erased, and what remains of the submission does not change any more.
    ApplicantErased,
    /// A person or a club has reached the maximum number.
    Quota,
    /// The club has reached a limit of 24 hours.
    Daily,
    /// Something that the object refers to was deleted.
    ReferenceDeleted,
    /// Something else refers to the object.
    InUse,
    /// A mail is out of date: something newer replaces it.
    Superseded,
}

/// Why an operation on the table failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TableError {
    /// A condition failed. Contains what that means.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Throttled, or in conflict with other writers for too long. Nothing was stored. A retry may
    /// succeed later.
    #[error("busy: {0}")]
    Busy(String),
    /// It is unknown whether a write was stored: the response was lost, and retries did not clarify
    /// it.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// The bucket of files cannot be reached. Nothing was stored.
    #[error("{0}")]
    Files(String),
    /// The requested data is more than one request may keep in memory.
    #[error("too much data for one request")]
    TooMuch,
    /// Any other error.
    #[error("{0}")]
    Failed(String),
}

impl TableError {
    pub(crate) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Converts the error of a later step. `Busy` would mean that nothing was stored, but earlier
    /// steps are already stored.
    #[must_use]
    pub fn after_write(self) -> Self {
        match self {
            Self::Busy(why) | Self::Files(why) => Self::Unknown(why),
            other => other,
        }
    }
}

/// Nothing was stored. A retry may succeed later.
impl From<FileError> for TableError {
    fn from(error: FileError) -> Self {
        Self::Files(error.to_string())
    }
}

/// Ignores a refusal: for writes to items that may no longer exist.
pub(crate) fn ignore_refusal<T>(result: Result<T, TableError>) -> Result<(), TableError> {
    match result {
        Ok(_) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Describes an SDK error for the log. It never contains the response itself, because that contains
/// users' texts.
pub(crate) fn describe<E, R>(error: &SdkError<E, R>) -> String
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
        _ => "a response that cannot be read".to_owned(),
    }
}

/// Error codes that mean that nothing was written and that a retry is allowed.
pub(super) const PASSING: [&str; 5] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TransactionConflictException",
    "RequestThrottled",
];

/// Converts an error of a read. The SDK has already retried it several times.
pub(crate) fn read_error<E, R>(error: SdkError<E, R>) -> TableError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    let text = describe(&error);
    let passes = error.code().is_some_and(|code| PASSING.contains(&code));
    if passes || matches!(error, SdkError::TimeoutError(_)) {
        TableError::Busy(text)
    } else {
        TableError::Failed(text)
    }
}

/// Maximum time for the retries of one operation. Also, when the request is older than this, an
/// operation retries only for a short time. Functions have at least 12 seconds, and the last
/// attempt needs some of it.
const GIVE_UP: Duration = Duration::from_secs(6);
/// Minimum time for the retries of an operation that starts late in a request.
const AT_LEAST: Duration = Duration::from_millis(500);
/// The longest pause between two attempts, in milliseconds.
const LONGEST_MS: u64 = 320;

/// Waits before each retry. The pauses grow and have jitter. Stops when it is too late for another
/// attempt.
pub(crate) struct Backoff {
    retries: u32,
    began: Instant,
    request: Arc<Request>,
}

impl Backoff {
    /// Waits for the next retry. Returns false, without a pause, if it is too late.
    pub(crate) async fn wait(&mut self) -> bool {
        let age = self.began.elapsed();
        if age > GIVE_UP || (self.request.age() > GIVE_UP && age > AT_LEAST) {
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

/// Retries of a change that may conflict with other writers: read, change, and write on the
/// condition that the item is still as it was read. If somebody else changed it, read again. The
/// first attempt has no pause.
pub struct Retries {
    backoff: Backoff,
    is_first: bool,
}

impl Retries {
    /// Waits for the next attempt. Returns [`TableError::Busy`] if it is too late.
    pub async fn next(&mut self) -> Result<(), TableError> {
        if std::mem::take(&mut self.is_first) || self.backoff.wait().await {
            Ok(())
        } else {
            Err(TableError::Busy("too many conflicting changes".to_owned()))
        }
    }
}

impl Table {
    pub(crate) fn backoff(&self) -> Backoff {
        Backoff {
            retries: 0,
            began: Instant::now(),
            request: self.request.clone(),
        }
    }

    /// Returns the retries of a change.
    pub fn retries(&self) -> Retries {
        Retries {
            backoff: self.backoff(),
            is_first: true,
        }
    }
}

/// Fails if more than the memory limit is held, in bytes.
pub(crate) fn check_memory_budget(memory_used: usize) -> Result<(), TableError> {
    if memory_used > limits::MEMORY_BUDGET_BYTES {
        return Err(TableError::TooMuch);
    }
    Ok(())
}
