//! Links in reminders and news that end them. A token names a person and a kind of notice, and does
//! nothing else. Nothing is stored for it: it is derived from the profile (G4).

use aws_lc_rs::{constant_time, hmac};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::domain::{NoticeKind, Person};
use crate::ids::Id;
use crate::settings::Secret;
use crate::time::Timestamp;

/// Bytes of an id, which has 53 bits.
const ID: usize = 7;
/// Bytes of the proof: 128 bits cannot be guessed.
const PROOF: usize = 16;
const KINDS: [NoticeKind; 3] = [NoticeKind::Drafts, NoticeKind::Interviews, NoticeKind::News];

/// Returns the token of a person whose profile is from this time.
pub fn token(secret: &Secret, person: Id<Person>, since: Timestamp, kind: NoticeKind) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal());
    let number = KINDS.iter().position(|known| *known == kind);
    let number = number.and_then(|number| u8::try_from(number).ok());
    let number = number.unwrap_or_default();
    let since = since.epoch_seconds();
    let signed = format!("unsubscribe\n{person}\n{since}\n{number}");
    let proof = hmac::sign(&key, signed.as_bytes());
    let id = person.get().to_be_bytes();
    let bytes = [&[number], &id[id.len() - ID..], &proof.as_ref()[..PROOF]].concat();
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the person and the kind that a token names; none if it is no token.
pub fn named(token: &str) -> Option<(Id<Person>, NoticeKind)> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).ok()?;
    let (kind, rest) = bytes.split_first()?;
    let (id, proof) = rest.split_at_checked(ID)?;
    let number = id
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let kind = KINDS.get(usize::from(*kind))?;
    (proof.len() == PROOF).then(|| (Id::new(number), *kind))
}

/// Returns whether this is the token of this profile. The comparison takes constant time.
pub fn is_of(secret: &Secret, person: &Person, kind: NoticeKind, token: &str) -> bool {
    let right = self::token(secret, person.id, person.created_at, kind);
    constant_time::verify_slices_are_equal(right.as_bytes(), token.as_bytes()).is_ok()
}
