//! The keys of extensions in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};

pub(crate) const OWN_EXTENSIONS: &str = "EXTENSION#";

pub(crate) fn own_extension(person: Id<of::Person>, application: Id<of::Application>) -> Key {
    let sk = format!("{OWN_EXTENSIONS}{}", padded(application));
    Key::new(own(person), sk)
}

pub(crate) fn extensions(application: Id<of::Application>) -> String {
    format!("EXTENSIONS#{}", padded(application))
}

pub(crate) fn extension(application: Id<of::Application>, extension: Id<of::Extension>) -> Key {
    Key::new(extensions(application), padded(extension))
}
