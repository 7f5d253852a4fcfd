//! The keys of extensions in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::model::Application;
use crate::domain::extension::model::Extension;
use crate::domain::person::keys::own;
use crate::domain::person::model::Person;
use crate::ids::Id;

pub(crate) const OWN_EXTENSIONS: &str = "EXTENSION#";

pub(crate) fn own_extension(person: Id<Person>, application: Id<Application>) -> Key {
    let sk = format!("{OWN_EXTENSIONS}{}", padded(application));
    Key::new(own(person), sk)
}

pub(crate) fn extensions(application: Id<Application>) -> String {
    format!("EXTENSIONS#{}", padded(application))
}

pub(crate) fn extension(application: Id<Application>, extension: Id<Extension>) -> Key {
    Key::new(extensions(application), padded(extension))
}
