//! Sends mails: claims a mail, hands it to SES and stores the result (E12).

mod batch;
mod send;
mod settle;

use std::sync::Arc;
use std::time::Duration;

use shared::db::{Table, TableError};
use shared::settings::Settings;
use shared::time::{Clock, Timestamp};

use crate::outage::Outage;
use crate::ses::Ses;

/// Pause before an error is returned. The stream delivers the record again at once.
const PAUSE: Duration = Duration::from_secs(10);
/// Pause before a mail that another worker has claimed is read again.
const PARKED_PAUSE: Duration = Duration::from_secs(2);
/// The mail worker.
pub struct Worker {
    table: Table,
    ses: Ses,
    clock: Arc<dyn Clock>,
    settings: Settings,
    outage: Outage,
}

/// The reason why a record could not be finished now. The stream delivers it again.
#[derive(Debug)]
struct RetryLater(String);

impl From<TableError> for RetryLater {
    fn from(error: TableError) -> Self {
        Self(error.to_string())
    }
}

impl Worker {
    /// A worker for the mails of a table.
    pub fn new(table: Table, ses: Ses, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        Self {
            table,
            ses,
            clock,
            settings,
            outage: Outage::default(),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }
}
