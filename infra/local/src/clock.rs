//! A clock that can be moved, so that deadlines and expiry can be tried.

use std::sync::Mutex;
use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};
use shared::time::{Clock, SystemClock};

/// The machine's clock or a standing one, and by how much it was moved.
#[derive(Debug)]
pub struct MovableClock {
    standing: Option<DateTime<Utc>>,
    moved: Mutex<TimeDelta>,
}

impl MovableClock {
    /// Runs like the machine's clock.
    pub fn running() -> Self {
        Self {
            standing: None,
            moved: Mutex::default(),
        }
    }

    /// Stands at `moment` until it is moved.
    pub fn standing_at(moment: DateTime<Utc>) -> Self {
        Self {
            standing: Some(moment),
            moved: Mutex::default(),
        }
    }

    /// Moves the clock.
    pub fn advance(&self, by: TimeDelta) {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> DateTime<Utc> {
        self.standing.unwrap_or_else(|| SystemClock.now())
            + *self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
