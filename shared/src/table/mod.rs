//! The table: typed reads and writes. One file an entity, one method an access pattern; handlers never see an
//! attribute value, and there is no scan (design.md §3).

mod applications;
mod clubs;
mod extensions;
mod invites;
pub mod keys;
mod members;
mod outbox;
mod people;
mod submissions;
pub mod usage;
mod write;

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, PutRequest, ReturnConsumedCapacity, ReturnValue, WriteRequest};
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::{Serialize, de::DeserializeOwned};

pub use keys::Key;
use usage::{count_call, count_read, count_write};
pub use write::Write;
use write::{Expressions, Kind};

pub use applications::{ApplicationParts, Form};
pub use outbox::Queueing;
pub use submissions::{Newest, Verdict};

type Item = HashMap<String, AttributeValue>;

/// Calls that run side by side for one request.
pub const PARALLEL: usize = 64;
/// How often a change is tried again on what somebody else changed meanwhile.
pub const EDITS: usize = 32;
const CONFLICT_RETRIES: u32 = 8;
const BATCH_READ: usize = 100;
const BATCH_WRITE: usize = 25;

/// Something stored: what it is called and where it stands.
pub trait Entity: Serialize + DeserializeOwned {
    /// The value of the `type` attribute.
    const TYPE: &'static str;

    /// Its primary key.
    fn key(&self) -> Key;

    /// Its key in the index `gsi1`, if it stands there.
    fn index_key(&self) -> Option<Key> {
        None
    }

    /// When the table may remove it, in seconds since 1970.
    fn expires(&self) -> Option<i64> {
        None
    }
}

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
    fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The DynamoDB table of a deployment.
#[derive(Debug, Clone)]
pub struct Table {
    client: Client,
    name: String,
}

/// What a batch of reads found.
#[derive(Debug, Default)]
pub struct Found(HashMap<Key, Item>);

impl Found {
    /// The entity at `key`, if there is one.
    pub fn take<E: Entity>(&mut self, key: &Key) -> Result<Option<E>, TableError> {
        self.0.remove(key).map(from_item).transpose()
    }
}

#[derive(Debug, Clone)]
enum Range {
    All,
    Prefix(String),
    Between(String, String),
}

fn to_item<E: Entity>(entity: &E) -> Result<Item, TableError> {
    let mut item: Item = serde_dynamo::to_item(entity).map_err(TableError::failed)?;
    item.extend(entity.key().into_item());
    item.insert(keys::TYPE.into(), AttributeValue::S(E::TYPE.into()));
    if let Some(key) = entity.index_key() {
        item.extend(key.into_index_item());
    }
    if let Some(at) = entity.expires() {
        item.insert(keys::TTL.into(), AttributeValue::N(at.to_string()));
    }
    Ok(item)
}

fn from_item<E: Entity>(item: Item) -> Result<E, TableError> {
    serde_dynamo::from_item(item).map_err(|error| TableError::failed(format!("{}: {error}", E::TYPE)))
}

fn type_of(item: &Item) -> &str {
    item.get(keys::TYPE).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

impl Table {
    /// The table `name`, reached through `client`.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self { client, name: name.into() }
    }

    /// The table `name`, with a client of this configuration.
    pub fn connect(config: &aws_config::SdkConfig, name: impl Into<String>) -> Self {
        Self::new(Client::new(config), name)
    }

    /// Opens the connection, so that the first request does not pay for it. Failures show in the first request.
    pub async fn warm_up(&self) {
        let _ = self.read(keys::warm_up()).await;
    }

    async fn read(&self, key: Key) -> Result<Option<Item>, TableError> {
        count_call();
        let output = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.into_item()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await
            .map_err(sdk_error)?;
        count_read(output.consumed_capacity.as_slice());
        Ok(output.item)
    }

    async fn get<E: Entity>(&self, key: Key) -> Result<Option<E>, TableError> {
        self.read(key).await?.map(from_item).transpose()
    }

    /// Reads up to any number of items, 100 a call, calls side by side, strongly consistent.
    pub async fn get_many(&self, keys: Vec<Key>) -> Result<Found, TableError> {
        let mut unique = keys;
        unique.sort();
        unique.dedup();
        let chunks: Vec<Vec<Key>> = unique.chunks(BATCH_READ).map(<[Key]>::to_vec).collect();
        let found: Vec<Vec<Item>> =
            stream::iter(chunks).map(|chunk| self.get_chunk(chunk)).buffer_unordered(PARALLEL).try_collect().await?;
        Ok(Found(found.into_iter().flatten().filter_map(|item| Some((Key::of(&item)?, item))).collect()))
    }

    async fn get_chunk(&self, keys: Vec<Key>) -> Result<Vec<Item>, TableError> {
        let mut found = Vec::with_capacity(keys.len());
        let mut open: Vec<Item> = keys.into_iter().map(Key::into_item).collect();
        let mut pause = Backoff::default();
        while !open.is_empty() {
            let wanted = KeysAndAttributes::builder().set_keys(Some(open)).consistent_read(true).build().map_err(TableError::failed)?;
            count_call();
            let output = self
                .client
                .batch_get_item()
                .request_items(&self.name, wanted)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await
                .map_err(sdk_error)?;
            count_read(output.consumed_capacity());
            found.extend(output.responses.unwrap_or_default().remove(&self.name).unwrap_or_default());
            open = output.unprocessed_keys.unwrap_or_default().remove(&self.name).map(|rest| rest.keys).unwrap_or_default();
            if !open.is_empty() {
                pause.wait("unprocessed keys").await?;
            }
        }
        Ok(found)
    }

    /// Hands every page of a partition (or of a partition of the index) to `page`, until it says stop.
    async fn each_page(
        &self,
        on_index: bool,
        pk: String,
        range: Range,
        limit: Option<i32>,
        mut page: impl FnMut(Vec<Item>) -> Result<bool, TableError>,
    ) -> Result<(), TableError> {
        let (pk_name, sk_name) = if on_index { (keys::GSI1PK, keys::GSI1SK) } else { (keys::PK, keys::SK) };
        let mut request = self
            .client
            .query()
            .table_name(&self.name)
            .set_index_name(on_index.then(|| keys::GSI1.to_owned()))
            .consistent_read(!on_index)
            .set_limit(limit)
            .expression_attribute_names("#pk", pk_name)
            .expression_attribute_values(":pk", AttributeValue::S(pk))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        request = match range {
            Range::All => request.key_condition_expression("#pk = :pk"),
            Range::Prefix(prefix) => request
                .key_condition_expression("#pk = :pk AND begins_with(#sk, :sk)")
                .expression_attribute_names("#sk", sk_name)
                .expression_attribute_values(":sk", AttributeValue::S(prefix)),
            Range::Between(from, to) => request
                .key_condition_expression("#pk = :pk AND #sk BETWEEN :from AND :to")
                .expression_attribute_names("#sk", sk_name)
                .expression_attribute_values(":from", AttributeValue::S(from))
                .expression_attribute_values(":to", AttributeValue::S(to)),
        };
        let mut start = None;
        loop {
            count_call();
            let output = request.clone().set_exclusive_start_key(start).send().await.map_err(sdk_error)?;
            count_read(output.consumed_capacity.as_slice());
            let more = page(output.items.unwrap_or_default())?;
            start = output.last_evaluated_key.filter(|_| more);
            if start.is_none() {
                return Ok(());
            }
        }
    }

    async fn items(&self, on_index: bool, pk: String, range: Range) -> Result<Vec<Item>, TableError> {
        let mut all = Vec::new();
        self.each_page(on_index, pk, range, None, |page| {
            all.extend(page);
            Ok(true)
        })
        .await?;
        Ok(all)
    }

    async fn query<E: Entity>(&self, pk: String, range: Range) -> Result<Vec<E>, TableError> {
        self.items(false, pk, range).await?.into_iter().map(from_item).collect()
    }

    async fn query_index<E: Entity>(&self, pk: String, range: Range) -> Result<Vec<E>, TableError> {
        self.items(true, pk, range).await?.into_iter().map(from_item).collect()
    }

    /// Does one write. Answers the item as it was before, for updates and deletes.
    async fn write(&self, write: Write) -> Result<Option<Item>, TableError> {
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
        let Expressions { update, condition, names, values } = write.expressions();
        let (old, capacity) = match write.kind {
            Kind::Put(item) => {
                let output = self
                    .client
                    .put_item()
                    .table_name(&self.name)
                    .set_item(Some(item))
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(write_error)?;
                (None, output.consumed_capacity)
            }
            Kind::Update(key) => {
                let output = self
                    .client
                    .update_item()
                    .table_name(&self.name)
                    .set_key(Some(key.into_item()))
                    .update_expression(update)
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values(ReturnValue::AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(write_error)?;
                (output.attributes, output.consumed_capacity)
            }
            Kind::Delete(key) => {
                let output = self
                    .client
                    .delete_item()
                    .table_name(&self.name)
                    .set_key(Some(key.into_item()))
                    .set_condition_expression(condition)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values(ReturnValue::AllOld)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total)
                    .send()
                    .await
                    .map_err(write_error)?;
                (output.attributes, output.consumed_capacity)
            }
        };
        count_write(capacity.as_slice());
        // An engine may answer the bare key of an item that was not there.
        Ok(old.filter(|item| item.contains_key(keys::TYPE)))
    }

    /// Does all the writes or none, at most 100. Conflicts, which the SDK does not retry, are retried with jitter.
    async fn transact(&self, writes: Vec<Write>) -> Result<(), TableError> {
        let items: Vec<_> = writes.into_iter().map(|write| write.into_transact(&self.name)).collect::<Result<_, _>>()?;
        let mut pause = Backoff::default();
        loop {
            count_call();
            // The SDK adds a client token of its own to each request and keeps it over its retries.
            let sent = self
                .client
                .transact_write_items()
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
                pause.wait("a conflicting transaction").await?;
            } else {
                return Err(TableError::Failed(format!("transaction cancelled: {reasons:?}")));
            }
        }
    }

    /// Removes items, 25 a call, calls side by side. Not atomic: for what nobody can see any more.
    async fn delete_many(&self, keys: Vec<Key>) -> Result<(), TableError> {
        let requests = keys.into_iter().map(|key| {
            let delete = aws_sdk_dynamodb::types::DeleteRequest::builder().set_key(Some(key.into_item())).build();
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
        let chunks: Vec<Vec<WriteRequest>> = requests.chunks(BATCH_WRITE).map(<[WriteRequest]>::to_vec).collect();
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

enum WriteError {
    Conflict,
    Table(TableError),
}

fn write_error<E, R>(error: SdkError<E, R>) -> WriteError
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

fn sdk_error<E, R>(error: SdkError<E, R>) -> TableError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    let text = match &error {
        SdkError::ServiceError(service) => format!("{:?} {:?}", service.err().code(), service.err().message()),
        other => format!("{other:?}"),
    };
    match error.code() {
        Some("ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded") => TableError::Busy(text),
        _ if matches!(error, SdkError::TimeoutError(_)) => TableError::Busy(text),
        _ => TableError::Failed(text),
    }
}

/// Waits longer each time, with jitter, a limited number of times.
#[derive(Default)]
struct Backoff(u32);

impl Backoff {
    async fn wait(&mut self, what: &str) -> Result<(), TableError> {
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
