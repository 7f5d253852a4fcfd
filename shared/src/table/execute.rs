//! Writes: one, several that must agree, and batches of what nobody else touches.
//!
//! A write whose answer was lost is repeated, and may find its own work: then it is answered as if
//! it had been done now (X8, X10). What stays unclear is [`TableError::Unknown`].

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{Builder, Config};
use aws_sdk_dynamodb::types::{
    DeleteRequest, PutRequest, ReturnConsumedCapacity, ReturnValue, WriteRequest,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::attempt::Failure;
use super::error::{Backoff, read_error};
use super::usage::{count_call, count_write, request_age};
use super::write::{Write, WriteKind, with_conditions};
use super::{Entity, Item, Key, Refusal, Table, TableError, keys, to_item};

/// Items of one batch.
const BATCH: usize = 25;

/// What became of a write of one item.
#[derive(Debug)]
pub(super) enum WriteResult {
    /// It was applied. Updates and deletes tell the item as it was before.
    Now(Option<Item>),
    /// An attempt whose answer was lost had been applied. The item as it is stored.
    Before(Option<Item>),
    /// Its condition did not hold. The item as it is stored.
    Refused(Option<Item>),
}

/// No batch is begun later than this in a request: the function has to answer in time.
const BATCHES_WITHIN: Duration = Duration::from_secs(7);

/// Writes are repeated here, where it is known what may have been applied.
fn once() -> Builder {
    Config::builder().retry_config(RetryConfig::disabled())
}

impl Table {
    /// Does one write. Answers the item as it was before, for updates and deletes.
    pub(super) async fn write(&self, write: Write) -> Result<Option<Item>, TableError> {
        let refusal = write.refusal();
        match self.try_write(write).await? {
            WriteResult::Now(before) => Ok(before),
            WriteResult::Before(_) => Ok(None),
            WriteResult::Refused(_) => Err(TableError::Refused(refusal)),
        }
    }

    /// Does one write, and tells whether its condition held.
    pub(super) async fn try_write(&self, write: Write) -> Result<WriteResult, TableError> {
        let (mut pause, mut lost) = (Backoff::default(), false);
        loop {
            let failure = match self.write_once(write.clone()).await {
                Ok(before) => return Ok(WriteResult::Now(before)),
                Err(Failure::Refused(mut refused)) => {
                    let stored = refused.pop().and_then(|(_, item)| item);
                    let own = lost && write.is_done_in(stored.as_ref());
                    return Ok(if own {
                        WriteResult::Before(stored)
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
        count_call();
        let e = write.expressions();
        let (old, capacity) = match write.kind {
            WriteKind::Put(item) => {
                let output = with_conditions!(
                    self.client
                        .put_item()
                        .table_name(&self.name)
                        .set_item(Some(item)),
                    e
                )
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .customize()
                .config_override(once())
                .send()
                .await
                .map_err(|error| Failure::of(&error))?;
                (None, output.consumed_capacity)
            }
            WriteKind::Update(key) => {
                let output = with_conditions!(
                    self.client
                        .update_item()
                        .table_name(&self.name)
                        .set_key(Some(key.into_item()))
                        .update_expression(e.update),
                    e
                )
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
                let output = with_conditions!(
                    self.client
                        .delete_item()
                        .table_name(&self.name)
                        .set_key(Some(key.into_item())),
                    e
                )
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
                    "a check goes into a transaction".to_owned(),
                ));
            }
        };
        count_write(capacity.as_slice());
        // An engine may answer the bare key of an item that was not there.
        Ok(old.filter(|item| item.contains_key(keys::TYPE)))
    }

    /// Does all the writes or none, at most 100. A refusal is that of the first write whose condition
    /// did not hold. Repeats have one client token as long as an
    /// attempt may have been applied, so that DynamoDB itself finds what was done; ten minutes
    /// later, and on engines without tokens, the items tell.
    pub(super) async fn transact(&self, writes: Vec<Write>) -> Result<(), TableError> {
        let items: Vec<_> = writes
            .iter()
            .cloned()
            .map(|write| write.into_transact(&self.name))
            .collect::<Result<_, _>>()?;
        let (mut pause, mut lost) = (Backoff::default(), false);
        let mut token = client_token();
        loop {
            count_call();
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
                    count_write(output.consumed_capacity());
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

    /// Removes items, 25 a call, calls side by side. Not atomic: for what nobody can see any more.
    pub(super) async fn delete_many(&self, keys: Vec<Key>) -> Result<(), TableError> {
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

    /// Puts entities as they are, 25 a call, calls side by side: for loading data into a table that
    /// nobody else writes.
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

    async fn batch_write(&self, requests: Vec<WriteRequest>) -> Result<(), TableError> {
        let chunks: Vec<Vec<WriteRequest>> = requests
            .chunks(BATCH)
            .map(<[WriteRequest]>::to_vec)
            .collect();
        stream::iter(chunks)
            .map(async |chunk| {
                if request_age() > BATCHES_WITHIN {
                    // Asked again, it goes on where it ended.
                    return Err(TableError::Unknown("not done in time".to_owned()));
                }
                let mut open = chunk;
                let mut pause = Backoff::default();
                while !open.is_empty() {
                    count_call();
                    let output = self
                        .client
                        .batch_write_item()
                        .request_items(&self.name, open)
                        .return_consumed_capacity(ReturnConsumedCapacity::Total)
                        .send()
                        .await
                        .map_err(|error| read_error(error).after_write())?;
                    count_write(output.consumed_capacity());
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

/// What the first write means whose condition did not hold.
fn first_refusal(writes: &[Write], refused: &[(usize, Option<Item>)]) -> Refusal {
    let first = refused.iter().map(|(position, _)| *position).min();
    first
        .and_then(|position| writes.get(position))
        .map_or(Refusal::Changed, Write::refusal)
}

/// Whether a transaction was refused because an earlier attempt of it was applied. Its new items
/// tell: each of them is there as this transaction writes it. Where it makes none, only the client
/// token can tell.
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

/// What makes repeats of one transaction one: 128 random bits.
fn client_token() -> String {
    let mut bytes = [0; 16];
    // Without random numbers there is no TLS either.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    format!("{:032x}", u128::from_be_bytes(bytes))
}
