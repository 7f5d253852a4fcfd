//! Tokens that were verified already. A page of the site sends the same token with all its
//! requests, and checking a signature takes up to a quarter of the processor time of a small
//! request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use aws_lc_rs::digest;
use jsonwebtoken::DecodingKey;

/// What tokens said whose signature, issuer and audience were right. Their times are compared at
/// each request. No token is kept, only its hash.
pub struct VerifiedTokens<T>(Mutex<HashMap<Hash, (Arc<DecodingKey>, T)>>);

impl<T> Default for VerifiedTokens<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// The SHA-256 of a token.
type Hash = [u8; 32];

/// How many tokens are remembered. A function serves one request after another, so it has few
/// callers in a minute.
const MAX_REMEMBERED_TOKENS: usize = 1_000;

fn hash(token: &str) -> Hash {
    let hash = digest::digest(&digest::SHA256, token.as_bytes());
    std::array::from_fn(|i| hash.as_ref()[i])
}

impl<T: Clone> VerifiedTokens<T> {
    /// Returns what this token says, if it was verified with this key. All keys are new objects
    /// after the issuer's keys were fetched again, so tokens of removed keys are not found.
    pub fn find(&self, token: &str, key: &Arc<DecodingKey>) -> Option<T> {
        let tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (verified_with, verified) = tokens.get(&hash(token))?;
        Arc::ptr_eq(verified_with, key).then(|| verified.clone())
    }

    /// Remembers a token that was verified with this key.
    pub fn add(&self, token: &str, key: &Arc<DecodingKey>, verified: T) {
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= MAX_REMEMBERED_TOKENS {
            tokens.clear();
        }
        tokens.insert(hash(token), (key.clone(), verified));
    }
}
