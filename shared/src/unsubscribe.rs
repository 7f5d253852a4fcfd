//! Links in reminders and news that end them. A token names a person and a kind of notice, and does
//! nothing else. It is derived from the profile (G4).

use crate::domain::{NoticeKind, Person};
use crate::ids::{Id, of};
use crate::person_token;
use crate::settings::Secret;
use crate::time::Timestamp;

const KINDS: [NoticeKind; 4] = [
    NoticeKind::Drafts,
    NoticeKind::Interviews,
    NoticeKind::News,
    NoticeKind::Events,
];

/// Returns the token of a person whose profile is from this time.
pub fn token(
    secret: &Secret,
    person: Id<of::Person>,
    since: Timestamp,
    kind: NoticeKind,
) -> String {
    let number = KINDS.iter().position(|one| *one == kind);
    let number = number.and_then(|number| u8::try_from(number).ok());
    let number = number.unwrap_or_default();
    let since = since.epoch_seconds();
    let signed = format!("unsubscribe\n{person}\n{since}\n{number}");
    person_token::token(secret, &signed, &[number], person)
}

/// Returns the person and the kind that a token names; none if it is no token.
pub fn named(token: &str) -> Option<(Id<of::Person>, NoticeKind)> {
    let ([kind], person) = person_token::named(token)?;
    Some((person, *KINDS.get(usize::from(kind))?))
}

/// Returns whether this is the token of this profile.
pub fn is_of(secret: &Secret, person: &Person, kind: NoticeKind, token: &str) -> bool {
    let right = self::token(secret, person.id, person.created_at, kind);
    person_token::is_same(&right, token)
}
