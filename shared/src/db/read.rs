//! Reads items, or a partition: strongly consistent, unless a name says otherwise.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::get_item::GetItemOutput;
use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity};
use aws_smithy_runtime_api::client::interceptors::context::Output;
use futures::stream::{self, StreamExt, TryStreamExt};

use crate::db::error::{TableError, read_error};
use crate::db::keys::Key;
use crate::db::response::{AnyItem as _, Body, Found, FromResponse, Stored, readable};
use crate::db::{Entity, Item, PARALLEL, Table, keys};

/// Maximum keys in one batch read (a DynamoDB limit).
pub(crate) const MAX_BATCH_KEYS: usize = 100;

/// The items that a batch read found.
#[derive(Debug, Default)]
pub struct BatchItems(HashMap<Key, Stored>);

impl BatchItems {
    pub(crate) fn of(found: Vec<Stored>) -> Self {
        Self(found.into_iter().map(|item| (item.key(), item)).collect())
    }

    /// Removes and returns the entity at `key`, if it has this type and can be read.
    pub fn take<E: Entity>(&mut self, key: &Key) -> Result<Option<E>, TableError> {
        Ok(readable(self.take_item(key)).pop())
    }

    /// Returns all entities of this type that can be read, in no particular order.
    pub(crate) fn into_entities<E: Entity>(self) -> Vec<E> {
        readable(self.0.into_values())
    }

    /// Returns all items, in no particular order.
    pub(crate) fn into_items(self) -> Vec<Stored> {
        self.0.into_values().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take_item(&mut self, key: &Key) -> Option<Stored> {
        self.0.remove(key)
    }
}

/// How much of the items to read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fetch {
    /// All attributes of all items.
    Items,
    /// The same for half the price. They may be a moment old.
    Eventual,
    /// Only the keys. For the table, not for the index.
    Keys,
    /// All attributes, in pages with this number of items.
    Pages(i32),
}

/// Which sort keys of a partition to read.
#[derive(Debug, Clone)]
pub(crate) enum Range {
    All,
    Prefix(String),
    Between(String, String),
}

impl Table {
    /// Reads an item.
    pub(crate) async fn read(&self, key: Key) -> Result<Option<Stored>, TableError> {
        self.request.count_call();
        let body = Body::instead_of(|| Output::erase(GetItemOutput::builder().build()));
        self.client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.into_item()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .customize()
            .interceptor(body.clone())
            .send()
            .await
            .map_err(read_error)?;
        let mut found = Stored::all(&body)?;
        self.request.count_read(found.units);
        Ok(found.items.pop())
    }

    /// Reads an entity; none if something else is in its place: what remains of one that was
    /// deleted.
    pub(crate) async fn get<E: Entity>(&self, key: Key) -> Result<Option<E>, TableError> {
        let found = self.read(key).await?.filter(|item| item.kind() == E::TYPE);
        found.map(Stored::entity).transpose()
    }

    /// Reads any number of items, 100 per call, calls in parallel, strongly consistent.
    pub async fn get_many(&self, keys: Vec<Key>) -> Result<BatchItems, TableError> {
        let found = match <[Key; 1]>::try_from(keys) {
            Ok([key]) => self.read(key).await?.into_iter().collect(),
            Err(keys) => self.get_all(keys, true).await?,
        };
        Ok(BatchItems::of(found))
    }

    /// Like [`Table::get_many`], for entities of one type.
    pub(crate) async fn get_entities<E: Entity + Send>(
        &self,
        keys: Vec<Key>,
    ) -> Result<HashMap<Key, E>, TableError> {
        let found = self.get_all::<E>(keys, true).await?;
        let by_key = found.into_iter().map(|entity| (entity.key(), entity));
        Ok(by_key.collect())
    }

    /// Reads any number of items: as they are now, or for half the price as they were a moment ago.
    pub(crate) async fn get_all<T: FromResponse + Send>(
        &self,
        keys: Vec<Key>,
        consistent: bool,
    ) -> Result<Vec<T>, TableError> {
        let mut unique = keys;
        unique.sort();
        unique.dedup();
        let chunks: Vec<Vec<Key>> = unique.chunks(MAX_BATCH_KEYS).map(<[Key]>::to_vec).collect();
        let read: Vec<(Vec<T>, Vec<Key>)> = stream::iter(chunks)
            .map(|chunk| self.get_chunk(chunk, consistent))
            .buffer_unordered(PARALLEL)
            .try_collect()
            .await?;
        if read.iter().any(|(_, unread)| !unread.is_empty()) {
            return Err(TableError::Busy("unprocessed keys".to_owned()));
        }
        Ok(read.into_iter().flat_map(|(found, _)| found).collect())
    }

    /// Returns what was found, and the keys that were still unprocessed at the end.
    async fn get_chunk<T: FromResponse>(
        &self,
        keys: Vec<Key>,
        consistent: bool,
    ) -> Result<(Vec<T>, Vec<Key>), TableError> {
        let mut found = Vec::with_capacity(keys.len());
        let mut open: Vec<Item> = keys.into_iter().map(Key::into_item).collect();
        let mut pause = self.backoff();
        while !open.is_empty() {
            let requested = KeysAndAttributes::builder()
                .set_keys(Some(open))
                .consistent_read(consistent)
                .build()
                .map_err(TableError::failed)?;
            self.request.count_call();
            let body = Body::instead_of(|| Output::erase(BatchGetItemOutput::builder().build()));
            self.client
                .batch_get_item()
                .request_items(&self.name, requested)
                .return_consumed_capacity(ReturnConsumedCapacity::Total)
                .customize()
                .interceptor(body.clone())
                .send()
                .await
                .map_err(read_error)?;
            let response = T::all(&body)?;
            self.request.count_read(response.units);
            found.extend(response.items);
            open = response.rest;
            if !open.is_empty() && !pause.wait().await {
                break;
            }
        }
        Ok((found, open.into_iter().filter_map(Key::from_item).collect()))
    }

    /// Passes each page of a partition, of the table or of the index, to `page`. Stops when `page`
    /// returns false.
    pub(crate) async fn each_page<T: FromResponse>(
        &self,
        on_index: bool,
        pk: String,
        range: Range,
        fetch: Fetch,
        mut page: impl FnMut(Vec<T>) -> Result<bool, TableError>,
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
            .consistent_read(!on_index && !matches!(fetch, Fetch::Eventual))
            .set_limit(match fetch {
                Fetch::Pages(size) => Some(size),
                Fetch::Items | Fetch::Eventual | Fetch::Keys => None,
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
        // DynamoDB takes no empty text in a key; the engine of the tests does.
        let values = request.get_expression_attribute_values().iter().flatten();
        debug_assert!(
            values
                .into_iter()
                .all(|(_, value)| value.as_s().is_ok_and(|text| !text.is_empty())),
            "an empty text in a key"
        );
        let mut start = None;
        loop {
            let mut found = self
                .page(request.clone().set_exclusive_start_key(start))
                .await?;
            let more = page(found.items)?;
            start = found.rest.pop().filter(|_| more);
            if start.is_none() {
                return Ok(());
            }
        }
    }

    /// Returns one page of a query.
    pub(crate) async fn page<T: FromResponse>(
        &self,
        request: QueryFluentBuilder,
    ) -> Result<Found<T>, TableError> {
        self.request.count_call();
        let body = Body::instead_of(|| Output::erase(QueryOutput::builder().build()));
        request
            .customize()
            .interceptor(body.clone())
            .send()
            .await
            .map_err(read_error)?;
        let found = T::all(&body)?;
        self.request.count_read(found.units);
        Ok(found)
    }

    async fn all<T: FromResponse>(
        &self,
        on_index: bool,
        pk: String,
        range: Range,
    ) -> Result<Vec<T>, TableError> {
        let mut all = Vec::new();
        self.each_page(on_index, pk, range, Fetch::Items, |page: Vec<T>| {
            all.extend(page);
            Ok(true)
        })
        .await?;
        Ok(all)
    }

    /// Returns the keys of a partition of the table.
    pub(crate) async fn keys(&self, pk: String, range: Range) -> Result<Vec<Key>, TableError> {
        let mut all = Vec::new();
        self.each_page(false, pk, range, Fetch::Keys, |page: Vec<Stored>| {
            all.extend(page.iter().map(Stored::key));
            Ok(true)
        })
        .await?;
        Ok(all)
    }

    pub(crate) async fn query<E: Entity>(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<E>, TableError> {
        self.all(false, pk, range).await
    }

    pub(crate) async fn items(&self, pk: String, range: Range) -> Result<Vec<Stored>, TableError> {
        self.all(false, pk, range).await
    }

    /// Returns the items that a partition of the index names, in its order: 1 query, then 1 batch
    /// read per 100. The index has only keys, type and role. The items come from the table, so they
    /// are as they are now; one that does not belong to the partition any more is left out.
    pub(crate) async fn index_items(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<Stored>, TableError> {
        let entries = self.index_entries(pk.clone(), range).await?;
        let requested: Vec<Key> = entries.iter().map(Stored::key).collect();
        let mut found = self.get_many(requested.clone()).await?;
        Ok(requested
            .iter()
            .filter_map(|key| found.take_item(key))
            .filter(|item| item.index_partition() == pk)
            .collect())
    }

    /// Returns what the index itself has about the items of a partition: 1 query. It may be a
    /// moment old.
    pub(crate) async fn index_entries(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<Stored>, TableError> {
        self.all(true, pk, range).await
    }

    pub(crate) async fn query_index<E: Entity>(
        &self,
        pk: String,
        range: Range,
    ) -> Result<Vec<E>, TableError> {
        Ok(readable(self.index_items(pk, range).await?))
    }
}
