//! The keys of bookings in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// This prefix sorts before favorites, too.
pub(crate) const BOOKINGS: &str = "BOOKING#";

/// Returns the key of the mails about a person's interviews in an application.
pub(crate) fn appointment_mails(person: Id<of::Person>, application: Id<of::Application>) -> Key {
    let sk = format!("APPOINTMENTS#{}", padded(application));
    Key::new(own(person), sk)
}

/// Returns the key of what a person has booked for a submission. The id of the submission is a
/// plain number, because a submission contains its interview.
pub(crate) fn booking(person: Id<of::Person>, submission: u64) -> Key {
    Key::new(own(person), format!("{BOOKINGS}{}", padded(submission)))
}
