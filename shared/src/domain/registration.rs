//! How clubs register for fairs.

use crate::db::{Entity as _, Table, TableError, Write};
use crate::domain::catalogue::versions::invalidate;
use crate::domain::member::authority::authority;
use crate::domain::member::model::Membership;
use crate::domain::reference::keys;
use crate::domain::reference::model::{Fair, ReferenceKind as _, Registration};
use crate::domain::reference::store::count_use;

impl Table {
    /// Stores a registration (`status` true), or deletes the one that was read (false). `by` is the
    /// officer's membership; `None` for admins.
    ///
    /// Refused if the club already has this status, if it registered again since it was read, if
    /// the fair no longer exists, or if `by` is no longer an officer; as
    /// [`crate::db::Refusal::Deleted`] if it was taken off after the request was received.
    pub async fn register(
        &self,
        registration: &Registration,
        status: bool,
        by: Option<&Membership>,
    ) -> Result<(), TableError> {
        let item = if status {
            Write::create(registration)?
        } else {
            Write::delete_with_tombstone(registration.key())
                .if_equals("received", &registration.received)
        };
        let count = count_use(
            keys::reference(Fair::SEGMENT, registration.fair),
            if status { 1 } else { -1 },
        );
        let writes = [item, count, invalidate(&[registration.key()])];
        self.transact(writes.into_iter().chain(authority(by, &[])).collect())
            .await
    }
}
