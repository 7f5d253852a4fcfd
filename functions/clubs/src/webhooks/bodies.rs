//! The bodies of webhooks.

use serde::Serialize;
use shared::changes::MessageType;
use shared::domain::{ChangeType, Delivery, Webhook};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::receiver_rules::ReceiverRules;
use shared::text::kinds::{List, WebhookText, WebhookUrl};
use shared::time::Timestamp;
use shared::web::{Mode, Reader, Result};
use utoipa::ToSchema;

use super::holder::OwnedWebhook;

/// The largest number of types that a request may name.
pub const TYPES: usize = 50;

/// A webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookBody {
    /// Id of the webhook.
    #[schema(value_type = u64)]
    id: Id<of::Webhook>,
    /// The address that is called.
    url: String,
    /// What it is told.
    types: Vec<ChangeType>,
    /// What it is for.
    description: String,
    /// Whether it is on. It goes off when its creator is no owner (no admin) any more, when it
    /// answers 410, after 5 days without success, and if its secret was lost or its club deleted.
    active: bool,
    /// When it was created.
    created_at: Timestamp,
    /// Since when no call was answered with success, from the first repeat of one on. Null if the
    /// last one was.
    failing_since: Option<Timestamp>,
    /// The secret with which it signs. Missing if this is not the first answer to the request that
    /// made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl From<&OwnedWebhook> for WebhookBody {
    fn from(owned: &OwnedWebhook) -> Self {
        let webhook = &owned.webhook;
        Self {
            id: webhook.id(),
            url: webhook.url.clone(),
            types: webhook.types.clone(),
            description: webhook.description.clone(),
            active: owned.is_on,
            created_at: webhook.created_at,
            failing_since: webhook.failing_since,
            secret: None,
        }
    }
}

impl WebhookBody {
    /// The same with a secret, if there is one to show.
    pub fn with_secret(self, secret: Option<String>) -> Self {
        Self { secret, ..self }
    }
}

shared::input! {
    /// The fields of a webhook that owners (admins) write.
    pub struct WebhookInput {
        /// The address to call: `https`, with the port 443 or 8443, at a public address, without a
        /// user name. At most 2,000 characters.
        pub(super) url: WebhookUrl, Required;
        /// What it is told: at least one type.
        types: List<ChangeType, TYPES, 1>, Required;
        /// What it is for: at most 200 characters.
        description: WebhookText, Optional;
        /// Whether it is on; a new one is, if nothing else is sent. Whoever switches it on, or
        /// changes its address, is its creator from then on.
        pub active: bool, Optional;
    }
}

impl WebhookInput {
    /// Copies the fields into a webhook, and says whether it is to be on, if that was sent.
    pub fn apply(
        self,
        mode: Mode,
        rules: &ReceiverRules,
        into: &mut Webhook,
    ) -> Result<Option<bool>> {
        let mut reader = Reader::new(mode);
        if let Some(url) = reader.get(self.url) {
            match rules.parse(&url) {
                // What is called, as it is shown. An earlier release kept it as it was typed.
                Ok(read) if rules.parse(&into.url).is_ok_and(|stored| stored == read) => {}
                Ok(read) => into.url = read.into(),
                Err(why) => reader.errors.add("url", why),
            }
        }
        if let Some(types) = reader.get(self.types) {
            if types.is_empty() {
                reader.errors.add("types", Reason::TooFew { minimum: 1 });
            }
            into.types.clear();
            for one in types {
                if !into.types.contains(&one) {
                    into.types.push(one);
                }
            }
        }
        reader.set(self.description, &mut into.description);
        let active = reader.get(self.active);
        reader.finish()?;
        Ok(active)
    }
}

/// The last attempt to tell a webhook something.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryBody {
    /// Id of the change or of the test, which all attempts have in the header `webhook-id`.
    id: u64,
    /// When the last attempt was; before the first one, when it was asked for.
    at: Timestamp,
    /// What it tells.
    #[serde(rename = "type")]
    message_type: MessageType,
    /// The HTTP status of the answer. Null if there was none, or before the first attempt.
    status: Option<u16>,
    /// How many milliseconds the answer took. Null before the first attempt.
    ms: Option<u32>,
    /// How many attempts there were.
    attempt: u32,
}

impl From<&Delivery> for DeliveryBody {
    fn from(delivery: &Delivery) -> Self {
        Self {
            id: delivery.notification.id,
            at: delivery.tried_at.unwrap_or(delivery.notification.at),
            message_type: (&delivery.notification).into(),
            status: delivery.status,
            ms: delivery.ms,
            attempt: delivery.attempt,
        }
    }
}
