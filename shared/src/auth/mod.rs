//! Who is calling: OpenID Connect bearer tokens, verified against the issuer's keys (P1, P2).

mod keys;
mod token;
mod user;

pub use keys::{FixedKeys, IssuerKeys, KeySource, Keys};
pub use token::{Identity, Verifier};
pub use user::{ERASING, KnownPeople, User};
