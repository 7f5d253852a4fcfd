//! Authorization codes and refresh tokens of the local issuer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::rand;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};

use crate::issuer::Subject;

/// What was issued and can be exchanged for tokens.
#[derive(Default)]
pub struct Grants(Mutex<HashMap<String, SignInGrant>>);

/// One of them.
#[derive(Clone)]
pub(crate) struct SignInGrant {
    pub(crate) subject: Subject,
    pub(crate) nonce: Option<String>,
    /// For a code: the challenge, the redirect address, and until when it can be exchanged. A
    /// refresh token has none.
    pub(crate) code: Option<(String, String, DateTime<Utc>)>,
    /// For a refresh token that was used: until when it can be used again.
    pub(crate) used_until: Option<DateTime<Utc>>,
}

impl Grants {
    /// Keeps a grant, and returns its name.
    pub(crate) fn store(&self, grant: SignInGrant) -> String {
        let mut bytes = [0; 32];
        let _ = rand::fill(&mut bytes);
        let name = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.insert(name.clone(), grant);
        name
    }

    /// Returns the grant of a refresh token. It can be used once, and for a minute more: a page
    /// that is loaded again while it renews its session does not hear the response.
    pub(crate) fn renew(&self, name: &str, now: DateTime<Utc>) -> Option<SignInGrant> {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = now + TimeDelta::minutes(1);
        let grant = grants.get_mut(name).filter(|grant| grant.code.is_none())?;
        let until = *grant.used_until.get_or_insert(ends);
        if now > until {
            return grants.remove(name).and(None);
        }
        Some(grant.clone())
    }

    /// Removes a grant: a code can be used once.
    pub(crate) fn take(&self, name: &str) -> Option<SignInGrant> {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.remove(name)
    }
}
