//! The keys of mails in the table.

use crate::db::Key;
use crate::db::keys::{address, own, padded};
use crate::domain::outbox::state::MailKind;
use crate::ids::{Id, of};

pub(crate) fn addressed_mail(email: &str, about: u64, sequence: u64) -> Key {
    Key::new(
        address(email),
        format!("MAIL#{}#{}", padded(about), padded(sequence)),
    )
}

pub(crate) fn own_mail(person: Id<of::Person>, about: u64, sequence: u64) -> Key {
    Key::new(
        own(person),
        format!("{OWN_MAILS}{}#{}", padded(about), padded(sequence)),
    )
}

/// Begins the sort keys of the mails in the part of the index of a person.
pub(crate) const OWN_MAILS: &str = "MAIL#";

pub(crate) fn outbox(about: u64, sequence: u64, kind: MailKind, attempt: u32) -> Key {
    Key::new(
        format!("OUTBOX#{}", padded(about)),
        format!("{}#{}#{attempt:06}", padded(sequence), kind.name()),
    )
}
