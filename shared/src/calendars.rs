//! Addresses of calendars of one's own. The token is derived from the profile, so that a new
//! profile, or a new number in it, ends the old address (P19).

use crate::domain::Person;
use crate::ids::{Id, of};
use crate::person_token;
use crate::settings::Secret;

/// Returns the token of the person's present address.
pub fn token(secret: &Secret, person: &Person) -> String {
    let (id, since) = (person.id, person.created_at.epoch_seconds());
    let signed = format!("calendar\n{id}\n{since}\n{}", person.calendar);
    person_token::token(secret, &signed, &[], id)
}

/// Returns the person whom a token names; none if it is no token.
pub fn person_of(token: &str) -> Option<Id<of::Person>> {
    person_token::named::<0>(token).map(|(_, person)| person)
}

/// Returns whether this is the token of the person's present address.
pub fn is_present(secret: &Secret, person: &Person, token: &str) -> bool {
    person_token::is_same(&self::token(secret, person), token)
}
