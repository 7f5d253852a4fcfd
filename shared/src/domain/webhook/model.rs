use crate::domain::task::model::WebhookKey;
use chrono::{DateTime, NaiveDate, TimeDelta};
use serde::de::IntoDeserializer as _;
use serde::de::value::StringDeserializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::domain::change::model::{ChangeType, ClubChange, NewChange, Object, TicketKey};
use crate::domain::member::model::{Membership, Role};
use crate::domain::person::model::Person;
use crate::ids::{Id, of};
use crate::text::{ClubCode, Email};
use crate::time::Timestamp;

/// A secret with which a webhook signs. It is stored encrypted (see
/// [`crate::encryption::SecretCipher`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncryptedSecret {
    /// Id of the request that made it.
    pub id: u64,
    /// The encrypted secret.
    pub encrypted: String,
    /// Until when it signs; none for the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// A webhook: an address that is called when something changes in a club, or in any club (Z8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Webhook {
    /// Where it is stored.
    pub key: WebhookKey,
    /// Changes with every change.
    pub version: u64,
    /// The address that is called.
    pub url: String,
    /// What it is told, in the order in which it was asked for. Types of a later release are left
    /// out.
    #[serde(deserialize_with = "supported_types")]
    pub types: Vec<ChangeType>,
    /// What it is for.
    pub description: String,
    /// Whether it is on.
    pub active: bool,
    /// Id of the person who created it, or switched it on last. It works while they are an owner.
    pub creator: Id<of::Person>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Since when it is on with this address. What came of earlier calls does not count any more.
    pub on_since: Timestamp,
    /// Since when no call was answered with success; none if the last one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// The secrets, the present one first.
    pub secrets: Vec<EncryptedSecret>,
}

impl Webhook {
    /// How long a secret signs after another one was asked for.
    pub const OLD_SECRET: TimeDelta = TimeDelta::hours(24);
    /// After so long without success it is switched off.
    pub const FAILS_FOR: TimeDelta = TimeDelta::days(5);
    /// How long somebody counts as an admin after they used the service as one.
    const ADMIN_WITHIN: TimeDelta = TimeDelta::days(90);

    /// Returns its id.
    pub fn id(&self) -> Id<of::Webhook> {
        self.key.webhook
    }

    /// Returns the secrets that sign at a time.
    pub fn secrets_at(&self, now: Timestamp) -> impl Iterator<Item = &EncryptedSecret> {
        let signs = move |one: &&EncryptedSecret| one.until.is_none_or(|until| now < until);
        self.secrets.iter().filter(signs)
    }

    /// Returns whether it fails for so long that it is switched off.
    pub fn has_failed(&self, now: Timestamp) -> bool {
        let since = self.failing_since;
        since.is_some_and(|since| since.plus(Self::FAILS_FOR) <= now)
    }

    /// Returns whether its creator still has the right to it: as an owner of the club, or as an
    /// admin.
    pub fn has_right(
        creator: Option<&Person>,
        membership: Option<&Membership>,
        today: NaiveDate,
    ) -> bool {
        let is_admin = creator.is_some_and(|person| {
            let seen = person.admin_seen.filter(|_| !person.erasing);
            let seen = seen
                .filter(|seen| *seen > 0)
                .and_then(|seen| DateTime::from_timestamp(seen, 0));
            seen.is_some_and(|seen| today - seen.date_naive() <= Self::ADMIN_WITHIN)
        });
        is_admin || membership.is_some_and(|membership| membership.role == Role::Owner)
    }
}

fn supported_types<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ChangeType>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    let parsed = |word: String| {
        let word: StringDeserializer<serde::de::value::Error> = word.into_deserializer();
        ChangeType::deserialize(word).ok()
    };
    Ok(words.into_iter().filter_map(parsed).collect())
}

/// What a webhook tells: a change of a club, or a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Id of the change, or of the test.
    pub id: u64,
    /// When it was stored.
    pub at: Timestamp,
    /// Code of the club; none for the test of a webhook for all clubs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub club: Option<ClubCode>,
    /// What changed; none for a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_type: Option<ChangeType>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u64>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Id<of::Application>>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<TicketKey>,
    /// As in [`NewChange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Id<of::Person>>,
}

impl Notification {
    /// What tells a change of a club.
    pub fn change(club: &ClubCode, change: &NewChange) -> Self {
        Self {
            id: ClubChange::id_of(&change.event).get(),
            at: change.at,
            club: Some(club.clone()),
            change_type: Some(change.change_type),
            object: change.object,
            application: change.application,
            ticket: change.ticket,
            by: change.by,
        }
    }

    /// Returns what changed: the club for a test, and none for the test of a webhook for all clubs.
    pub fn changed(&self) -> Option<Object> {
        let change_type = self.change_type.unwrap_or(ChangeType::ClubUpdated);
        Some(Object {
            club: self.club.clone()?,
            object_type: change_type.object(),
            id: self.object,
            application: self.application,
            ticket: self.ticket,
        })
    }
}

/// The last attempt to tell a webhook something (Z9). Who asks for another one stores that here,
/// and the table's stream passes it on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The webhook.
    pub key: WebhookKey,
    /// What it tells.
    pub notification: Notification,
    /// How many attempts there were.
    pub attempt: u32,
    /// How many of them were made without anybody asking for another one.
    #[serde(default)]
    pub repeat: u32,
    /// When the last one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried_at: Option<Timestamp>,
    /// The HTTP status of the answer; none if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How many milliseconds the answer took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u32>,
    /// Id of the request that asks for an attempt; none if no attempt is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<u64>,
    /// Id of the last request for an attempt that was served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<u64>,
    /// Ids of the requests for another attempt within the last hour. Each tells its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<u64>,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

impl Delivery {
    /// How long it is kept.
    const KEPT: TimeDelta = TimeDelta::days(30);

    /// A delivery before its first attempt.
    pub fn new(key: WebhookKey, notification: Notification, now: Timestamp) -> Self {
        Self {
            key,
            notification,
            attempt: 0,
            repeat: 0,
            tried_at: None,
            status: None,
            ms: None,
            requested: None,
            served: None,
            retries: vec![],
            expires: now.plus(Self::KEPT).epoch_seconds(),
        }
    }

    /// Returns whether the receiver took it.
    pub fn is_taken(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
}

/// What the queue of the webhooks holds (Z9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The webhook.
    pub key: WebhookKey,
    /// What is to be done.
    #[serde(flatten)]
    pub what: CallKind,
}

/// What is to be done with a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallKind {
    /// To tell it something.
    Tell {
        /// What.
        notification: Notification,
        /// How many attempts there were with this one that nobody asked for; 0 for another attempt
        /// that somebody asked for.
        repeat: u32,
        /// Not before this time: the queue keeps nothing for longer than 15 minutes.
        scheduled_at: Timestamp,
        /// Id of the request that asks for this attempt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<u64>,
    },
    /// To see whether its creator still has the right to it.
    Check,
}

/// Why a webhook is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffReason {
    /// Its creator has no right to it any more.
    NoRight,
    /// No call was answered with success for five days.
    Failed,
    /// Its receiver answered 410 to a call that was made at this time.
    EndedByReceiver(Timestamp),
    /// The secret with this id cannot be decrypted any more.
    NoSecret(u64),
}

impl OffReason {
    /// Returns whether no call was answered with success.
    pub fn is_failure(&self) -> bool {
        *self == Self::Failed
    }

    /// Returns whether its receiver answered that it is gone (410).
    pub fn is_ended_by_receiver(&self) -> bool {
        matches!(self, Self::EndedByReceiver(_))
    }

    /// Returns whether its secret is lost.
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::NoSecret(_))
    }
}

/// Somebody who is mailed.
pub struct WebhookRecipient {
    /// Id of the user.
    pub person: Id<of::Person>,
    /// First name.
    pub first_name: String,
    /// Address, or empty.
    pub email: Email,
}

impl From<&Person> for WebhookRecipient {
    fn from(person: &Person) -> Self {
        Self {
            person: person.id,
            first_name: person.personal.first_name.clone(),
            email: person.personal.email.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves Z8
    #[test]
    fn types_of_a_later_release_are_left_out() {
        #[derive(Deserialize)]
        struct Some {
            #[serde(deserialize_with = "supported_types")]
            types: Vec<ChangeType>,
        }
        let text = r#"{ "types": ["moon.landed", "club.updated"] }"#;
        let read: Some = serde_json::from_str(text).unwrap();
        assert_eq!(read.types, [ChangeType::ClubUpdated]);
    }
}
