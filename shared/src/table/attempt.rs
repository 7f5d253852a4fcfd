//! What became of one attempt of a write. The SDK's own retries are off for writes: they hide that
//! an earlier attempt may have been applied, and without knowing that, a refused condition cannot
//! be told from one's own work.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;

use super::error::describe;
use super::{Item, Refusal, TableError};

/// Why an attempt of a write did not answer that it was applied.
#[derive(Debug)]
pub(super) enum Failure {
    /// A condition did not hold: for each such write its position and the item as it is stored, if
    /// there is one.
    Refused(Vec<(usize, Option<Item>)>),
    /// Surely not applied, and may work in a moment: throttled, in conflict with another
    /// transaction, no connection.
    RetryLater(String),
    /// Perhaps applied: a time-out, a server error, a broken connection or answer.
    Lost(String),
    /// Surely not applied, and never will be.
    Failed(String),
}

/// Errors of the writing operations, as far as refusals are concerned.
pub(super) trait WriteError: ProvideErrorMetadata + std::error::Error + 'static {
    /// The writes whose conditions did not hold, with the items as they are stored; none if that
    /// was not the reason.
    fn refused(&self) -> Option<Vec<(usize, Option<Item>)>>;

    /// Whether a transaction was cancelled for reasons that pass.
    fn passes(&self) -> bool {
        false
    }
}

macro_rules! single {
    ($($error:ident),+) => {$(
        impl WriteError for $error {
            fn refused(&self) -> Option<Vec<(usize, Option<Item>)>> {
                match self {
                    Self::ConditionalCheckFailedException(refused) => Some(vec![(0, refused.item().cloned())]),
                    _ => None,
                }
            }
        }
    )+};
}
single!(DeleteItemError, PutItemError, UpdateItemError);

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

/// Codes that say that nothing was done, and that it may be asked again.
const PASSING: [&str; 5] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TransactionConflictException",
    "RequestThrottled",
];

impl Failure {
    pub(super) fn of<E: WriteError>(error: &SdkError<E, HttpResponse>) -> Self {
        let text = describe(error);
        match error {
            SdkError::ConstructionFailure(_) => Self::Failed(text),
            SdkError::DispatchFailure(failure) => {
                // The SDK tells it in the debug text only; another wording would make it `Lost`,
                // which is safe.
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
            // A time-out, or an answer that cannot be read.
            _ => Self::Lost(text),
        }
    }

    /// The error that is left when nothing more is tried; `lost` says that an earlier attempt may
    /// have been applied.
    pub(super) fn last(self, lost: bool) -> TableError {
        match self {
            Self::Refused(_) => TableError::Refused(Refusal::Changed),
            Self::Lost(why) => TableError::Unknown(why),
            Self::RetryLater(why) | Self::Failed(why) if lost => TableError::Unknown(why),
            Self::RetryLater(why) => TableError::Busy(why),
            Self::Failed(why) => TableError::Failed(why),
        }
    }
}
