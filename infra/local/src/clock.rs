//! A clock that can be moved forward, so that deadlines and expiry can be tried.

use std::sync::Mutex;
use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};
use shared::time::{Clock, SystemClock};

/// The machine's clock, or one that stands still, plus the time by which it was moved.
#[derive(Debug)]
pub struct MovableClock {
    stopped_at: Option<DateTime<Utc>>,
    moved: Mutex<TimeDelta>,
}

impl MovableClock {
    /// A clock that runs like the machine's clock.
    pub fn running() -> Self {
        Self {
            stopped_at: None,
            moved: Mutex::default(),
        }
    }

    /// A clock that stands at `moment` until it is moved.
    pub fn standing_at(moment: DateTime<Utc>) -> Self {
        Self {
            stopped_at: Some(moment),
            moved: Mutex::default(),
        }
    }

    /// What it showed when the machine's clock showed `moment`, had it been moved already.
    pub fn at(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        let moved = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        self.stopped_at.unwrap_or(moment) + moved
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: TimeDelta) {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for MovableClock {
    fn now(&self) -> DateTime<Utc> {
        self.at(SystemClock.now())
    }
}
