//! The table: reads, writes and their conditions. Nothing here knows what is stored; that is in
//! [`crate::domain`].

mod attempt;
mod attributes;
mod count;
pub(crate) mod error;
pub(crate) mod execute;
mod json_text;
pub(crate) mod keys;
pub(crate) mod parts;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod response;
mod tombstone;
mod typed;
pub(crate) mod write;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::Files;
use crate::kind::Kind;

pub use error::{Refusal, Retries, TableError};
pub use json_text::JsonText;
pub use keys::{CHANGED_BY, COUNT_VERSION, Key};
pub use read::BatchItems;
pub use request::Usage;
pub use tombstone::Tombstone;
pub use write::Write;

pub(crate) type Item = HashMap<String, AttributeValue>;

/// Maximum calls that run in parallel for one request.
pub const PARALLEL: usize = 64;

/// Does `act` with each of `all`, at most [`PARALLEL`] at a time. Ends at the first error.
pub(crate) async fn each<T, F: Future<Output = Result<(), TableError>>>(
    all: impl IntoIterator<Item = T>,
    act: impl FnMut(T) -> F,
) -> Result<(), TableError> {
    let done = stream::iter(all).map(act).buffer_unordered(PARALLEL);
    done.try_collect().await
}

/// A stored type: its kind and its keys.
pub trait Entity: Serialize + DeserializeOwned {
    /// What it is.
    const KIND: Kind;
    /// The value of the `type` attribute.
    const TYPE: &'static str = Self::KIND.name();
    /// Whether it is a mail. Mails that a request stores are counted with its calls.
    const IS_MAIL: bool = false;
    /// Whether the item keeps who stored it last.
    const KEEPS_ACTOR: bool = false;

    /// Returns its primary key.
    fn key(&self) -> Key;

    /// Returns its key in the index `gsi1`, or `None` if it is not in the index.
    fn index_key(&self) -> Option<Key> {
        None
    }

    /// Returns its key in the index `gsi2`, which orders by time, or `None` if it is not in it.
    fn time_key(&self) -> Option<Key> {
        None
    }

    /// Returns the time after which DynamoDB may delete it (TTL), in seconds since 1970.
    fn expires(&self) -> Option<i64> {
        None
    }
}

/// The DynamoDB table of a deployment.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) name: String,
    /// The bucket of the files that the table names.
    pub(crate) files: Files,
    /// The request that makes the calls.
    pub(crate) request: Arc<request::Request>,
}

pub(crate) fn to_item<E: Entity>(entity: &E) -> Result<Item, TableError> {
    let mut item: Item = serde_dynamo::to_item(entity).map_err(TableError::failed)?;
    item.extend(entity.key().into_item());
    item.insert(keys::TYPE.into(), AttributeValue::S(E::TYPE.into()));
    if let Some(key) = entity.index_key() {
        item.extend(key.into_index_item());
    }
    if let Some(key) = entity.time_key() {
        item.extend(key.into_time_item());
    }
    if let Some(at) = entity.expires() {
        item.insert(keys::TTL.into(), AttributeValue::N(at.to_string()));
    }
    Ok(item)
}

pub(crate) fn from_item<E: Entity>(item: Item) -> Result<E, TableError> {
    // The error is not named, because it may quote users' texts.
    serde_dynamo::from_item(item)
        .map_err(|_| TableError::Failed(format!("{} that cannot be read", E::TYPE)))
}

pub(crate) fn type_of(item: &Item) -> &str {
    item.get(keys::TYPE)
        .and_then(|value| value.as_s().ok())
        .map_or("", String::as_str)
}

impl Table {
    /// Returns the table `name`, accessed through `client`.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self {
            client,
            name: name.into(),
            files: Files::default(),
            request: Arc::default(),
        }
    }

    /// Returns the table together with the bucket of the files that it names.
    #[must_use]
    pub fn with_files(self, files: Files) -> Self {
        Self { files, ..self }
    }

    /// Returns the bucket of the files that the table names.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the table `name`, with a new client for this configuration.
    pub fn connect(config: &aws_types::SdkConfig, name: impl Into<String>) -> Self {
        Self::new(Client::new(config), name)
    }
}
