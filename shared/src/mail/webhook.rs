//! Mails that say that a webhook was switched off (Z10).

use askama::Template;

use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{Mail, MailKind, Membership, OffReason, Person, Webhook, WebhookRecipient};
use crate::text::Email;
use crate::time::Timestamp;

templates! {
    WebhookOffHtml "mail/webhook_off.html" WebhookOffText "mail/webhook_off.txt" {
        name: &'a str, whose: &'a str, host: &'a str, reason: OffReason, is_for_all: bool,
        link: &'a str
    }
}

/// Returns the mail to one person. There is one for each time that the webhook is switched off.
pub(crate) fn webhook_off(
    to: &WebhookRecipient,
    (webhook, club, reason): (&Webhook, Option<&str>, OffReason),
    site: &str,
    now: Timestamp,
) -> Mail {
    let is_for_all = webhook.key.club.is_none();
    let link = match &webhook.key.club {
        Some(club) => format!("{site}/clubs/{club}/webhooks/"),
        None => format!("{site}/admin/webhooks/"),
    };
    // The rest of the address may be secret.
    let host = webhook
        .url
        .split(['/', '\\', '?', '#'])
        .nth(2)
        .unwrap_or_default();
    let whose = club.unwrap_or("all clubs");
    let bodies = WebhookOffHtml::bodies(&to.first_name, whose, host, reason, is_for_all, &link);
    let (id, person) = (webhook.id().to_string(), to.person.to_string());
    let occasion = Occasion {
        about: crate::ids::derived("webhook off", &[&id, &person]),
        sequence: webhook.version,
        kind: MailKind::Webhook,
        owner: match &webhook.key.club {
            Some(club) => Membership::owner_of_mails(club, to.person),
            None => Person::owner_of_mails(to.person),
        },
    };
    let subject = format!("A webhook of {whose} was switched off");
    let reply_to = Email::default();
    mail(
        occasion,
        Some(to.person),
        &to.email,
        &reply_to,
        &subject,
        bodies,
        now,
    )
}
