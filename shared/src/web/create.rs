//! Storing a new object that an earlier attempt of the same request may have stored already.

use super::Result;
use crate::db::{Refusal, TableError};

/// Returns the object that this request creates (X2): `new` if the write `stored` it. If the write
/// was refused, `read` reads what is in its place. If `is_own` finds that an earlier attempt with
/// the same idempotency key stored it, it is returned as it is now.
///
/// Otherwise `refused` says what the refusal means for the caller, unless it was deleted after the
/// request was received (X17): [`Refusal::Deleted`].
pub async fn create<T, E>(
    new: T,
    stored: Result<(), TableError>,
    read: impl Future<Output = Result<Option<T>, TableError>>,
    is_own: impl FnOnce(&T) -> bool,
    refused: impl FnOnce(Refusal) -> E,
) -> Result<T, E>
where
    E: From<TableError>,
{
    let refusal = match stored {
        Ok(()) => return Ok(new),
        Err(TableError::Refused(refusal)) => refusal,
        Err(error) => return Err(error.into()),
    };
    match read.await? {
        Some(there) if is_own(&there) => Ok(there),
        _ if refusal == Refusal::Deleted => Err(TableError::Refused(refusal).into()),
        _ => Err(refused(refusal)),
    }
}
