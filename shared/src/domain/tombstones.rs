//! What remains of items that were deleted, so that a write that reaches the table seconds late
//! does not bring them back (X17), and of deleted applications.

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::actor::request_time;
use crate::db::{Entity, Refusal, Table, TableError, Write, to_item};
use crate::domain::application::model::Application;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::{RequestTime, Timestamp};

/// How long a tombstone is kept. No write is so late: the SDK gives up after
/// seconds, and a function ends after half a minute.
const TOMBSTONE_KEPT: TimeDelta = TimeDelta::days(1);

/// Stands for a day at the key of an item that was deleted, without its content. Only a request
/// that was received later may store something there. Under [`ended`], it says that nothing with
/// this id comes back.
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
    const TYPE: &'static str = "Tombstone";

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

/// A deleted application. Receipts of its submissions are `erased` (T4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeletedApplication {
    /// Id of the application.
    pub application: Id<Application>,
    /// Code of the club.
    pub club: ClubCode,
    /// When it was deleted.
    pub at: Timestamp,
}

impl Entity for DeletedApplication {
    const TYPE: &'static str = "DeletedApplication";

    fn key(&self) -> Key {
        keys::deleted_application(self.application)
    }
}

/// The key of what remains of something without a key of its own.
fn ended(id: u64) -> Key {
    Key::new(format!("ENDED#{}", keys::padded(id)), "ENDED".into())
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
    pub(crate) fn if_never_or_before(self) -> Self {
        match request_time() {
            Some(when) => self.if_new_or_tombstone(when.received),
            None => self.if_new(),
        }
    }

    /// Deletes an item. Until tomorrow its key says so, so that a late attempt to create it does
    /// not bring it back (X17).
    pub(crate) fn delete_with_tombstone(key: Key) -> Result<Self, TableError> {
        match request_time() {
            Some(when) => Self::put(&Tombstone::new(key, when)),
            None => Ok(Self::delete(key)),
        }
    }

    /// Notes for a day that what had this id was removed: for what is a part of an item, or in a
    /// number that something else may have by now.
    pub(crate) fn end(id: u64) -> Result<Self, TableError> {
        Self::delete_with_tombstone(ended(id))
    }

    /// Checks that nothing with this id was removed. Refused as [`Refusal::Deleted`].
    pub(crate) fn check_not_ended(id: u64) -> Self {
        Self::check(ended(id)).if_new().or(Refusal::Deleted)
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
        let requests = keys.into_iter().map(|key| {
            let put = PutRequest::builder()
                .set_item(Some(to_item(&Tombstone::new(key, when))?))
                .build();
            put.map(|put| WriteRequest::builder().put_request(put).build())
                .map_err(TableError::failed)
        });
        self.batch_write(requests.collect::<Result<_, _>>()?).await
    }

    /// Returns whether an application was deleted: 1 read.
    pub async fn is_deleted(&self, application: Id<Application>) -> Result<bool, TableError> {
        let key = keys::deleted_application(application);
        Ok(self.read(key).await?.is_some())
    }
}
