//! Changes as programs get them: in the list of a club, and by webhooks (Z6, Z9).

use std::collections::HashMap;
use std::hash::BuildHasher;

use serde::Serialize;

use crate::domain::{ChangeType, Notification, Object, ObjectType};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::{CLOCKS_DIFFER, Timestamp};

/// The id of an object: a number, or the text of a ticket; or the code of the club.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ObjectId {
    /// The id of an object.
    Number(u64),
    /// The code of the club, or the id of a ticket.
    Code(String),
}

/// What changed. Its content is not here: read it with your own rights.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct ObjectBody {
    /// The kind of the object.
    #[serde(rename = "type")]
    object_type: ObjectType,
    /// Its id; the code, if it is the club itself.
    id: ObjectId,
    /// Its URL. It may be gone by now.
    url: String,
}

impl ObjectBody {
    /// The object; `base` is what its URL begins with.
    pub fn new(object: &Object, base: &str) -> Self {
        Self {
            object_type: object.object_type,
            id: match (object.id, object.ticket) {
                (Some(id), _) => ObjectId::Number(id),
                (None, Some(of)) => ObjectId::Code(of.ticket.to_string()),
                (None, None) => ObjectId::Code(object.club.to_string()),
            },
            url: format!("{base}{}", object.path()),
        }
    }
}

/// Returns who is shown to have changed something at a time: nobody who was erased since then.
/// `there` is what [`crate::db::Table::there_since`] tells.
pub fn shown_by<S: BuildHasher>(
    by: Option<Id<of::Person>>,
    at: Timestamp,
    there: &HashMap<Id<of::Person>, Timestamp, S>,
) -> Option<Id<of::Person>> {
    by.filter(|person| {
        let since = there.get(person);
        since.is_some_and(|since| *since <= at.plus(CLOCKS_DIFFER))
    })
}

crate::text::enums::text_enum! {
    /// The type of a test.
    TestType {
        /// Somebody tries the webhook.
        WebhookTest = "test",
    }
}

/// What a webhook tells about: the type of a change, or a test.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum MessageType {
    /// A change.
    Change(ChangeType),
    /// A test.
    Test(TestType),
}

impl From<&Notification> for MessageType {
    fn from(notification: &Notification) -> Self {
        let test = Self::Test(TestType::WebhookTest);
        notification.change_type.map_or(test, Self::Change)
    }
}

/// What a webhook tells.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct WebhookMessage {
    /// Id of the change, as in the list of changes and in the header `webhook-id`.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    id: Id<of::ClubChange>,
    /// When it was stored.
    at: Timestamp,
    /// What happened.
    #[serde(rename = "type")]
    message_type: MessageType,
    /// Code of the club. Null only in a test of a webhook for all clubs.
    #[cfg_attr(feature = "api", schema(value_type = Option<String>))]
    club: Option<ClubCode>,
    /// The object that changed; the club in a test. Null only in a test of a webhook for all clubs.
    object: Option<ObjectBody>,
    /// Id of the user who changed it, or asked for the test. Null if that is not known, or if they
    /// were erased.
    #[cfg_attr(feature = "api", schema(value_type = Option<u64>))]
    by: Option<Id<of::Person>>,
}

impl WebhookMessage {
    /// The message; `base` is what URLs begin with.
    pub fn new(notification: &Notification, by: Option<Id<of::Person>>, base: &str) -> Self {
        Self {
            id: Id::new(notification.id),
            at: notification.at,
            message_type: notification.into(),
            club: notification.club.clone(),
            object: notification
                .changed()
                .map(|object| ObjectBody::new(&object, base)),
            by,
        }
    }

    /// Returns its id, which all attempts to tell it have.
    pub fn id(&self) -> u64 {
        self.id.get()
    }
}
