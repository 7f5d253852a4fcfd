//! Sends mails: claims a mail, hands it to SES and stores the result (E12).

mod batch;
mod send;
mod settle;

use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
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
    /// The time zone of the campus.
    zone: Tz,
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
    ///
    /// # Errors
    ///
    /// If the time zone of the campus is not known.
    pub fn new(
        table: Table,
        ses: Ses,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Result<Self, String> {
        let zone = settings.mail.time_zone.parse();
        let zone = zone.map_err(|_| "settings: CAMPUS_TIME_ZONE is no time zone".to_owned())?;
        Ok(Self {
            table,
            ses,
            clock,
            settings,
            zone,
            outage: Outage::default(),
        })
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }
}
