//! A clock that can be moved forward, so that deadlines and expiry can be tried.

use std::sync::Mutex;
use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};
use shared::time::{Clock, SystemClock};

/// The machine's clock, one that stands still, or one that follows tokio's, plus the time by which
/// it was moved.
#[derive(Debug)]
pub struct MovableClock {
    stopped_at: Option<DateTime<Utc>>,
    /// What tokio's clock showed when this one was made. Tests pause that clock, and move it by
    /// what they wait for.
    follows: Option<tokio::time::Instant>,
    moved: Mutex<TimeDelta>,
}

impl MovableClock {
    /// A clock that runs like the machine's clock.
    pub fn running() -> Self {
        Self {
            stopped_at: None,
            follows: None,
            moved: Mutex::default(),
        }
    }

    /// A clock that stands at `moment` until it is moved.
    pub fn standing_at(moment: DateTime<Utc>) -> Self {
        Self {
            stopped_at: Some(moment),
            follows: None,
            moved: Mutex::default(),
        }
    }

    /// A clock that shows `moment` now, and runs like tokio's clock.
    pub fn following_tokio(moment: DateTime<Utc>) -> Self {
        Self {
            follows: Some(tokio::time::Instant::now()),
            ..Self::standing_at(moment)
        }
    }

    /// What it showed when the machine's clock showed `moment`, had it been moved already.
    pub fn at(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        let moved = *self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = self.follows.map(|began| began.elapsed());
        let passed = passed.and_then(|passed| TimeDelta::from_std(passed).ok());
        self.stopped_at.unwrap_or(moment) + moved + passed.unwrap_or_default()
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
