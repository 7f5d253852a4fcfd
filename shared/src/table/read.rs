//! Reads one item, many items, or a partition. All reads of the table are strongly consistent.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::error::{Backoff, read_error};
use super::usage::{count_call, count_read};
use super::{Entity, Item, Key, PARALLEL, Table, TableError, from_item, keys, type_of};

/// Maximum keys in one batch read (a DynamoDB limit).
const BATCH: usize = 100;

/// The items that a batch read found.
#[derive(Debug, Default)]
pub struct BatchItems(HashMap<Key, Item>);

impl BatchItems {
    /// Removes and returns the entity at `key`, if it has this type and can be read.
    pub fn take<E: Entity>(&mut self, key: &Key) -> Result<Option<E>, TableError> {
        Ok(readable(self.take_item(key).into_iter().collect()).pop())
    }

    pub(super) fn take_item(&mut self, key: &Key) -> Option<Item> {
        self.0.remove(key)
    }
}

/// Returns the items that have this type. An item that cannot be read does not affect the others:
/// it is left out and logged, and `clubs-admin check` finds it.
pub(super) fn readable<E: Entity>(items: Vec<Item>) -> Vec<E> {
    let of_type = items.into_iter().filter(|item| type_of(item) == E::TYPE);
    // Do not log the error or the key: both would quote the item's content.
    of_type
        .filter_map(|item| {
            from_item(item)
                .inspect_err(|_| tracing::error!(kind = E::TYPE, "an item cannot be read"))
                .ok()
        })
        .collect()
}

/// How much of the items to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fetch {
    /// All attributes of all items.
    Items,
    /// Only the keys. For the table, not for the index.
    Keys,
    /// All attributes, in pages with this number of items.
    Pages(i32),
}

/// Which sort keys of a partition to read.
#[derive(Debug, Clone)]
pub(super) enum Range {
    All,
    Prefix(String),
    Between(String, String),
}

impl Table {
    pub(super) async fn read(&self, key: Key) -> Result<Option<Item>, TableError> {
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
            .map_err(read_error)?;
        count_read(output.consumed_capacity.as_slice());
        Ok(output.item)
    }

    pub(super) async fn get<E: Entity>(&self, key: Key) -> Result<Option<E>, TableError> {
        self.read(key).await?.map(from_item).transpose()
    }

    /// Reads any number of items, 100 per call, calls in parallel, strongly consistent.
    pub async fn get_many(&self, keys: Vec<Key>) -> Result<BatchItems, TableError> {
        let mut unique = keys;
        unique.sort();
        unique.dedup();
        let chunks: Vec<Vec<Key>> = unique.chunks(BATCH).map(<[Key]>::to_vec).collect();
        let found: Vec<Vec<Item>> = stream::iter(chunks)
            .map(|chunk| self.get_chunk(chunk))
            .buffer_unordered(PARALLEL)
            .try_collect()
            .await?;
        Ok(BatchItems(
            found
                .into_iter()
                .flatten()
                .filter_map(|item| Some((Key::of(&item)?, item)))
                .collect(),
        ))
    }

    async fn get_chunk(&self, keys: Vec<Key>) -> Result<Vec<Item>, TableError> {
        let mut found = Vec::with_capacity(keys.len());
        let mut open: Vec<Item> = keys.into_iter().map(Key::into_item).collect();
        let mut pause = Backoff::default();
        while !open.is_empty() {
            let wanted = KeysAndAttributes::builder()
                .set_keys(Some(open))
                .consistent_read(true)
                .build()
                .map_err(TableError::failed)?;
            count_call();
            let output = self
                .client
                .batch_get_item()
                .request_items(&self.name, wanted)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .send()
                .await
                .map_err(read_error)?;
            count_read(output.consumed_capacity());
            found.extend(
                output
                    .responses
                    .unwrap_or_default()
                    .remove(&self.name)
                    .unwrap_or_default(),
            );
            open = output
                .unprocessed_keys
                .unwrap_or_default()
                .remove(&self.name)
                .map(|rest| rest.keys)
                .unwrap_or_default();
            if !open.is_empty() && !pause.wait().await {
                return Err(TableError::Busy("unprocessed keys".to_owned()));
            }
        }
        Ok(found)
    }

    /// Passes each page of a partition, of the table or of the index, to `page`. Stops when `page`
    /// returns false.
    pub(super) async fn each_page(
        &self,
        on_index: bool,
        pk: String,
        range: Range,
        fetch: Fetch,
        mut page: impl FnMut(Vec<Item>) -> Result<bool, TableError>,
    ) -> Result<(), TableError> {
        let (pk_name, sk_name) = if on_index {
            (keys::GSI1PK, keys::GSI1SK)
        } else {
            (keys::PK, keys::SK)
        };
        let mut names = HashMap::from([("#pk".to_owned(), pk_name.to_owned())]);
        if matches!(fetch, Fetch::Keys) {
            names.insert("#own_sk".to_owned(), keys::SK.to_owned());
        }
        let names = Some(names);
        let mut request = self
            .client
            .query()
            .table_name(&self.name)
            .set_index_name(on_index.then(|| keys::GSI1.to_owned()))
            .consistent_read(!on_index)
            .set_limit(match fetch {
                Fetch::Pages(size) => Some(size),
                Fetch::Items | Fetch::Keys => None,
            })
            .set_projection_expression(
                matches!(fetch, Fetch::Keys).then(|| "#pk, #own_sk".to_owned()),
            )
            .set_expression_attribute_names(names)
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
            let output = request
                .clone()
                .set_exclusive_start_key(start)
                .send()
                .await
                .map_err(read_error)?;
            count_read(output.consumed_capacity.as_slice());
            let more = page(output.items.unwrap_or_default())?;
            start = output.last_evaluated_key.filter(|_| more);
            if start.is_none() {
                return Ok(());
            }
        }
    }

    async fn all(&self, on_index: bool, pk: String, range: Range) -> Result<Vec<Item>, TableError> {
        let mut all = Vec::new();
        self.each_page(on_index, pk, range, Fetch::Items, |page| {
            all.extend(page);
            Ok(true)
        })
        .await?;
        Ok(all)
    }

    /// Returns the keys of a partition of the table.
    pub(super) async fn keys(&self, pk: String, range: Range) -> Result<Vec<Key>, TableError> {
        let mut all = Vec::new();
        self.each_page(false, pk, range, Fetch::Keys, |page| {
            all.extend(page.iter().filter_map(Key::of));
            Ok(true)
        })
        .await?;
        Ok(all)
    }

    pub(super) async fn query<E: Entity>(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<E>, TableError> {
        Ok(readable(self.items(pk, range).await?))
    }

    pub(super) async fn items(&self, pk: String, range: Range) -> Result<Vec<Item>, TableError> {
        self.all(false, pk, range).await
    }

    /// Returns the items that a partition of the index names, in its order: 1 query, then 1 batch
    /// read per 100. The index has only keys, type and role. The items come from the table, so they
    /// are as they are now; one that does not belong to the partition any more is left out.
    pub(super) async fn index_items(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<Item>, TableError> {
        let entries = self.index_entries(pk.clone(), range).await?;
        let wanted: Vec<Key> = entries.iter().filter_map(Key::of).collect();
        let mut found = self.get_many(wanted.clone()).await?;
        let belongs = |item: &Item| item.get(keys::GSI1PK).and_then(|v| v.as_s().ok()) == Some(&pk);
        Ok(wanted
            .iter()
            .filter_map(|key| found.take_item(key))
            .filter(belongs)
            .collect())
    }

    /// Returns what the index itself has about the items of a partition: 1 query. It may be a
    /// moment old.
    pub(super) async fn index_entries(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<Item>, TableError> {
        self.all(true, pk, range).await
    }

    pub(super) async fn query_index<E: Entity>(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<E>, TableError> {
        Ok(readable(self.index_items(pk, range).await?))
    }
}
