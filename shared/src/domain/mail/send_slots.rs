//! Turns of mails. All mail workers share one limit, so the time of the next mail is in the table.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::db::execute::{WriteResult, client_token};
use crate::db::{Entity, Retries, Table, TableError, Write, from_item};
use crate::domain::keys;
use crate::domain::keys::Key;

/// No worker reserves so far ahead. A time behind it is a mistake, and nobody waits for it.
const FARTHEST: TimeDelta = TimeDelta::minutes(5);

/// When the next mail may be sent, in microseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendSlots {
    next: i64,
    /// Random, so that a repeated write does not take the same send slots of another worker for its
    /// own.
    #[serde(default)]
    by: String,
}

impl Entity for SendSlots {
    const TYPE: &'static str = "SendSlots";

    fn key(&self) -> Key {
        keys::send_slots()
    }
}

impl Table {
    /// Reserves send slots for this number of mails, at most `per_second` in a second, and returns
    /// their times: 1 write, or 2 while other workers send too. Turns from `until` on are not
    /// reserved, so there may be fewer: whoever cannot wait for a send slot must not move those of
    /// the others.
    pub async fn reserve_send_slots(
        &self,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        per_second: u32,
        mails: usize,
    ) -> Result<Vec<DateTime<Utc>>, TableError> {
        let farthest = (now + FARTHEST).timestamp_micros();
        let (now, until) = (now.timestamp_micros(), until.timestamp_micros());
        let pause = 1_000_000 / i64::from(per_second.max(1));
        let fitting = |first: i64| {
            let all = (until - first).max(0).saturating_add(pause - 1) / pause;
            usize::try_from(all).unwrap_or_default().min(mails)
        };
        let after = |first: i64| SendSlots {
            next: first + pause * i64::try_from(fitting(first)).unwrap_or_default(),
            by: client_token(),
        };
        let mut retries = Retries::default();
        let first = loop {
            retries.next().await?;
            let first_free = Write::put(&after(now))?.if_new_or_at_most("next", now);
            let WriteResult::Refused(stored) = self.try_write(first_free).await? else {
                break now;
            };
            let Some(SendSlots { next, .. }) = stored.map(from_item).transpose()? else {
                continue;
            };
            let first = if next > farthest { now } else { next };
            if fitting(first) == 0 {
                return Ok(vec![]);
            }
            let behind = Write::put(&after(first))?.if_equals("next", &next);
            match self.write(behind).await {
                Ok(_) => break first,
                // Another worker was faster.
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        };
        Ok((0..fitting(first))
            .scan(first, |next, _| {
                Some(std::mem::replace(next, *next + pause))
            })
            .filter_map(DateTime::from_timestamp_micros)
            .collect())
    }
}
