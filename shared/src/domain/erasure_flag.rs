//! How an erasure knows that the index is not behind any more.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::db::execute::client_token;
use crate::db::read::Range;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::person::model::Person;
use crate::ids::{Id, derived};
use crate::kind::Kind;
use crate::time::Timestamp;

/// A flag in a person's part of the index. When the index shows it, it shows what was written
/// before.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErasureFlag {
    person: Id<Person>,
    /// A random number.
    round: u64,
    expires: i64,
}

impl Entity for ErasureFlag {
    const KIND: Kind = Kind::ErasureFlag;

    fn key(&self) -> Key {
        keys::erasure(self.person)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_erasure(self.person, self.round))
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

impl Table {
    /// Waits until the index shows what was written before now: writes a flag into the person's
    /// part of it, and looks until the flag is there.
    pub(crate) async fn wait_for_index(
        &self,
        person: Id<Person>,
        at: Timestamp,
    ) -> Result<(), TableError> {
        let flag = ErasureFlag {
            person,
            round: derived("erasure", &[&client_token()]),
            expires: at.plus(TimeDelta::days(1)).epoch_seconds(),
        };
        // A transaction has a token: if the first attempt arrives after the erasure, it does
        // nothing.
        self.transact(vec![Write::put(&flag)?]).await?;
        let Key { pk, sk } = keys::own_erasure(person, flag.round);
        let mut wait = self.backoff();
        loop {
            let range = Range::Prefix(sk.clone());
            if !self.index_entries(pk.clone(), range).await?.is_empty() {
                return Ok(());
            }
            if !wait.wait().await {
                return Err(TableError::Unknown("the index is behind".to_owned()));
            }
        }
    }
}
