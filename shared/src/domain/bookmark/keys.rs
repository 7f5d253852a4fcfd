//! The keys of favorites and subscriptions in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::club::keys::club_items;
use crate::domain::person::keys::own;
use crate::ids::{Id, of};
use crate::text::ClubCode;

/// The sort key prefixes of favorites and subscriptions. They are in the partition of the person's
/// profile, because reads of the table are strongly consistent and reads of the index are not.
pub(crate) const FAVORITES: &str = "FAVORITE#";

pub(crate) const SUBSCRIPTIONS: &str = "SUBSCRIPTION#";

pub(crate) fn favorite(person: Id<of::Person>, favorite: Id<Favorite>) -> Key {
    Key::new(own(person), format!("{FAVORITES}{}", padded(favorite)))
}

pub(crate) fn subscription(person: Id<of::Person>, subscription: Id<Subscription>) -> Key {
    Key::new(
        own(person),
        format!("{SUBSCRIPTIONS}{}", padded(subscription)),
    )
}

pub(crate) const SUBSCRIBERS: &str = "SUBSCRIBER#";

pub(crate) fn subscriber(club: &ClubCode, person: Id<of::Person>) -> Key {
    Key::new(club_items(club), format!("{SUBSCRIBERS}{}", padded(person)))
}
