//! What a router is built with. Whatever differs between Lambda, a laptop and a test is in here;
//! nothing else knows.

use std::sync::Arc;

use crate::auth::{KnownPeople, Verifier};
use crate::catalogue::{Catalogue, Clubs, ListedClub, ListedEvent};
use crate::ids::Ids;
use crate::lookups::{Entries, InMemory, Lookups};
use crate::media::Media;
use crate::settings::Settings;
use crate::table::{Table, TableError, Versions};
use crate::time::Clock;

/// The state of every router.
pub type Shared = Arc<App>;

/// Everything that a handler may need.
pub struct App {
    /// The table.
    pub table: Table,
    /// Verifies tokens.
    pub verifier: Verifier,
    /// Whose profiles need not be looked at.
    pub known_people: KnownPeople,
    /// All clubs, in memory.
    pub clubs: Catalogue<ListedClub>,
    /// Events with showings, in memory by the month of their end.
    pub events: Catalogue<ListedEvent>,
    /// The collections that admins keep, in memory.
    pub lookups: Lookups,
    /// Keeps images.
    pub media: Media,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Ids,
    /// What the deployment decides.
    pub settings: Settings,
}

impl App {
    /// The state, with empty caches.
    pub fn new(
        table: Table,
        verifier: Verifier,
        media: Media,
        clock: Arc<dyn Clock>,
        ids: Ids,
        settings: Settings,
    ) -> Shared {
        let (known_people, clubs, events) = (
            KnownPeople::default(),
            Catalogue::default(),
            Catalogue::default(),
        );
        Arc::new(Self {
            table,
            verifier,
            known_people,
            clubs,
            events,
            lookups: Lookups::default(),
            media,
            clock,
            ids,
            settings,
        })
    }

    /// The present second.
    pub fn now(&self) -> crate::time::Timestamp {
        crate::time::Timestamp::at(self.clock.now())
    }

    /// A new id.
    pub fn next_id(&self) -> u64 {
        self.ids.next(self.clock.now())
    }

    /// All clubs as they were at `versions`.
    pub async fn all_clubs(&self, versions: &Versions) -> Result<Clubs, TableError> {
        let now = self.clock.now();
        self.clubs.clubs(&self.table, versions, now).await
    }

    /// A collection of admins as it was at `versions`.
    pub async fn entries<T: InMemory>(
        &self,
        versions: &Versions,
    ) -> Result<Entries<T>, TableError> {
        let now = self.clock.now();
        self.lookups.all(&self.table, versions, now).await
    }
}
