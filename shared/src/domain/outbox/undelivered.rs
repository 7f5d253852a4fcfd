//! Mails that did not arrive: each is shown where whoever must know of it looks (E35).

use serde::{Deserialize, Serialize};

use crate::db::{Entity, Key};
use crate::domain::outbox::state::{EmailStatus, MailId};
use crate::time::Timestamp;

/// The item that shows that a mail did not arrive: the submission or the membership that it is
/// about, or else its recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailOwner {
    pub(crate) key: Key,
    /// What the item is. Another one may stand there later.
    pub(crate) kind: String,
    /// An attribute with its value that another item there does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) with: Option<(String, u64)>,
}

impl MailOwner {
    /// Returns the owner that is this item.
    pub fn of<E: Entity>(item: &E) -> Self {
        Self::at::<E>(item.key())
    }

    pub(crate) fn at<E: Entity>(key: Key) -> Self {
        Self {
            key,
            kind: E::TYPE.to_owned(),
            with: None,
        }
    }

    /// Returns the owner while it has this value.
    #[must_use]
    pub fn with(self, attribute: &str, value: u64) -> Self {
        Self {
            with: Some((attribute.to_owned(), value)),
            ..self
        }
    }
}

/// The last mail about something that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undelivered {
    /// The mail.
    pub mail: MailId,
    /// Its status: `failed`, `unknown` or `bounced`.
    pub status: EmailStatus,
    /// When that was known.
    pub at: Timestamp,
}

impl EmailStatus {
    /// Returns whether such a mail has not arrived, as far as is known.
    pub fn is_undelivered(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::Bounced)
    }
}
