//! Outages of SES: when all workers stop, and how many mails one hands over at the same time (E20).

use chrono::{DateTime, Utc};
use shared::db::{Table, TableError};
use shared::domain::EmailStatus;
use shared::domain::MailOutage;
use tokio::sync::Mutex;

/// Maximum number of mails that a worker hands to SES at the same time. When an outage begins, so
/// many can become `unknown`.
pub(crate) const SIDE_BY_SIDE: usize = 8;

/// Server errors in a row after which all workers stop.
const ERRORS: u32 = 3;
/// The first and the longest pause, in minutes. Each pause is twice as long as the one before.
const MINUTES: (i64, i64) = (1, 15);
/// How often a change is tried again that another worker was faster with.
const MAX_TRIES: u32 = 5;

/// An outage of SES. After several server errors in a row all workers stop sending for a while
/// (E20). Otherwise each further mail would become `unknown`. The errors are counted in the table,
/// so that a worker that dies, or one that starts, does not count anew.
#[derive(Default)]
pub(crate) struct Outage(Mutex<State>);

#[derive(Default)]
struct State {
    outage: MailOutage,
    /// Number of mails that SES took from this worker since the last server error.
    taken: usize,
    /// Whether this worker tries one mail after a pause.
    is_trying: bool,
}

impl Outage {
    /// Reads what the workers know, and returns how many mails may be handed over at the same time:
    /// one at first and after an error, then more with each mail that is taken. So few mails are on
    /// their way when an outage begins.
    pub(crate) async fn side_by_side(&self, table: &Table) -> Result<usize, TableError> {
        let mut state = self.0.lock().await;
        state.outage = table.mail_outage().await?;
        if state.outage.errors > 0 {
            state.taken = 0;
        }
        Ok((state.taken + 1).min(SIDE_BY_SIDE))
    }

    /// Returns whether a mail may be handed over. After a pause, one worker tries it with one mail.
    pub(crate) async fn may_send(
        &self,
        table: &Table,
        now: DateTime<Utc>,
    ) -> Result<bool, TableError> {
        let mut state = self.0.lock().await;
        if state.outage.is_on(now) {
            return Ok(false);
        }
        if state.outage.errors < ERRORS {
            return Ok(true);
        }
        let until = pause(now, MINUTES.0);
        let errors = state.outage.errors;
        match table.change_mail_outage(&state.outage, errors, until).await {
            Ok(outage) => {
                state.outage = outage;
                state.is_trying = true;
                Ok(true)
            }
            // Another worker tries it.
            Err(TableError::Refused(_)) => {
                state.outage = table.mail_outage().await?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Counts the outcome of a mail.
    pub(crate) async fn saw(
        &self,
        table: &Table,
        status: EmailStatus,
        now: DateTime<Utc>,
    ) -> Result<(), TableError> {
        let mut state = self.0.lock().await;
        let is_try = std::mem::take(&mut state.is_trying);
        // Throttled, or without a connection: this says nothing of the service. A try that ends so
        // is made again after a minute.
        if status == EmailStatus::Queued {
            return Ok(());
        }
        let is_error = status == EmailStatus::Unknown;
        state.taken = match status {
            EmailStatus::Unknown => 0,
            EmailStatus::Sent => state.taken + 1,
            _ => state.taken,
        };
        for _ in 0..MAX_TRIES {
            // Mails that were on their way when it stopped change nothing.
            if (state.outage.is_on(now) && !is_try) || (!is_error && state.outage.errors == 0) {
                return Ok(());
            }
            let (errors, until) = if is_error {
                let errors = state.outage.errors.saturating_add(1);
                let minutes = errors
                    .checked_sub(ERRORS)
                    .map(|more| MINUTES.0 << more.min(10));
                let until = minutes.map_or(0, |minutes| pause(now, minutes.min(MINUTES.1)));
                (errors, until)
            } else {
                (0, 0)
            };
            match table.change_mail_outage(&state.outage, errors, until).await {
                Ok(outage) => {
                    state.outage = outage;
                    return Ok(());
                }
                Err(TableError::Refused(_)) => state.outage = table.mail_outage().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The end of a pause, in milliseconds since 1970.
fn pause(now: DateTime<Utc>, minutes: i64) -> i64 {
    now.timestamp_millis() + minutes * 60_000
}
