//! Several services with one table, and copies of a whole campus.

use std::sync::Arc;

use futures::TryStreamExt as _;
use local::issuer::Issuer;
use local::{Campus, Parts};
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt as _, PutOptions};
use shared::ids::Ids;
use shared::settings::Settings;
use shared::time::Clock as _;

use crate::{Setup, TestCampus};

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
            key: key.clone(),
            ids,
            images,
            files,
            settings,
            positions: [None, None],
            receivers: None,
            lock: None,
        };
        Self {
            campus: Campus::new(parts).expect("a campus"),
            key,
        }
    }
}

/// The same objects in another store.
async fn copied(from: &dyn ObjectStore) -> Arc<dyn ObjectStore> {
    let to = InMemory::new();
    let found: Vec<_> = from.list(None).try_collect().await.expect("a store");
    for object in found {
        let read = from.get(&object.location).await.expect("an object");
        let options = PutOptions::from(read.attributes.clone());
        let bytes = read.bytes().await.expect("an object");
        let put = to.put_opts(&object.location, bytes.into(), options);
        put.await.expect("a store");
    }
    Arc::new(to)
}

impl Setup {
    /// Begins with copies of the table and the files that `campus` has at present, and at its time.
    /// Tokens of its callers are valid here too. As after a start, functions have nothing in
    /// memory, and the stream delivers all records once more.
    #[must_use]
    pub async fn like(self, campus: &TestCampus) -> Self {
        let Campus {
            engine,
            clock,
            files,
            ..
        } = &campus.campus;
        Self {
            engine: Some(engine.copy().expect("an engine in memory")),
            files: copied(&**files).await,
            key: Some(campus.key.clone()),
            time: clock.now(),
            ..self
        }
    }
}
