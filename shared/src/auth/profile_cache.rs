//! People whose profiles do not have to be read again.

use chrono::{DateTime, TimeDelta, Utc};
use quick_cache::sync::Cache;

use super::token::Identity;
use crate::ids::{Id, of};

/// People whose profile was up to date when it was last checked, so that not every request reads
/// it.
pub struct ProfileCache(Cache<Id<of::Person>, CheckedProfile>);

impl Default for ProfileCache {
    fn default() -> Self {
        Self(Cache::new(REMEMBERED_PEOPLE))
    }
}

/// What the token of a person said, and when it was compared with the stored profile.
type CheckedProfile = (Identity, DateTime<Utc>);

const REMEMBERED_MINUTES: i64 = 5;
const REMEMBERED_PEOPLE: usize = 10_000;

impl ProfileCache {
    /// Returns whether somebody was checked in the last few minutes with the same token claims.
    pub fn knows(&self, identity: &Identity, now: DateTime<Utc>) -> bool {
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
        let seen = self.0.get(&identity.id);
        seen.is_some_and(|(cached, at)| same(&cached) && fresh(at))
    }

    /// Removes a person who is erased. Other functions that checked this person recently store the
    /// profile again when a request reads it, or after a few minutes.
    pub fn forget(&self, person: Id<of::Person>) {
        self.0.remove(&person);
    }

    /// Remembers a person whose profile is up to date.
    pub fn saw(&self, identity: &Identity, now: DateTime<Utc>) {
        self.0.insert(identity.id, (identity.clone(), now));
    }
}
