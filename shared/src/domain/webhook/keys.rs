use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::task::model::WebhookKey;
use crate::domain::webhook::model::Notification;
use crate::ids::{Id, MAX_ID, of};
use crate::text::ClubCode;

/// Returns the partition of the webhooks of a club; without one, of those for all clubs.
pub(crate) fn webhooks(club: Option<&ClubCode>) -> String {
    format!("WEBHOOKS#{}", club.map_or("*", |club| club))
}

pub(crate) fn webhook(key: &WebhookKey) -> Key {
    Key::new(
        webhooks(key.club.as_ref()),
        format!("WEBHOOK#{:02}", key.number),
    )
}

/// Returns the partition of the deliveries of a webhook.
pub(crate) fn deliveries(webhook: Id<of::Webhook>) -> String {
    format!("DELIVERIES#{}", padded(webhook))
}

/// Returns the key of a delivery. They are ordered by the time of what they tell, the newest first.
pub(crate) fn delivery(webhook: Id<of::Webhook>, notification: &Notification) -> Key {
    let at = u64::try_from(notification.at.moment().timestamp_millis()).unwrap_or_default();
    let before_the_end = padded(MAX_ID.saturating_sub(at));
    let sk = format!("{before_the_end}#{}", padded(notification.id));
    Key::new(deliveries(webhook), sk)
}
