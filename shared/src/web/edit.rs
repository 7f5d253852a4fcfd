//! Changing an object that others may change at the same time.

use serde::Serialize;

use super::entity_tag::IfMatch;
use super::error::ApiError;
use crate::db::TableError;
use crate::state::Context;

/// Changes or deletes the newest state of an object (X7): checks `If-Match`, then calls `change`.
/// If somebody else changed the object at the same time, it calls `read` and tries again.
///
/// `show` returns the body that GET would return. `change` gets the object as it was read, and must
/// write under the condition that the object has not changed since. The result of `change` is
/// returned. 404 if the object no longer exists.
pub async fn edit<T, B, O, R, C>(
    app: &Context,
    if_match: &IfMatch,
    mut object: T,
    show: impl Fn(&T) -> B,
    read: impl Fn() -> R,
    change: impl Fn(T) -> C,
) -> Result<O, ApiError>
where
    T: Clone,
    B: Serialize,
    R: Future<Output = Result<Option<T>, TableError>>,
    C: Future<Output = Result<O, ApiError>>,
{
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        if_match.check(|| show(&object))?;
        match change(object.clone()).await {
            Err(ApiError::Changed) => object = read().await?.ok_or(ApiError::NotFound)?,
            done => return done,
        }
    }
}
