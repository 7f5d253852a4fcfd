//! Clubs that are registered for fairs. The fair counts them, as what refers to it.

use super::catalogue::moved;
use super::conditions::authority;
use super::lookups::count_use;
use super::{Entity, Key, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{ClubCode, Fair, LookupKind as _, Membership, Registration};

impl Entity for Registration {
    const TYPE: &'static str = "Registration";

    fn key(&self) -> Key {
        keys::registration(self.fair, &self.club)
    }
}

impl Table {
    /// Whether a club is registered for a fair: 1 read.
    pub async fn registration(
        &self,
        fair: Id<Fair>,
        club: &ClubCode,
    ) -> Result<Option<Registration>, TableError> {
        self.get(keys::registration(fair, club)).await
    }

    /// Registers a club, or no longer. `by` is the officer's membership; none for admins. Refused
    /// if it is so already, if the fair is gone, or if the officer is none any more.
    pub async fn register(
        &self,
        registration: &Registration,
        status: bool,
        by: Option<&Membership>,
    ) -> Result<(), TableError> {
        let item = if status {
            Write::put(registration)?.if_new()
        } else {
            Write::delete(registration.key()).if_exists()
        };
        let count = count_use(
            keys::lookup(Fair::PART, registration.fair),
            if status { 1 } else { -1 },
        );
        let writes = [item, count, moved([keys::REGISTRATIONS.to_owned()])];
        self.transact(writes.into_iter().chain(authority(by, &[])).collect())
            .await
    }

    /// Stores registrations as they are: for loading data into a table that nobody else writes.
    pub async fn load_registrations(
        &self,
        registrations: &[Registration],
    ) -> Result<(), TableError> {
        self.load(registrations).await?;
        self.write(moved([keys::REGISTRATIONS.to_owned()]))
            .await
            .map(drop)
    }
}
