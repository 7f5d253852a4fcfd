//! Turns of mails. All mail workers share one limit, so the time of the next mail is in the table.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::db::execute::{WriteResult, client_token};
use crate::db::{Entity, Retries, Table, TableError, Write, from_item};
use crate::domain::keys;
use crate::domain::keys::Key;

/// When the next mail may be sent, in microseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MailTurns {
    next: i64,
    /// Random, so that a repeated write does not take the same turns of another worker for its own.
    #[serde(default)]
    by: String,
}

impl Entity for MailTurns {
    const TYPE: &'static str = "MailTurns";

    fn key(&self) -> Key {
        keys::mail_turns()
    }
}

impl Table {
    /// Reserves turns for this number of mails, at most `per_second` in a second, and returns their
    /// times: 1 write, or 2 while other workers send too.
    pub async fn reserve_turns(
        &self,
        now: DateTime<Utc>,
        per_second: u32,
        mails: usize,
    ) -> Result<Vec<DateTime<Utc>>, TableError> {
        let now = now.timestamp_micros();
        let pause = 1_000_000 / i64::from(per_second.max(1));
        let after = |first: i64| MailTurns {
            next: first + pause * i64::try_from(mails).unwrap_or(i64::MAX / 1_000_000),
            by: client_token(),
        };
        let mut retries = Retries::default();
        let first = loop {
            retries.next().await?;
            let free = Write::put(&after(now))?.if_new_or_at_most("next", now);
            let WriteResult::Refused(stored) = self.try_write(free).await? else {
                break now;
            };
            let Some(MailTurns { next, .. }) = stored.map(from_item).transpose()? else {
                continue;
            };
            let behind = Write::put(&after(next))?.if_equals("next", &next);
            match self.write(behind).await {
                Ok(_) => break next,
                // Another worker was faster.
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        };
        Ok((0..mails)
            .scan(first, |next, _| {
                Some(std::mem::replace(next, *next + pause))
            })
            .filter_map(DateTime::from_timestamp_micros)
            .collect())
    }
}
