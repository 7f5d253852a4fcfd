//! The result of one attempt of a write.
//!
//! The SDK's own retries are off for writes. They hide that an earlier attempt may have been
//! applied. Without this information, we could not know whether a condition failed because of our
//! own earlier attempt.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::error::ConditionalCheckFailedException;

use crate::db::Item;
use crate::db::error::{PASSING, Refusal, TableError, describe};

/// Why an attempt of a write did not report success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A condition failed. Contains, for each such write, its position and the stored item, if
    /// there is one.
    Refused(Vec<(usize, Option<Item>)>),
    /// Certainly not applied, and a retry may succeed soon: throttling, a conflict with another
    /// transaction, or no connection.
    RetryLater(String),
    /// Perhaps applied: a time-out, a server error, a broken connection or an unreadable response.
    Lost(String),
    /// Certainly not applied, and a retry would fail too.
    Failed(String),
}

/// Errors of write operations. Finds out which conditions failed.
pub(crate) trait WriteError: ProvideErrorMetadata + std::error::Error + 'static {
    /// Returns the writes whose conditions failed, with the stored items. `None` if the error has
    /// another cause.
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>>;

    /// Returns whether a transaction was cancelled for temporary reasons.
    fn passes(&self) -> bool {
        false
    }
}

/// The one write of a call that is no transaction.
fn only(refused: &ConditionalCheckFailedException) -> Vec<(usize, Option<Item>)> {
    vec![(0, refused.item().cloned())]
}

impl WriteError for DeleteItemError {
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>> {
        match self {
            Self::ConditionalCheckFailedException(refused) => Some(only(refused)),
            _ => None,
        }
    }
}

impl WriteError for PutItemError {
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>> {
        match self {
            Self::ConditionalCheckFailedException(refused) => Some(only(refused)),
            _ => None,
        }
    }
}

impl WriteError for UpdateItemError {
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>> {
        match self {
            Self::ConditionalCheckFailedException(refused) => Some(only(refused)),
            _ => None,
        }
    }
}

impl WriteError for TransactWriteItemsError {
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>> {
        let Self::TransactionCanceledException(cancelled) = self else {
            return None;
        };
        let reasons = cancelled.cancellation_reasons().iter().enumerate();
        let refused: Vec<_> = reasons
            .filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))
            .map(|(n, reason)| (n, reason.item().filter(|item| !item.is_empty()).cloned()))
            .collect();
        (!refused.is_empty()).then_some(refused)
    }

    fn passes(&self) -> bool {
        let Self::TransactionCanceledException(cancelled) = self else {
            return false;
        };
        let passing = |code: &str| {
            code == "TransactionConflict" || code.contains("Thrott") || code.contains("Throughput")
        };
        cancelled
            .cancellation_reasons()
            .iter()
            .filter_map(|reason| reason.code())
            .any(passing)
    }
}

impl Failure {
    pub(crate) fn of<E: WriteError>(error: &SdkError<E, HttpResponse>) -> Self {
        let text = describe(error);
        match error {
            SdkError::ConstructionFailure(_) => Self::Failed(text),
            SdkError::DispatchFailure(failure) => {
                // The SDK shows this only in its debug text. If that text changes, the result is
                // `Lost`, which is also safe.
                let debug = format!("{failure:?}");
                let never = debug.contains("NeverConnected") || debug.contains("HTTP connect");
                if never {
                    Self::RetryLater("no connection".to_owned())
                } else {
                    Self::Lost(text)
                }
            }
            SdkError::ServiceError(service) => {
                let code = service.err().code().unwrap_or_default();
                if let Some(refused) = service.err().refused() {
                    Self::Refused(refused)
                } else if PASSING.contains(&code) || service.err().passes() {
                    Self::RetryLater(text)
                } else if code == "TransactionInProgressException"
                    || service.raw().status().as_u16() >= 500
                {
                    Self::Lost(text)
                } else {
                    Self::Failed(text)
                }
            }
            // A time-out, or a response that cannot be read.
            _ => Self::Lost(text),
        }
    }

    /// Returns the final error when there are no more retries. `lost` means that an earlier attempt
    /// may have been applied.
    pub(crate) fn last(self, lost: bool) -> TableError {
        match self {
            Self::Refused(_) => TableError::Refused(Refusal::Changed),
            Self::Lost(why) => TableError::Unknown(why),
            Self::RetryLater(why) | Self::Failed(why) if lost => TableError::Unknown(why),
            Self::RetryLater(why) => TableError::Busy(why),
            Self::Failed(why) => TableError::Failed(why),
        }
    }
}
