//! What remains of items that were deleted, so that a write that reaches the table seconds late
//! does not bring them back (X17), and what else a write takes from its request.

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::request::Request;
use crate::db::write::WriteKind;
use crate::db::{Entity, Key, Table, TableError, Write, keys, to_item};
use crate::kind::Kind;
use crate::time::RequestTime;

/// How long a tombstone is kept. No write is so late: the SDK gives up after seconds, and a
/// function ends after half a minute.
const TOMBSTONE_KEPT: TimeDelta = TimeDelta::days(1);

/// A request ends within this time; then nobody waits for it any more.
const REQUEST: TimeDelta = TimeDelta::seconds(30);

/// Stands for a day at the key of an item that was deleted, without its content. Only a request
/// that was received later may store something there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tombstone {
    #[serde(skip)]
    key: Key,
    /// The order number of the deletion, see [`crate::ids::Ids::received`].
    pub received: u64,
    /// When the table may delete this item, in seconds since 1970.
    pub expires: i64,
}

impl Entity for Tombstone {
    const KIND: Kind = Kind::Tombstone;

    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Tombstone {
    pub(crate) fn new(key: Key, RequestTime { received, at }: RequestTime) -> Self {
        Self {
            key,
            received,
            expires: at.plus(TOMBSTONE_KEPT).epoch_seconds(),
        }
    }
}

impl Write {
    /// Stores a new entity. Refused if it is there already, or was deleted after the request was
    /// received that stores it (X17).
    pub(crate) fn create<E: Entity>(entity: &E) -> Result<Self, TableError> {
        Ok(Self::put(entity)?.if_never_or_before())
    }

    /// Adds a condition: the item does not exist, or it is one that was deleted before this request
    /// came.
    #[must_use]
    pub(crate) fn if_never_or_before(mut self) -> Self {
        self.of_request.never_or_before = true;
        self
    }

    /// Adds a condition: the item was made before this request ended, as its `created_at` says. A
    /// function that is frozen may go on much later.
    #[must_use]
    pub(crate) fn if_was_there(mut self) -> Self {
        self.of_request.was_there = true;
        self
    }

    /// Stores who changes the item.
    #[must_use]
    pub(crate) fn by_actor(mut self) -> Self {
        self.of_request.actor = true;
        self
    }

    /// Deletes an item. Until tomorrow its key says so, so that a late attempt to create it does
    /// not bring it back (X17).
    pub(crate) fn delete_with_tombstone(key: Key) -> Self {
        let mut write = Self::delete(key);
        write.of_request.tombstone = true;
        write
    }

    /// Adds a condition: the item does not exist, or it is one that was deleted.
    #[must_use]
    pub(crate) fn if_absent(self) -> Self {
        self.if_new_or(|write| write.if_equals(keys::TYPE, &Tombstone::TYPE))
    }

    /// Adds a condition: the item does not exist, or it is one that was deleted before `received`.
    #[must_use]
    pub(crate) fn if_new_or_tombstone(self, received: u64) -> Self {
        self.if_new_or(|write| {
            write
                .if_equals(keys::TYPE, &Tombstone::TYPE)
                .if_below("received", &received)
        })
    }

    /// Completes the write with what it needs to know of its request.
    pub(super) fn of(mut self, request: &Request) -> Result<Self, TableError> {
        let wants = self.of_request;
        let received = request.received();
        if wants.actor {
            self = self.with_actor(request.actor());
        }
        if let (true, WriteKind::Delete(key), Some(when)) = (wants.tombstone, &self.kind, received)
        {
            self.kind = WriteKind::Put(to_item(&Tombstone::new(key.clone(), when))?);
            self = self.with_actor(request.actor());
        }
        if wants.never_or_before {
            self = match received {
                Some(when) => self.if_new_or_tombstone(when.received),
                None => self.if_new(),
            };
        }
        if let (true, Some(arrived)) = (wants.was_there, request.arrived()) {
            self = self.if_below("created_at", &arrived.at.plus(REQUEST));
        }
        Ok(self)
    }
}

impl Table {
    /// Deletes items, 25 per call, and leaves a [`Tombstone`] at their keys. Not atomic: only for
    /// items that are no longer visible to anybody. `when` is the order number of the deletion and
    /// its time.
    pub(crate) async fn delete_with_tombstone(
        &self,
        keys: Vec<Key>,
        when: RequestTime,
    ) -> Result<(), TableError> {
        let actor = self.request.actor();
        let requests = keys.into_iter().map(|key| {
            let tombstone = Write::put(&Tombstone::new(key, when))?.with_actor(actor);
            let WriteKind::Put(item) = tombstone.kind else {
                return Err(TableError::failed("a tombstone is put"));
            };
            let put = PutRequest::builder().set_item(Some(item)).build();
            put.map(|put| WriteRequest::builder().put_request(put).build())
                .map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }
}
