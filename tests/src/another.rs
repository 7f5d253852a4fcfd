//! Several services with one table.

use std::sync::Arc;

use local::issuer::Issuer;
use local::{Campus, Parts};
use object_store::memory::InMemory;
use shared::ids::Ids;
use shared::settings::Settings;

use crate::TestCampus;

impl TestCampus {
    /// A second service with the same table and clock, but with caches of its own.
    #[must_use]
    pub fn another(&self) -> Self {
        self.with_settings(|_| {})
    }

    /// The same with other settings.
    #[must_use]
    pub fn with_settings(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.campus.app.settings.clone();
        change(&mut settings);
        let Campus {
            engine,
            clock,
            mailbox,
            files,
            ..
        } = &self.campus;
        let files = files.clone();
        let (ids, key) = (Ids::random(), Issuer::new_key().expect("a key"));
        let (engine, mailbox, clock) = (engine.clone(), mailbox.clone(), clock.clone());
        let images = Arc::new(InMemory::new());
        let parts = Parts {
            engine,
            mailbox,
            clock,
            key,
            ids,
            images,
            files,
            settings,
            positions: [None, None, None],
            receivers: None,
            lock: None,
        };
        Self {
            campus: Campus::new(parts).expect("a campus"),
        }
    }
}
