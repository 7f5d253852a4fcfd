//! Authentication: OpenID Connect bearer tokens, verified with the issuer's keys (P1, P2), and
//! tokens of programs (Z1).

mod keys;
mod known;
mod known_tokens;
mod secret;
mod token;
mod verified;

pub use keys::{FixedKeys, IssuerKeys, KeySource, Keys};
pub use known::KnownPeople;
pub use known_tokens::{Grant, KnownTokens};
pub use secret::{Secret, is_secret};
pub use token::{Identity, TokenError, Verifier};
