//! People whose profiles do not have to be read again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

use super::token::Identity;
use crate::domain::Person;
use crate::ids::Id;

/// People whose profile was up to date when it was last checked, so that not every request reads
/// it.
#[derive(Default)]
pub struct ProfileCache(Mutex<HashMap<Id<Person>, CheckedProfile>>);

/// What the token of a person said, and when it was compared with the stored profile.
type CheckedProfile = (Identity, DateTime<Utc>);

const REMEMBERED_MINUTES: i64 = 5;
const REMEMBERED_PEOPLE: usize = 10_000;

impl ProfileCache {
    /// Returns whether somebody was checked in the last few minutes with the same token claims.
    pub fn knows(&self, identity: &Identity, now: DateTime<Utc>) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |at: DateTime<Utc>| (now - at).abs() < TimeDelta::minutes(REMEMBERED_MINUTES);
        let same = |cached: &Identity| {
            Identity {
                issued_at: 0,
                ..cached.clone()
            } == Identity {
                issued_at: 0,
                ..identity.clone()
            }
        };
        seen.get(&identity.id)
            .is_some_and(|(cached, at)| same(cached) && fresh(*at))
    }

    /// Removes a person who was erased. Other functions that checked this person recently store the
    /// profile again when a request reads it, or after a few minutes.
    pub fn forget(&self, person: Id<Person>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&person);
    }

    /// Remembers a person whose profile is up to date.
    pub fn saw(&self, identity: &Identity, now: DateTime<Utc>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= REMEMBERED_PEOPLE {
            seen.clear();
        }
        seen.insert(identity.id, (identity.clone(), now));
    }
}
