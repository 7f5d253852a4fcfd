//! The keys of the collections that admins edit in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::reference::model::Fair;
use crate::ids::Id;
use crate::text::ClubCode;

pub(crate) fn reference<T>(segment: &str, id: Id<T>) -> Key {
    Key::new(segment.to_owned(), padded(id))
}

/// Returns the key that reserves the name of an entry. It contains a hash of the name, because the
/// length of keys is limited.
pub(crate) fn reference_name(segment: &str, name: &str) -> Key {
    Key::new(
        format!("{segment}#NAMES"),
        crate::ids::sha256_hex(crate::text::fold(name).as_bytes()),
    )
}

/// Returns the key of the entry whose name is reserved in this partition.
pub(crate) fn named_reference(names: &str, id: u64) -> Option<Key> {
    let segment = names.strip_suffix("#NAMES")?;
    Some(reference::<()>(segment, Id::new(id)))
}

pub(crate) fn year_uses(year: u16) -> Key {
    Key::new("YEARS#USES".into(), year.to_string())
}

/// The partition of the registrations of clubs for fairs. The catalogue segment has the same name.
pub const REGISTRATIONS: &str = "REGISTRATIONS";

pub(crate) fn registration(fair: Id<Fair>, club: &ClubCode) -> Key {
    Key::new(REGISTRATIONS.into(), format!("{}#{club}", padded(fair)))
}
