//! Outages of SES: when the worker stops, and how many mails it hands over at the same time (E20).

use chrono::{DateTime, TimeDelta, Utc};
use shared::models::EmailStatus;

/// Maximum number of mails that are handed to SES at the same time. When an outage begins, so many
/// can become `unknown`.
pub(crate) const SIDE_BY_SIDE: usize = 8;

/// An outage of SES. After several server errors in a row the worker stops sending for a while
/// (E20). Otherwise each further mail would become `unknown`.
#[derive(Debug, Default)]
pub(crate) struct Outage {
    /// Number of server errors in a row.
    errors: u32,
    /// Number of mails that SES took since the last server error.
    taken: usize,
    /// No mail is sent before this time.
    until: Option<DateTime<Utc>>,
}

impl Outage {
    /// Server errors in a row after which the worker stops.
    const ERRORS: u32 = 3;
    /// The first and the longest pause, in minutes. Each pause is twice as long as the one before.
    const MINUTES: (i64, i64) = (1, 15);

    pub(crate) fn is_on(&self, now: DateTime<Utc>) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Returns how many mails may be handed over at the same time: one at first and after an error,
    /// then twice as many each time. So few mails are on their way when an outage begins.
    pub(crate) fn side_by_side(&self) -> usize {
        (self.taken + 1).min(SIDE_BY_SIDE)
    }

    pub(crate) fn saw(&mut self, status: EmailStatus, now: DateTime<Utc>) {
        // Mails that were on their way when it stopped prolong the pause no further.
        if self.is_on(now) {
            return;
        }
        if status != EmailStatus::Unknown {
            *self = Self {
                taken: self.taken + usize::from(status == EmailStatus::Sent),
                ..Self::default()
            };
            return;
        }
        self.taken = 0;
        self.errors += 1;
        if let Some(more) = self.errors.checked_sub(Self::ERRORS) {
            let minutes = Self::MINUTES.1.min(Self::MINUTES.0 << more.min(10));
            self.until = Some(now + TimeDelta::minutes(minutes));
        }
    }
}
