//! Requests with an idempotency key. They are stored for a day, in the partition of the caller's
//! profile.

use crate::db::execute::WriteResult;
use crate::db::{Entity, Key, Table, TableError, Write, from_item};
use crate::domain::idempotency::keys;
use crate::domain::idempotency::model::{IdempotencyOutcome, IdempotencyRecord};
use crate::kind::Kind;

impl Entity for IdempotencyRecord {
    const KIND: Kind = Kind::IdempotencyRecord;

    fn key(&self) -> Key {
        keys::idempotency_record(self.person, &self.id)
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Table {
    /// Begins the first attempt of a request at `now` (in seconds since 1970): 1 write. If the key
    /// is already used, stores nothing and returns the request that uses it.
    pub async fn begin_idempotent(
        &self,
        request: &IdempotencyRecord,
        now: i64,
    ) -> Result<Option<IdempotencyRecord>, TableError> {
        match self
            .try_write(Write::put(request)?.if_new_or_at_most("expires", now))
            .await?
        {
            WriteResult::Now(_) | WriteResult::Before => Ok(None),
            WriteResult::Refused(stored) => stored.map(from_item).transpose(),
        }
    }

    /// Begins another attempt after the last one ended or stopped without a result. Refused if
    /// somebody else has begun one.
    pub async fn retry_idempotent(
        &self,
        old: &IdempotencyRecord,
        attempt: u64,
        busy_until: i64,
    ) -> Result<(), TableError> {
        let write = Write::update(old.key())
            .set("attempt", &attempt)
            .set("busy_until", &busy_until);
        self.write(
            write
                .if_equals("attempt", &old.attempt)
                .if_equals("busy_until", &old.busy_until),
        )
        .await
        .map(drop)
    }

    /// Ends an attempt. With an outcome, the request is done. Without one, the next attempt may
    /// begin immediately. Refused if another attempt replaced this one, or if the caller was
    /// erased.
    pub async fn end_idempotent(
        &self,
        request: &IdempotencyRecord,
        outcome: Option<&IdempotencyOutcome>,
    ) -> Result<(), TableError> {
        let write = Write::update(request.key())
            .set("busy_until", &0)
            .set("outcome", &outcome);
        self.write(write.if_equals("attempt", &request.attempt))
            .await
            .map(drop)
    }
}
