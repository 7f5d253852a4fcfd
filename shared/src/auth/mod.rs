//! Authentication: OpenID Connect bearer tokens, verified with the issuer's keys (P1, P2), and
//! tokens of programs (Z1).

mod grant_cache;
mod keys;
mod profile_cache;
mod secret;
mod token;
mod verified;

pub use grant_cache::{Grant, GrantCache};
pub use keys::{FixedKeys, IssuerKeys, KeySource, Keys};
pub use profile_cache::ProfileCache;
pub use secret::{TokenSecret, is_secret};
pub use token::{Identity, TokenError, Verifier};
