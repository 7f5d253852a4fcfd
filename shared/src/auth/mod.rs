//! Authentication: OpenID Connect bearer tokens, verified with the issuer's keys (P1, P2).

mod keys;
mod known;
mod token;
mod verified;

pub use keys::{FixedKeys, IssuerKeys, KeySource, Keys};
pub use known::KnownPeople;
pub use token::{Identity, TokenError, Verifier};
