//! The keys of slots in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

/// Returns the partition of the slots of an application and of their notes.
pub(crate) fn slots(application: Id<of::Application>) -> String {
    format!("SLOTS#{}", padded(application))
}

pub(crate) const SLOTS: &str = "SLOT#";

pub(crate) fn slot(application: Id<of::Application>, slot: Id<of::Slot>) -> Key {
    Key::new(slots(application), format!("{SLOTS}{}", padded(slot)))
}

pub(crate) const SLOT_NOTES: &str = "NOTE#";

pub(crate) fn slot_note(application: Id<of::Application>, slot: Id<of::Slot>) -> Key {
    Key::new(slots(application), format!("{SLOT_NOTES}{}", padded(slot)))
}

/// This prefix sorts before favorites, too.
pub(crate) const OWN_INTERVIEWS: &str = "ASKING#";

/// Returns the key of what tells that a person holds interviews of an application.
pub(crate) fn own_interviews(person: Id<of::Person>, application: Id<of::Application>) -> Key {
    Key::new(
        own(person),
        format!("{OWN_INTERVIEWS}{}", padded(application)),
    )
}
