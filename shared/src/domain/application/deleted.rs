use serde::{Deserialize, Serialize};

use crate::db::{Entity, Key, Table, TableError};
use crate::domain::application::keys;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// A deleted application. Receipts of its submissions are `erased` (T4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeletedApplication {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Code of the club.
    pub club: ClubCode,
    /// When it was deleted.
    pub at: Timestamp,
}

impl Entity for DeletedApplication {
    const KIND: Kind = Kind::DeletedApplication;

    fn key(&self) -> Key {
        keys::deleted_application(self.application)
    }
}

impl Table {
    /// Returns whether an application was deleted: 1 read.
    pub async fn is_deleted(&self, application: Id<of::Application>) -> Result<bool, TableError> {
        let key = keys::deleted_application(application);
        Ok(self.read(key).await?.is_some())
    }
}
