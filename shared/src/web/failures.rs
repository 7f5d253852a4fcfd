//! What failures of the table, of the bucket and of tokens mean for the caller.

use super::error::{ApiError, Code, applicant_erased};
use crate::auth::TokenError;
use crate::db::{Refusal, TableError};
use crate::files::FileError;
use crate::reason::Reason;

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        TableError::from(error).into()
    }
}

impl From<TableError> for ApiError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Busy(why) => {
                tracing::warn!(why, "the table is busy");
                Self::Busy
            }
            TableError::Files(why) => Self::FilesUnavailable(why),
            TableError::Unknown(why) => Self::OutcomeUnknown(why),
            TableError::Refused(Refusal::Changed) => Self::Changed,
            TableError::Refused(Refusal::Deleted) => Self::NotFound,
            TableError::Refused(Refusal::Authority) => Self::Forbidden,
            TableError::Refused(Refusal::Erased) => Self::Erasing,
            TableError::Refused(Refusal::ApplicantErased) => applicant_erased(),
            TableError::Refused(Refusal::LastOwner) => {
                Self::rule(Reason::LastOwner).coded(Code::LastOwner)
            }
            TableError::TooMuch => Self::rule(Reason::LargeResponse {
                how: "in parts with the parameters `limit` and `cursor`",
            }),
            // Where a failed condition has a special meaning, the code that writes has already
            // mapped it.
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
