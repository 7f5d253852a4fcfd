//! Addresses of calendars of one's own. A token names a person, and only the service can make it.
//! Nothing is stored for it: it is derived from the profile, so that a new profile, or a new number
//! in it, ends the old address (P19).

use aws_lc_rs::{constant_time, hmac};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::domain::Person;
use crate::ids::Id;
use crate::settings::Secret;

/// Bytes of an id, which has 53 bits.
const ID: usize = 7;
/// Bytes of the proof: 128 bits cannot be guessed.
const PROOF: usize = 16;

fn proof(secret: &Secret, person: &Person) -> hmac::Tag {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal());
    let (id, since) = (person.id, person.created_at.epoch_seconds());
    let signed = format!("calendar\n{id}\n{since}\n{}", person.calendar);
    hmac::sign(&key, signed.as_bytes())
}

/// Returns the token of the person's present address.
pub fn token(secret: &Secret, person: &Person) -> String {
    let id = person.id.get().to_be_bytes();
    let proof = proof(secret, person);
    let bytes = [&id[id.len() - ID..], &proof.as_ref()[..PROOF]].concat();
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the person whom a token names; none if it is no token.
pub fn person_of(token: &str) -> Option<Id<Person>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
    let (id, proof) = bytes.split_at_checked(ID)?;
    let number = id
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    (proof.len() == PROOF).then(|| Id::new(number))
}

/// Returns whether this is the token of the person's present address. The comparison takes constant
/// time.
pub fn is_present(secret: &Secret, person: &Person, token: &str) -> bool {
    let present = self::token(secret, person);
    constant_time::verify_slices_are_equal(present.as_bytes(), token.as_bytes()).is_ok()
}
