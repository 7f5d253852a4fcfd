//! Tokens that name a person, and that only the service can make: addresses of calendars, and links
//! in mails. Nothing is stored for them.

use aws_lc_rs::{constant_time, hmac};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::ids::{Id, of};
use crate::settings::Secret;

/// Bytes of an id, which has 53 bits.
const ID: usize = 7;
/// Bytes of the proof: 128 bits cannot be guessed.
const PROOF: usize = 16;

/// Returns the token of a person: a prefix that says more, the id, and the proof of a text.
pub(crate) fn token(
    secret: &Secret,
    signed: &str,
    prefix: &[u8],
    person: Id<of::Person>,
) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal());
    let proof = hmac::sign(&key, signed.as_bytes());
    let id = person.get().to_be_bytes();
    let bytes = [prefix, &id[id.len() - ID..], &proof.as_ref()[..PROOF]].concat();
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the prefix of `N` bytes and the person of a token; none if it is no token. Whether the
/// service made it, only [`is_same`] tells.
pub(crate) fn named<const N: usize>(token: &str) -> Option<([u8; N], Id<of::Person>)> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
    let (prefix, rest) = bytes.split_first_chunk::<N>()?;
    let (id, proof) = rest.split_at_checked(ID)?;
    let number = id
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    (proof.len() == PROOF).then(|| (*prefix, Id::new(number)))
}

/// Compares a token with the right one, in constant time.
pub(crate) fn is_same(right: &str, token: &str) -> bool {
    constant_time::verify_slices_are_equal(right.as_bytes(), token.as_bytes()).is_ok()
}
