//! Why the table did not do what it was asked, and how long to wait before asking again.

use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

/// How often a call that met a conflict is made again: within four seconds, so that a hundred people who do the same to one club at
/// once are served one after the other.
pub(super) const CONFLICT_RETRIES: u32 = 20;

/// Why the table did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A condition did not hold; the positions of the writes of a transaction that it failed for.
    #[error("a condition was refused for {0:?}")]
    Refused(Vec<usize>),
    /// Throttled, or in conflict with other writers for too long: may work later.
    #[error("busy: {0}")]
    Busy(String),
    /// All else.
    #[error("{0}")]
    Failed(String),
}

impl TableError {
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A write of what may be gone already.
pub(super) fn ignore_refusal<T>(result: Result<T, TableError>) -> Result<(), TableError> {
    match result {
        Ok(_) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Why a write failed, as far as retries are concerned.
pub(super) enum WriteError {
    Conflict,
    Table(TableError),
}

pub(super) fn write_error<E, R>(error: SdkError<E, R>) -> WriteError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    match error.code() {
        Some("TransactionConflictException" | "TransactionInProgressException") => WriteError::Conflict,
        Some("ConditionalCheckFailedException") => WriteError::Table(TableError::Refused(vec![0])),
        _ => WriteError::Table(sdk_error(error)),
    }
}

pub(super) fn sdk_error<E, R>(error: SdkError<E, R>) -> TableError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    let text = match &error {
        SdkError::ServiceError(service) => format!("{:?} {:?}", service.err().code(), service.err().message()),
        // Never the answer itself: it holds what people wrote.
        SdkError::TimeoutError(_) => "time-out".to_owned(),
        SdkError::DispatchFailure(failure) => format!("{failure:?}"),
        SdkError::ConstructionFailure(failure) => format!("{failure:?}"),
        _ => "an answer that cannot be read".to_owned(),
    };
    match error.code() {
        Some("ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded") => TableError::Busy(text),
        _ if matches!(error, SdkError::TimeoutError(_)) => TableError::Busy(text),
        _ => TableError::Failed(text),
    }
}

/// Waits longer each time, with jitter, a limited number of times.
#[derive(Default)]
pub(super) struct Backoff(u32);

impl Backoff {
    pub(super) async fn wait(&mut self, what: &str) -> Result<(), TableError> {
        self.0 += 1;
        if self.0 > CONFLICT_RETRIES {
            return Err(TableError::Busy(what.to_owned()));
        }
        let mut byte = [0];
        let _ = aws_lc_rs::rand::fill(&mut byte);
        let ceiling = 10u64 << self.0.min(5);
        tokio::time::sleep(Duration::from_millis(ceiling * (64 + u64::from(byte[0])) / 320)).await;
        Ok(())
    }
}
