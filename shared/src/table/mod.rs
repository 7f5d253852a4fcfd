//! The table: typed reads and writes. There is one file per entity and one method per access
//! pattern. Handlers never see an attribute value, and there is no scan.

mod answer;
mod applications;
mod attempt;
mod attributes;
mod audit;
mod bookmarks;
mod catalogue;
pub mod chart;
mod clubs;
mod conditions;
mod decide;
mod drafts;
mod erasure;
mod error;
mod events;
mod execute;
mod extensions;
mod fairs;
mod invites;
mod join_links;
mod keyed;
pub mod keys;
mod lookups;
mod mail_outage;
mod mail_turns;
mod members;
mod outbox;
mod own_submissions;
mod parts;
mod people;
mod personal_data;
mod read;
mod requests;
mod reviews;
mod slices;
mod submissions;
mod submit;
mod tombstones;
mod typed;
pub mod usage;
mod waiting;
mod write;

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Serialize, de::DeserializeOwned};

pub use applications::{ApplicationParts, ApplicationQuota};
pub use audit::{COMPANIONS, companions, leads_to, misplaced, reviewed, unfinished_copy};
pub use bookmarks::{Bookmark, Bookmarks};
pub use catalogue::Versions;
pub use clubs::{ClubPage, ClubQuota};
pub use decide::DecisionWrite;
pub use drafts::DraftWrite;
pub use erasure::OnlyOwner;
pub use error::{Refusal, Retries, TableError};
pub use events::{EventListing, listed, listing_parts};
pub use invites::InviteWrite;
pub use keys::{COUNT_VERSION, Key};
pub use mail_outage::MailOutage;
pub use members::{Additions, NewMembership};
pub use outbox::{DECISION_MAILS_KEPT_DAYS, DecisionMail, MailReport};
pub use personal_data::PersonalData;
pub use read::BatchItems;
use read::Range;
pub use requests::JoinState;
pub use reviews::GivenScore;
pub use submissions::{StoredSubmission, SubmissionQuery};
pub use submit::WithdrawOutcome;
pub use tombstones::{DeletedApplication, Gone};
pub use waiting::{ClubWaiting, Waiting};
pub use write::Write;

type Item = HashMap<String, AttributeValue>;

/// Maximum calls that run in parallel for one request.
pub const PARALLEL: usize = 64;

/// A stored type: its name and its keys.
pub trait Entity: Serialize + DeserializeOwned {
    /// The value of the `type` attribute.
    const TYPE: &'static str;

    /// Returns its primary key.
    fn key(&self) -> Key;

    /// Returns its key in the index `gsi1`, or `None` if it is not in the index.
    fn index_key(&self) -> Option<Key> {
        None
    }

    /// Returns its key in the index `gsi2`, which orders by time, or `None` if it is not in it.
    fn time_key(&self) -> Option<Key> {
        None
    }

    /// Returns the time after which DynamoDB may delete it (TTL), in seconds since 1970.
    fn expires(&self) -> Option<i64> {
        None
    }
}

/// The DynamoDB table of a deployment.
#[derive(Debug, Clone)]
pub struct Table {
    client: Client,
    name: String,
}

fn to_item<E: Entity>(entity: &E) -> Result<Item, TableError> {
    let mut item: Item = serde_dynamo::to_item(entity).map_err(TableError::failed)?;
    item.extend(entity.key().into_item());
    item.insert(keys::TYPE.into(), AttributeValue::S(E::TYPE.into()));
    if let Some(key) = entity.index_key() {
        item.extend(key.into_index_item());
    }
    if let Some(key) = entity.time_key() {
        item.extend(key.into_time_item());
    }
    if let Some(at) = entity.expires() {
        item.insert(keys::TTL.into(), AttributeValue::N(at.to_string()));
    }
    Ok(item)
}

fn from_item<E: Entity>(item: Item) -> Result<E, TableError> {
    // The error is not named, because it may quote users' texts.
    serde_dynamo::from_item(item)
        .map_err(|_| TableError::Failed(format!("{} that cannot be read", E::TYPE)))
}

fn type_of(item: &Item) -> &str {
    item.get(keys::TYPE)
        .and_then(|value| value.as_s().ok())
        .map_or("", String::as_str)
}

impl Table {
    /// Returns the table `name`, accessed through `client`.
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    /// Returns the table `name`, with a new client for this configuration.
    pub fn connect(config: &aws_config::SdkConfig, name: impl Into<String>) -> Self {
        Self::new(Client::new(config), name)
    }

    /// Opens the connection, so that the first request does not have to wait for it. Errors are
    /// ignored here; the first request will report them.
    pub async fn warm_up(&self) {
        let _ = self.read(keys::warm_up()).await;
    }
}
