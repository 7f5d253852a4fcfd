//! Registrations of clubs for fairs. The fair counts its registrations as references to it.

use crate::db::{Entity, Key, Table, TableError};
use crate::domain::catalogue::versions::invalidate_segments;
use crate::domain::reference::keys;
use crate::domain::reference::model::{Fair, Registration};
use crate::ids::Id;
use crate::kind::Kind;
use crate::text::ClubCode;

impl Entity for Registration {
    const KIND: Kind = Kind::Registration;

    fn key(&self) -> Key {
        keys::registration(self.fair, &self.club)
    }
}

impl Table {
    /// Returns the registration of a club for a fair: 1 read.
    pub async fn registration(
        &self,
        fair: Id<Fair>,
        club: &ClubCode,
    ) -> Result<Option<Registration>, TableError> {
        self.get(keys::registration(fair, club)).await
    }

    /// Stores registrations as they are. Only for loading data into a table that has no other
    /// writers.
    pub async fn load_registrations(
        &self,
        registrations: &[Registration],
    ) -> Result<(), TableError> {
        self.load(registrations).await?;
        self.write(invalidate_segments([keys::REGISTRATIONS.to_owned()]))
            .await
            .map(drop)
    }
}
