//! Tokens that were looked up a moment ago, and addresses that sent wrong ones.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

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
#[derive(Default)]
pub struct GrantCache {
    grants: Mutex<HashMap<String, (Grant, DateTime<Utc>)>>,
    wrong: Mutex<HashMap<String, Vec<DateTime<Utc>>>>,
}

impl GrantCache {
    /// Returns a token that was looked up within the last minute.
    pub fn find(&self, sha256: &str, now: DateTime<Utc>) -> Option<Grant> {
        let grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        let (grant, at) = grants.get(sha256)?;
        let is_fresh = (now - *at).abs() < TimeDelta::seconds(REMEMBERED);
        is_fresh.then(|| grant.clone())
    }

    /// Remembers a token that was looked up.
    pub fn saw(&self, grant: Grant, now: DateTime<Utc>) {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        if grants.len() >= REMEMBERED_TOKENS {
            grants.clear();
        }
        grants.insert(grant.token.sha256.clone(), (grant, now));
    }

    /// Notes that the day of use of a token is stored.
    pub fn was_used(&self, token: &Token, on: NaiveDate) {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((grant, _)) = grants.get_mut(&token.sha256) {
            grant.token.last_used_on = Some(on);
        }
    }

    /// Forgets a token that was ended. Other functions forget it after a minute.
    pub fn forget(&self, token: &Token) {
        let mut grants = self.grants.lock().unwrap_or_else(PoisonError::into_inner);
        grants.remove(&token.sha256);
    }

    /// Notes a wrong token from an address. If there were too many in the last minute, it returns
    /// after how many seconds the next one is noted.
    pub fn wrong_one(&self, address: &str, now: DateTime<Utc>) -> Option<u64> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if wrong.len() >= REMEMBERED_ADDRESSES {
            wrong.clear();
        }
        let all = wrong.entry(address.to_owned()).or_default();
        all.retain(|at| now - *at < TimeDelta::minutes(1));
        if all.len() < limits::WRONG_TOKENS {
            all.push(now);
            return None;
        }
        let left = all[0] + TimeDelta::minutes(1) - now;
        Some(u64::try_from(left.num_seconds()).unwrap_or_default())
    }
}
