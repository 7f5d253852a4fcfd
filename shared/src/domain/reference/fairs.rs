//! Registrations of clubs for fairs. The fair counts its registrations as references to it.

use crate::db::Tombstone;
use crate::db::response::AnyItem as _;
use crate::db::{Entity, Table, TableError, Write};
use crate::domain::catalogue::versions::invalidate_segments;
use crate::domain::conditions::authority;
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::member::model::Membership;
use crate::domain::reference::model::{Fair, ReferenceKind as _, Registration};
use crate::domain::reference::store::count_use;
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::RequestTime;

impl Entity for Registration {
    const TYPE: &'static str = "Registration";

    fn key(&self) -> Key {
        keys::registration(self.fair, &self.club)
    }
}

/// Whether a club is registered for a fair.
#[derive(Debug)]
pub enum Registered {
    /// Nobody knows of a registration.
    Never,
    /// It was taken off by the request with this order number.
    NoLonger(u64),
    /// It is.
    Now(Registration),
}

impl Registered {
    /// Returns whether a later request than this registration's decided it, or an earlier attempt
    /// of the same request: repeats of one key have one number.
    pub fn is_later_than(&self, new: &Registration) -> bool {
        match self {
            Self::Never => false,
            Self::NoLonger(received) => *received >= new.received,
            // Those of earlier releases have no number.
            Self::Now(there) if there.received == 0 => there.created_at > new.created_at,
            Self::Now(there) => there.received >= new.received,
        }
    }

    /// Returns the registration, if there is one.
    pub fn into_registration(self) -> Option<Registration> {
        match self {
            Self::Now(there) => Some(there),
            Self::Never | Self::NoLonger(_) => None,
        }
    }
}

impl Table {
    /// Returns whether a club is registered for a fair, and since which request: 1 read.
    pub async fn registration(
        &self,
        fair: Id<Fair>,
        club: &ClubCode,
    ) -> Result<Registered, TableError> {
        let Some(item) = self.read(keys::registration(fair, club)).await? else {
            return Ok(Registered::Never);
        };
        Ok(match item.kind() {
            Tombstone::TYPE => Registered::NoLonger(item.entity::<Tombstone>()?.received),
            _ => Registered::Now(item.entity()?),
        })
    }

    /// Stores a registration (`status` true), or deletes the one that was read (false). `by` is the
    /// officer's membership; `None` for admins.
    ///
    /// Refused if the club already has this status, if it registered again since it was read, if
    /// the fair no longer exists, or if `by` is no longer an officer.
    pub async fn register(
        &self,
        registration: &Registration,
        status: bool,
        by: Option<&Membership>,
    ) -> Result<(), TableError> {
        let item = if status {
            Write::create(registration)?
        } else {
            let delete = Write::delete_with_tombstone(registration.key());
            let delete = delete.if_equals("created_at", &registration.created_at);
            match registration.received {
                0 => delete.if_absent_or_equals("received", &0),
                number => delete.if_equals("received", &number),
            }
        };
        let count = count_use(
            keys::reference(Fair::PART, registration.fair),
            if status { 1 } else { -1 },
        );
        let writes = [item, count, self.invalidate(&[registration.key()])];
        self.transact(writes.into_iter().chain(authority(by, &[])).collect())
            .await
    }

    /// Notes that the club asked once more for the status that it has, so that no older request can
    /// change it later: 1 write. Refused if the status changed since it was read.
    pub async fn confirm_registration(
        &self,
        registration: &Registration,
        status: bool,
    ) -> Result<(), TableError> {
        let (key, received) = (registration.key(), registration.received);
        let write = if status {
            Write::update(key)
                .set("received", &received)
                .if_equals(keys::TYPE, &Registration::TYPE)
                .if_absent_or_below("received", &received)
        } else {
            let at = registration.created_at;
            Write::put(&Tombstone::new(key, RequestTime { received, at }))?
                .if_new_or_tombstone(received)
        };
        self.write(write).await.map(drop)
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
