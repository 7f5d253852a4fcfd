//! The outage of the mail service as all workers know it. A worker that dies forgets nothing.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::db::execute::client_token;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::keys;
use crate::domain::keys::Key;

/// Server errors of the mail service, one after the other (E20).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailOutage {
    /// Number of server errors in a row, of all workers.
    pub errors: u32,
    /// No mail is sent before this time, in milliseconds since 1970.
    pub until: i64,
    /// Random, and new with every change; empty if nothing is stored.
    version: String,
}

impl Entity for MailOutage {
    const TYPE: &'static str = "MailOutage";

    fn key(&self) -> Key {
        keys::mail_outage()
    }
}

impl MailOutage {
    /// Returns whether no mail is sent at `now`.
    pub fn is_on(&self, now: DateTime<Utc>) -> bool {
        now.timestamp_millis() < self.until
    }
}

impl Table {
    /// Returns the outage as it is stored: 1 read.
    pub async fn mail_outage(&self) -> Result<MailOutage, TableError> {
        Ok(self.get(keys::mail_outage()).await?.unwrap_or_default())
    }

    /// Stores a change of the outage, and returns it as it is stored then. Refused if another
    /// worker changed it after it was read: 1 write.
    pub async fn change_mail_outage(
        &self,
        read: &MailOutage,
        errors: u32,
        until: i64,
    ) -> Result<MailOutage, TableError> {
        let new = MailOutage {
            errors,
            until,
            version: client_token(),
        };
        let write = Write::put(&new)?;
        let write = if read.version.is_empty() {
            write.if_new()
        } else {
            write.if_equals("version", &read.version)
        };
        self.write(write).await?;
        Ok(new)
    }
}
