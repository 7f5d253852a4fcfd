//! Writes: one, several that must agree, and batches of what nobody else touches.

use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, ReturnConsumedCapacity, ReturnValue, WriteRequest};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::error::{Backoff, WriteError, sdk_error, write_error};
use super::usage::{count_call, count_write};
use super::write::{Kind, Write, with_conditions};
use super::{Entity, Item, Key, Table, TableError, keys, to_item};

/// Items of one batch.
const BATCH: usize = 25;

impl Table {
    /// Does one write. Answers the item as it was before, for updates and deletes.
    pub(super) async fn write(&self, write: Write) -> Result<Option<Item>, TableError> {
        let mut pause = Backoff::default();
        loop {
            match self.write_once(write.clone()).await {
                Err(WriteError::Conflict) => pause.wait("a conflicting transaction").await?,
                Err(WriteError::Table(error)) => return Err(error),
                Ok(old) => return Ok(old),
            }
        }
    }

    async fn write_once(&self, write: Write) -> Result<Option<Item>, WriteError> {
        count_call();
        let e = write.expressions();
        let (old, capacity) = match write.kind {
            Kind::Put(item) => {
                let output = with_conditions!(self.client.put_item().table_name(&self.name).set_item(Some(item)), e)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(write_error)?;
                (None, output.consumed_capacity)
            }
            Kind::Update(key) => {
                let output = with_conditions!(
                    self.client.update_item().table_name(&self.name).set_key(Some(key.into_item())).update_expression(e.update),
                    e
                )
                .return_values(ReturnValue::AllOld)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await
                .map_err(write_error)?;
                (output.attributes, output.consumed_capacity)
            }
            Kind::Delete(key) => {
                let output = with_conditions!(self.client.delete_item().table_name(&self.name).set_key(Some(key.into_item())), e)
                    .return_values(ReturnValue::AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(write_error)?;
                (output.attributes, output.consumed_capacity)
            }
            Kind::Check(_) => return Err(WriteError::Table(TableError::failed("a check goes into a transaction"))),
        };
        count_write(capacity.as_slice());
        // An engine may answer the bare key of an item that was not there.
        Ok(old.filter(|item| item.contains_key(keys::TYPE)))
    }

    /// Does all the writes or none, at most 100. Conflicts, which the SDK does not retry, are retried with jitter.
    pub(super) async fn transact(&self, writes: Vec<Write>) -> Result<(), TableError> {
        let items: Vec<_> = writes.into_iter().map(|write| write.into_transact(&self.name)).collect::<Result<_, _>>()?;
        let mut pause = Backoff::default();
        let mut token = client_token();
        loop {
            count_call();
            let sent = self
                .client
                .transact_write_items()
                .client_request_token(&token)
                .set_transact_items(Some(items.clone()))
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await;
            let error = match sent {
                Ok(output) => {
                    count_write(output.consumed_capacity());
                    return Ok(());
                }
                Err(error) => error,
            };
            let reasons = error.as_service_error().and_then(|e| match e {
                aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(canceled) => {
                    Some(canceled.cancellation_reasons().iter().map(|r| r.code().unwrap_or_default().to_owned()).collect::<Vec<_>>())
                }
                _ => None,
            });
            let Some(reasons) = reasons else {
                // An attempt whose answer did not come may still be at work: the same token finds out what became of it.
                if error.code() != Some("TransactionInProgressException") {
                    token = client_token();
                }
                match write_error(error) {
                    WriteError::Conflict => pause.wait("a conflicting transaction").await?,
                    WriteError::Table(error) => return Err(error),
                }
                continue;
            };
            let refused: Vec<usize> =
                reasons.iter().enumerate().filter(|(_, code)| *code == "ConditionalCheckFailed").map(|(i, _)| i).collect();
            if !refused.is_empty() {
                return Err(TableError::Refused(refused));
            }
            if reasons.iter().any(|code| code == "TransactionConflict" || code.contains("Thrott") || code.contains("Throughput")) {
                token = client_token();
                pause.wait("a conflicting transaction").await?;
            } else {
                return Err(TableError::Failed(format!("transaction cancelled: {reasons:?}")));
            }
        }
    }

    /// Does all the writes or none, each with the reason that its refusal is: the first refused one's is answered.
    pub(super) async fn transact_for<R>(&self, writes: Vec<(Write, R)>) -> Result<Result<(), R>, TableError> {
        let (writes, reasons): (Vec<Write>, Vec<R>) = writes.into_iter().unzip();
        match self.transact(writes).await {
            Ok(()) => Ok(Ok(())),
            Err(TableError::Refused(which)) => {
                let reason = reasons.into_iter().enumerate().find(|(i, _)| which.contains(i)).map(|(_, reason)| reason);
                reason.map(Err).ok_or_else(|| TableError::failed("a refusal of no write"))
            }
            Err(error) => Err(error),
        }
    }

    /// Removes items, 25 a call, calls side by side. Not atomic: for what nobody can see any more.
    pub(super) async fn delete_many(&self, keys: Vec<Key>) -> Result<(), TableError> {
        let requests = keys.into_iter().map(|key| {
            let delete = DeleteRequest::builder().set_key(Some(key.into_item())).build();
            delete.map(|delete| WriteRequest::builder().delete_request(delete).build()).map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }

    /// Puts entities as they are, 25 a call, calls side by side: for loading data into a table that nobody else writes.
    pub async fn load<E: Entity>(&self, entities: &[E]) -> Result<(), TableError> {
        let requests = entities.iter().map(|entity| {
            let put = PutRequest::builder().set_item(Some(to_item(entity)?)).build();
            put.map(|put| WriteRequest::builder().put_request(put).build()).map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }

    async fn batch_write(&self, requests: Vec<WriteRequest>) -> Result<(), TableError> {
        let chunks: Vec<Vec<WriteRequest>> = requests.chunks(BATCH).map(<[WriteRequest]>::to_vec).collect();
        stream::iter(chunks)
            .map(async |chunk| {
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
                        .map_err(sdk_error)?;
                    count_write(output.consumed_capacity());
                    open = output.unprocessed_items.unwrap_or_default().remove(&self.name).unwrap_or_default();
                    if !open.is_empty() {
                        pause.wait("unprocessed items").await?;
                    }
                }
                Ok(())
            })
            .buffer_unordered(8)
            .try_collect()
            .await
    }
}

/// What makes repeats of one transaction one: 128 random bits.
fn client_token() -> String {
    let mut bytes = [0; 16];
    // Without random numbers there is no TLS either.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    format!("{:032x}", u128::from_be_bytes(bytes))
}
