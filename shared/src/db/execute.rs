//! Sends writes: one item, a transaction, or batches of items that nobody else changes.
//!
//! If the response of a write was lost, the write is repeated. The repeated write may find that the
//! first attempt was applied. This counts as success (X8, X10). If it stays unclear whether a write
//! was applied, the error is [`TableError::Unknown`].

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{Builder, Config};
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure::AllOld;
use aws_sdk_dynamodb::types::{
    DeleteRequest, PutRequest, ReturnConsumedCapacity, ReturnValue, WriteRequest,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::db::attempt::Failure;
use crate::db::error::{Refusal, TableError, read_error};
use crate::db::keys::Key;
use crate::db::write::{Write, WriteKind};
use crate::db::{Entity, Item, Table, keys, to_item};

/// Maximum items in one batch write (a DynamoDB limit).
const MAX_BATCH_WRITES: usize = 25;

/// The result of a write of one item.
#[derive(Debug)]
pub(crate) enum WriteResult {
    /// The write was applied. For updates and deletes: the item as it was before.
    Now(Option<Item>),
    /// An earlier attempt, whose response was lost, was applied. Contains the item as it is stored.
    Before,
    /// The condition failed. Contains the item as it is stored.
    Refused(Option<Item>),
}

/// No batch starts after this time since the request began, because the function must respond in
/// time.
const BATCHES_WITHIN: Duration = Duration::from_secs(7);

/// Turns off the retries of the SDK. Writes are retried in this file, because only this file knows
/// whether an attempt may have been applied.
fn once() -> Builder {
    Config::builder().retry_config(RetryConfig::disabled())
}

/// Maximum writes of one transaction (a DynamoDB limit).
pub(crate) const MOST_WRITES: usize = 100;

impl Table {
    /// Does one write. For updates and deletes, returns the item as it was before.
    ///
    /// Returns `None` if an earlier attempt, whose response was lost, was applied.
    pub(crate) async fn write(&self, write: Write) -> Result<Option<Item>, TableError> {
        let refused = write.clone();
        match self.try_write(write).await? {
            WriteResult::Now(before) => Ok(before),
            WriteResult::Before => Ok(None),
            WriteResult::Refused(stored) => {
                Err(TableError::Refused(refused.refusal_by(stored.as_ref())))
            }
        }
    }

    /// Does one write and returns whether its condition held.
    pub(crate) async fn try_write(&self, write: Write) -> Result<WriteResult, TableError> {
        let write = write.of(&self.request)?;
        let (mut pause, mut lost) = (self.backoff(), false);
        loop {
            let failure = match self.write_once(write.clone()).await {
                Ok(before) => {
                    self.request.count_mails(write.mails);
                    return Ok(WriteResult::Now(before));
                }
                Err(Failure::Refused(mut refused)) => {
                    let stored = refused.pop().and_then(|(_, item)| item);
                    let own = lost && write.is_done_in(stored.as_ref());
                    return Ok(if own {
                        WriteResult::Before
                    } else {
                        WriteResult::Refused(stored)
                    });
                }
                Err(failure @ Failure::Failed(_)) => return Err(failure.last(lost)),
                Err(failure) => failure,
            };
            lost |= matches!(failure, Failure::Lost(_));
            if !pause.wait().await {
                return Err(failure.last(lost));
            }
        }
    }

    async fn write_once(&self, write: Write) -> Result<Option<Item>, Failure> {
        self.request.count_call();
        let e = write.expressions();
        let (old, capacity) = match write.kind {
            WriteKind::Put(item) => {
                let output = self
                    .client
                    .put_item()
                    .table_name(&self.name)
                    .set_item(Some(item))
                    .set_condition_expression(e.condition)
                    .set_expression_attribute_names(e.names)
                    .set_expression_attribute_values(e.values)
                    .return_values_on_condition_check_failure(AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .customize()
                    .config_override(once())
                    .send()
                    .await
                    .map_err(|error| Failure::of(&error))?;
                (None, output.consumed_capacity)
            }
            WriteKind::Update(key) => {
                let output = self
                    .client
                    .update_item()
                    .table_name(&self.name)
                    .set_key(Some(key.into_item()))
                    .update_expression(e.update)
                    .set_condition_expression(e.condition)
                    .set_expression_attribute_names(e.names)
                    .set_expression_attribute_values(e.values)
                    .return_values_on_condition_check_failure(AllOld)
                    .return_values(ReturnValue::AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .customize()
                    .config_override(once())
                    .send()
                    .await
                    .map_err(|error| Failure::of(&error))?;
                (output.attributes, output.consumed_capacity)
            }
            WriteKind::Delete(key) => {
                let output = self
                    .client
                    .delete_item()
                    .table_name(&self.name)
                    .set_key(Some(key.into_item()))
                    .set_condition_expression(e.condition)
                    .set_expression_attribute_names(e.names)
                    .set_expression_attribute_values(e.values)
                    .return_values_on_condition_check_failure(AllOld)
                    .return_values(ReturnValue::AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .customize()
                    .config_override(once())
                    .send()
                    .await
                    .map_err(|error| Failure::of(&error))?;
                (output.attributes, output.consumed_capacity)
            }
            WriteKind::Check(_) => {
                return Err(Failure::Failed(
                    "a condition check is only allowed in a transaction".to_owned(),
                ));
            }
        };
        self.request.count_write(capacity.as_slice());
        // Some DynamoDB engines return only the key if the item did not exist before.
        Ok(old.filter(|item| item.contains_key(keys::TYPE)))
    }

    /// Does all writes or none, at most [`MOST_WRITES`]. If conditions fail, the refusal is that of
    /// the first write whose condition failed.
    ///
    /// Once an attempt may have been applied, all retries use the same client token. DynamoDB then
    /// recognises an attempt that was applied. After ten minutes, and on engines without tokens,
    /// the stored items show whether it was applied.
    pub(crate) async fn transact(&self, writes: Vec<Write>) -> Result<(), TableError> {
        let writes = writes.into_iter().map(|write| write.of(&self.request));
        let writes: Vec<Write> = writes.collect::<Result<_, _>>()?;
        let items: Vec<_> = writes
            .iter()
            .cloned()
            .map(|write| write.into_transact(&self.name))
            .collect::<Result<_, _>>()?;
        let (mut pause, mut lost) = (self.backoff(), false);
        let mut token = client_token();
        loop {
            self.request.count_call();
            let sent = self
                .client
                .transact_write_items()
                .client_request_token(&token)
                .set_transact_items(Some(items.clone()))
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .customize()
                .config_override(once())
                .send()
                .await;
            let failure = match sent {
                Ok(output) => {
                    self.request.count_write(output.consumed_capacity());
                    self.request
                        .count_mails(writes.iter().map(|write| write.mails).sum());
                    return Ok(());
                }
                Err(error) => Failure::of(&error),
            };
            match failure {
                Failure::Refused(refused) => {
                    if lost && is_own_work(&writes, &refused) {
                        return Ok(());
                    }
                    return Err(TableError::Refused(first_refusal(&writes, &refused)));
                }
                Failure::Failed(_) => return Err(failure.last(lost)),
                Failure::RetryLater(_) if !lost => token = client_token(),
                Failure::RetryLater(_) | Failure::Lost(_) => {}
            }
            lost |= matches!(failure, Failure::Lost(_));
            if !pause.wait().await {
                return Err(failure.last(lost));
            }
        }
    }

    /// Deletes items, 25 per call, calls in parallel. Not atomic: only for items that are no longer
    /// visible to anybody.
    pub(crate) async fn delete_many(&self, keys: Vec<Key>) -> Result<(), TableError> {
        let requests = keys.into_iter().map(|key| {
            let delete = DeleteRequest::builder()
                .set_key(Some(key.into_item()))
                .build();
            delete
                .map(|delete| WriteRequest::builder().delete_request(delete).build())
                .map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }

    /// Stores entities as they are, 25 per call, calls in parallel. Only for loading data into a
    /// table that has no other writers.
    pub async fn load<E: Entity>(&self, entities: &[E]) -> Result<(), TableError> {
        let requests = entities.iter().map(|entity| {
            let put = PutRequest::builder()
                .set_item(Some(to_item(entity)?))
                .build();
            put.map(|put| WriteRequest::builder().put_request(put).build())
                .map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }

    pub(crate) async fn batch_write(&self, requests: Vec<WriteRequest>) -> Result<(), TableError> {
        let chunks: Vec<Vec<WriteRequest>> = requests
            .chunks(MAX_BATCH_WRITES)
            .map(<[WriteRequest]>::to_vec)
            .collect();
        stream::iter(chunks)
            .map(async |chunk| {
                if self.request_age() > BATCHES_WITHIN {
                    // If the request is sent again, it continues from here.
                    return Err(TableError::Unknown("not finished in time".to_owned()));
                }
                let mut open = chunk;
                let mut pause = self.backoff();
                while !open.is_empty() {
                    self.request.count_call();
                    let output = self
                        .client
                        .batch_write_item()
                        .request_items(&self.name, open)
                        .return_consumed_capacity(ReturnConsumedCapacity::Total)
                        .send()
                        .await
                        .map_err(|error| read_error(error).after_write())?;
                    self.request.count_write(output.consumed_capacity());
                    open = output
                        .unprocessed_items
                        .unwrap_or_default()
                        .remove(&self.name)
                        .unwrap_or_default();
                    if !open.is_empty() && !pause.wait().await {
                        return Err(TableError::Unknown("unprocessed items".to_owned()));
                    }
                }
                Ok(())
            })
            .buffer_unordered(8)
            .try_collect()
            .await
    }
}

/// Returns the refusal of the first write whose condition failed.
fn first_refusal(writes: &[Write], refused: &[(usize, Option<Item>)]) -> Refusal {
    let first = refused.iter().min_by_key(|(position, _)| *position);
    let first = first.and_then(|(position, stored)| Some((writes.get(*position)?, stored)));
    first.map_or(Refusal::Changed, |(write, stored)| {
        write.refusal_by(stored.as_ref())
    })
}

/// Returns whether a transaction was refused because an earlier attempt of it was applied.
///
/// The new items show this: each of them is stored exactly as this transaction writes it. If the
/// transaction creates no items, only the client token can show it.
fn is_own_work(writes: &[Write], refused: &[(usize, Option<Item>)]) -> bool {
    let mut new = writes
        .iter()
        .enumerate()
        .filter(|(_, write)| write.is_conditional_put())
        .peekable();
    let is_refused = |n: usize| refused.iter().any(|(position, _)| *position == n);
    let is_done = |(n, stored): &(usize, Option<Item>)| {
        writes
            .get(*n)
            .is_some_and(|write| write.is_done_in(stored.as_ref()))
    };
    new.peek().is_some() && new.all(|(n, _)| is_refused(n)) && refused.iter().all(is_done)
}

/// Returns 128 random bits in hexadecimal. All retries with the same token are one transaction.
pub(crate) fn client_token() -> String {
    let mut bytes = [0; 16];
    // If random numbers fail, TLS does not work either, so nothing could be sent.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    format!("{:032x}", u128::from_be_bytes(bytes))
}
