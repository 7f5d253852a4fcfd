//! The state that a router is built with. All differences between Lambda, a local computer and a
//! test are in this state; the rest of the code does not depend on them.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};

use crate::auth::{GrantCache, ProfileCache, Verifier};
use crate::db::{Table, TableError};
use crate::domain::{
    Answered, Catalogue, Clubs, Entries, Forms, InMemory, ListedClub, ListedEvent, ReferenceData,
    SlotCache, Versions,
};
use crate::ids::Ids;
use crate::media::Media;
use crate::receipts::{ReceiptClaims, Receipts};
use crate::settings::Settings;
use crate::time::{Clock, RequestTime, Timestamp};

/// The state of every router.
pub type Shared = Arc<App>;

/// Everything that handlers need.
pub struct App {
    /// The DynamoDB table.
    pub table: Table,
    /// Verifies access tokens.
    pub verifier: Verifier,
    /// People whose profiles do not have to be read again.
    pub profiles: ProfileCache,
    /// Tokens of programs that do not have to be looked up again.
    pub grants: GrantCache,
    /// All clubs, cached in memory.
    pub clubs: Catalogue<ListedClub>,
    /// Events with showings, cached in memory by the month in which they end.
    pub events: Catalogue<ListedEvent>,
    /// Applications with their questions, cached in memory.
    pub forms: Forms,
    /// Where slots are.
    pub slots: SlotCache,
    /// The collections that admins edit, cached in memory.
    pub reference_data: ReferenceData,
    /// Stores images, and returns their URLs.
    pub media: Media,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Generates ids.
    pub ids: Ids,
    /// The settings of the deployment.
    pub settings: Settings,
    receipts: OnceLock<Option<Receipts>>,
}

impl App {
    /// Returns a state with empty caches.
    pub fn new(
        table: Table,
        verifier: Verifier,
        media: Media,
        clock: Arc<dyn Clock>,
        ids: Ids,
        settings: Settings,
    ) -> Shared {
        let (profiles, clubs, events) = (
            ProfileCache::default(),
            Catalogue::default(),
            Catalogue::default(),
        );
        Arc::new(Self {
            table,
            verifier,
            profiles,
            grants: GrantCache::default(),
            clubs,
            events,
            forms: Forms::default(),
            slots: SlotCache::default(),
            reference_data: ReferenceData::default(),
            media,
            clock,
            ids,
            settings,
            receipts: OnceLock::new(),
        })
    }

    /// Returns the current time in whole seconds.
    pub fn now(&self) -> Timestamp {
        Timestamp::at(self.clock.now())
    }

    /// Returns the signer of receipts; none if the key cannot be made, which does not happen.
    pub fn receipts(&self) -> Option<&Receipts> {
        self.receipts
            .get_or_init(|| Receipts::new(&self.settings))
            .as_ref()
    }

    /// Returns the receipt of a submission (T1); none after an erasure.
    pub fn receipt_of(&self, submission: &Answered) -> Option<String> {
        let claims = ReceiptClaims::of(submission, &self.settings)?;
        Some(self.receipts()?.sign(&claims))
    }

    /// Returns a new id.
    pub fn next_id(&self) -> u64 {
        self.ids.next(self.clock.now())
    }
}

/// What a handler needs for one request: the state of its router, and the table, which knows who
/// makes the calls and counts what they use.
#[derive(Clone)]
pub struct Context {
    /// The DynamoDB table, for this request.
    pub table: Table,
    app: Shared,
}

impl Context {
    /// The context of a request that was received at this time, and begins now.
    pub(crate) fn new(app: &Shared, received: DateTime<Utc>) -> Self {
        let when = RequestTime {
            received: app.ids.received(received),
            at: Timestamp::at(received),
        };
        Self {
            table: app.table.for_request(&app.clock, when),
            app: app.clone(),
        }
    }

    /// The context of the request with these parts.
    pub fn of(parts: &Parts, app: &Shared) -> Self {
        let context = parts.extensions.get().cloned();
        context.unwrap_or_else(|| Self::new(app, app.clock.now()))
    }

    /// Returns all clubs as they were at `versions`.
    pub async fn all_clubs(&self, versions: &Versions) -> Result<Clubs, TableError> {
        let now = self.clock.now();
        self.clubs.clubs(&self.table, versions, now).await
    }

    /// Returns a collection that admins edit, as it was at `versions`.
    pub async fn entries<T: InMemory>(
        &self,
        versions: &Versions,
    ) -> Result<Entries<T>, TableError> {
        let now = self.clock.now();
        self.reference_data.all(&self.table, versions, now).await
    }
}

impl Deref for Context {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl FromRequestParts<Shared> for Context {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Infallible> {
        Ok(Self::of(parts, app))
    }
}
