//! Webhooks of the demo campus: one of a club, and one for all clubs. Nobody has their secrets.

use chrono::TimeDelta;
use shared::domain::{
    ChangeType, Delivery, EncryptedSecret, Notification, Person, Webhook, WebhookKey,
};
use shared::encryption::SecretCipher;
use shared::ids::Id;
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::Campus;

/// The webhooks of the admin, and what they were told last.
pub(super) fn of(campus: &Campus, admin: &Person, now: Timestamp) -> (Vec<Webhook>, Vec<Delivery>) {
    let webhooks = [ClubCode::parse("robotics"), None]
        .into_iter()
        .zip(71..)
        .map(|(club, id)| webhook(campus, admin, club, id, now));
    let webhooks: Vec<Webhook> = webhooks.collect();
    let deliveries = webhooks.iter().map(|webhook| delivery(webhook, admin, now));
    let deliveries = deliveries.collect();
    (webhooks, deliveries)
}

fn webhook(
    campus: &Campus,
    admin: &Person,
    club: Option<ClubCode>,
    id: u64,
    now: Timestamp,
) -> Webhook {
    let created_at = now.plus(-TimeDelta::days(10));
    let encryption = SecretCipher::new(&campus.app.settings.secrets.invite);
    Webhook {
        key: WebhookKey {
            club,
            number: 0,
            webhook: Id::new(id),
        },
        version: id,
        url: "https://chat.example/hooks/7".into(),
        types: vec![ChangeType::ClubUpdated],
        description: "The chat of the board".into(),
        active: true,
        creator: admin.id,
        created_at,
        on_since: created_at,
        failing_since: None,
        secrets: vec![EncryptedSecret {
            id,
            encrypted: encryption.close(&id.to_string(), &campus.app.next_id().to_be_bytes()),
            until: None,
        }],
    }
}

fn delivery(webhook: &Webhook, admin: &Person, now: Timestamp) -> Delivery {
    let at = now.plus(-TimeDelta::hours(20));
    let notification = Notification {
        id: webhook.id().get() + 10,
        at,
        club: webhook.key.club.clone(),
        change_type: None,
        object: None,
        application: None,
        ticket: None,
        by: Some(admin.id),
    };
    Delivery {
        attempt: 1,
        tried_at: Some(at.plus(TimeDelta::seconds(6))),
        status: Some(204),
        ms: Some(180),
        ..Delivery::new(webhook.key.clone(), notification, now)
    }
}
