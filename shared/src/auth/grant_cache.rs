//! Tokens that were looked up a moment ago, and addresses that sent wrong ones.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use quick_cache::sync::Cache;

use super::token::Identity;
use crate::domain::Token;
use crate::limits;

/// How long a token is not looked up again, in seconds. What is looked up may be seconds old, and a
/// token must be refused within a minute after its end.
const REMEMBERED: i64 = 50;
const REMEMBERED_TOKENS: usize = 1_000;
const REMEMBERED_ADDRESSES: usize = 10_000;

/// A token that may be used, and its person.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The token.
    pub token: Token,
    /// The day on which its person used the service last with a session.
    pub signed_in_on: Option<NaiveDate>,
    /// Its person, without the rights of an admin.
    pub identity: Identity,
}

/// Tokens that were looked up, by the hash of their text, and wrong tokens by address (Z2).
pub struct GrantCache {
    grants: Cache<String, (Grant, DateTime<Utc>)>,
    wrong: Cache<String, Vec<DateTime<Utc>>>,
}

impl Default for GrantCache {
    fn default() -> Self {
        Self {
            grants: Cache::new(REMEMBERED_TOKENS),
            wrong: Cache::new(REMEMBERED_ADDRESSES),
        }
    }
}

impl GrantCache {
    /// Returns a token that was looked up within the last minute.
    pub fn find(&self, sha256: &str, now: DateTime<Utc>) -> Option<Grant> {
        let (grant, at) = self.grants.get(sha256)?;
        let is_fresh = (now - at).abs() < TimeDelta::seconds(REMEMBERED);
        is_fresh.then_some(grant)
    }

    /// Remembers a token that was looked up.
    pub fn saw(&self, grant: Grant, now: DateTime<Utc>) {
        self.grants.insert(grant.token.sha256.clone(), (grant, now));
    }

    /// Notes that the day of use of a token is stored.
    pub fn was_used(&self, token: &Token, on: NaiveDate) {
        if let Some((mut grant, at)) = self.grants.get(&token.sha256) {
            grant.token.last_used_on = Some(on);
            self.grants.insert(token.sha256.clone(), (grant, at));
        }
    }

    /// Forgets a token that was ended. Other functions forget it after a minute.
    pub fn forget(&self, token: &Token) {
        self.grants.remove(&token.sha256);
    }

    /// Notes a wrong token from an address. If there were too many in the last minute, it returns
    /// after how many seconds the next one is noted.
    pub fn wrong_one(&self, address: &str, now: DateTime<Utc>) -> Option<u64> {
        let mut all = self.wrong.get(address).unwrap_or_default();
        all.retain(|at| now - *at < TimeDelta::minutes(1));
        if all.len() < limits::WRONG_TOKENS {
            all.push(now);
            self.wrong.insert(address.to_owned(), all);
            return None;
        }
        let left = all[0] + TimeDelta::minutes(1) - now;
        Some(u64::try_from(left.num_seconds()).unwrap_or_default())
    }
}
