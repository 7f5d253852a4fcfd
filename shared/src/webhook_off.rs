//! Switches a webhook off, with the mails that say so (Z10).

use crate::db::{Table, TableError, Write};
use crate::domain::{OffReason, Role, Webhook, WebhookKey, WebhookRecipient};
use crate::mail;
use crate::time::Timestamp;

/// The most owners that are mailed.
const MOST_OWNERS: usize = 50;

/// Switches a webhook off, if the reason still holds, and mails its creator, or the owners if
/// the creator has no right to it any more. 3 reads, and 1 transaction with the mails, so that
/// each is queued once. `site` is the base of links.
pub async fn switch_off(
    table: &Table,
    key: &WebhookKey,
    reason: OffReason,
    site: &str,
    now: Timestamp,
) -> Result<(), TableError> {
    let mut retries = table.retries();
    loop {
        retries.next().await?;
        let Some(webhook) = table.webhook(key).await?.filter(|webhook| webhook.active) else {
            return Ok(());
        };
        let (person, membership) = table.creator_of(&webhook).await?;
        let club = match &webhook.key.club {
            Some(code) => table.club(code).await?,
            None => None,
        };
        // Nobody can see the webhooks of a deleted club, so nobody is mailed.
        let is_deleted = club.as_ref().is_some_and(|club| club.archived);
        let today = now.moment().date_naive();
        let still = match reason {
            OffReason::NoRight => {
                is_deleted || !Webhook::has_right(person.as_ref(), membership.as_ref(), today)
            }
            OffReason::Failed => webhook.has_failed(now),
            OffReason::EndedByReceiver(at) => webhook.on_since <= at,
            OffReason::NoSecret(lost) => webhook.secrets.first().is_none_or(|one| one.id == lost),
        };
        if !still {
            return Ok(());
        }
        let creator = person.as_ref().filter(|person| !person.erasing);
        let creator = creator.map(WebhookRecipient::from);
        let mut recipients = recipients_of(table, &webhook, reason, creator).await?;
        recipients.retain(|one| !one.email.is_empty() && !is_deleted);
        if recipients.is_empty() && !is_deleted {
            tracing::error!(
                webhook = webhook.id().get(),
                "a webhook is off, and nobody is told"
            );
        }
        let name = club.as_ref().map(|club| club.profile.name.as_str());
        let off = Webhook {
            active: false,
            version: webhook.version + 1,
            ..webhook.clone()
        };
        let put = Write::put(&off)?.if_equals("version", &webhook.version);
        let mut writes = vec![put];
        for recipient in &recipients {
            let about = (&off, name, reason);
            let mail = mail::webhook_off(recipient, about, site, now);
            writes.push(Write::put(&mail)?.if_new());
        }
        match table.transact(writes).await {
            Err(TableError::Refused(_)) => {}
            done => return done,
        }
    }
}

/// Returns who is told that a webhook is off.
async fn recipients_of(
    table: &Table,
    webhook: &Webhook,
    reason: OffReason,
    creator: Option<WebhookRecipient>,
) -> Result<Vec<WebhookRecipient>, TableError> {
    let club = webhook.key.club.as_ref();
    match (club, creator) {
        (Some(_), Some(creator)) if reason != OffReason::NoRight && !creator.email.is_empty() => {
            Ok(vec![creator])
        }
        (Some(club), _) => {
            let mut owners = table.members(club).await?;
            owners.retain(|member| member.role == Role::Owner);
            // Whoever was made an owner without being asked is mailed only if there is nobody else.
            if owners.iter().any(|owner| owner.confirmed) {
                owners.retain(|owner| owner.confirmed);
            }
            owners.sort_by_key(|owner| (!owner.active, owner.id));
            let recipients = owners
                .into_iter()
                .take(MOST_OWNERS)
                .map(|owner| WebhookRecipient {
                    person: owner.person,
                    first_name: owner.personal.first_name,
                    email: owner.personal.email,
                });
            Ok(recipients.collect())
        }
        (None, creator) => Ok(creator.into_iter().collect()),
    }
}
