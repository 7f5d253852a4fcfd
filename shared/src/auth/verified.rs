//! Tokens that were verified already. A page of the site sends the same token with all its
//! requests, and checking a signature takes up to a quarter of the processor time of a small
//! request.

use std::sync::Arc;

use aws_lc_rs::digest;
use jsonwebtoken::DecodingKey;
use quick_cache::sync::Cache;

/// What tokens said whose signature, issuer and audience were right. Their times are compared at
/// each request. No token is kept, only its hash.
pub struct VerifiedTokens<T>(Cache<Hash, (Arc<DecodingKey>, T)>);

impl<T: Clone> Default for VerifiedTokens<T> {
    fn default() -> Self {
        Self(Cache::new(MAX_REMEMBERED_TOKENS))
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
        let (verified_with, verified) = self.0.get(&hash(token))?;
        Arc::ptr_eq(&verified_with, key).then_some(verified)
    }

    /// Remembers a token that was verified with this key.
    pub fn add(&self, token: &str, key: &Arc<DecodingKey>, verified: T) {
        self.0.insert(hash(token), (key.clone(), verified));
    }
}
