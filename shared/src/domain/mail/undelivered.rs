//! How a mail that did not arrive is shown, and sent again (E35, E36).

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity as _, Table, TableError, Write, each, keys};
use crate::domain::outbox;
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::{EmailStatus, MailId, MailKind};
use crate::domain::outbox::undelivered::{MailOwner, Undelivered};
use crate::domain::submission::model::Submission;
use crate::limits;
use crate::text::Email;
use crate::time::Timestamp;

/// What became of a request to send a mail again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resent {
    /// It is queued, or somebody did this already.
    Done,
    /// It was sent again too often.
    TooOften,
    /// Its text is not kept any more, because it arrived at first.
    NoText,
}

impl Table {
    /// Shows at its owner that a mail has not arrived, or shows it no longer after it has: 1 read,
    /// and 1 transaction if something changes. Safe to repeat. Decisions and invitations to an
    /// interview are shown with their status already.
    pub async fn show_delivery(&self, id: &MailId, now: Timestamp) -> Result<(), TableError> {
        let Some(mail) = self.mail(id).await? else {
            return Ok(());
        };
        let Some(owner) = &mail.owner else {
            return Ok(());
        };
        let undelivered = mail.status.is_undelivered() && !mail.is_superseded();
        let shown = Write::update(owner.key.clone()).if_equals(keys::TYPE, &owner.kind);
        let shown = match (undelivered, mail.is_shown) {
            (true, _) => {
                let shown = shown.set(
                    "undelivered",
                    &Undelivered {
                        mail: mail.id(),
                        status: mail.status,
                        at: now,
                    },
                );
                match &owner.with {
                    Some((attribute, value)) => shown.if_equals(attribute, value),
                    None => shown,
                }
            }
            (false, true) => shown
                .remove("undelivered")
                .if_equals("undelivered.mail", &mail.id()),
            (false, false) => return Ok(()),
        };
        let noted = Write::update(mail.key())
            .set("is_shown", &undelivered)
            .if_equals("status", &mail.status);
        ignore_refusal(self.transact(vec![noted, shown]).await)
    }

    /// Removes what the mails said that confirmed a submission which is withdrawn: 1 query, and 1
    /// write for each. One that did not arrive has its text still.
    pub async fn forget_confirmations(&self, submission: &Submission) -> Result<(), TableError> {
        if submission.confirmations.is_empty() {
            return Ok(());
        }
        let of = |attempt| {
            let (about, sequence) = (submission.id.get(), submission.sequence);
            outbox::keys::outbox(about, sequence, MailKind::Confirmation, attempt)
        };
        let (first, end) = (of(0), of(u32::MAX));
        let mails: Vec<Mail> = self
            .query(first.pk, Range::Between(first.sk, end.sk))
            .await?;
        // What waits is sent, and loses its text then.
        let waits = |mail: &Mail| matches!(mail.status, EmailStatus::Queued | EmailStatus::Sending);
        let kept = mails
            .into_iter()
            .filter(|mail| !waits(mail) && mail.has_text());
        each(kept, async |mail| {
            let update = Write::update(mail.key()).set("html", &"").set("text", &"");
            let settled = update.if_equals("status", &mail.status);
            ignore_refusal(self.write(settled).await.map(drop))
        })
        .await
    }

    /// Shows no longer that a mail did not arrive: 1 write.
    pub async fn hide_undelivered(
        &self,
        owner: &MailOwner,
        undelivered: &Undelivered,
    ) -> Result<(), TableError> {
        ignore_refusal(self.write(hidden(owner, undelivered)).await.map(drop))
    }

    /// Queues a mail again that did not arrive, to the address that its recipient has now, and
    /// shows it no longer: 1 read and 1 transaction. The worker gives it up if it is not true any
    /// more. `instead` is the mail as it is written now, if that is another one. Nothing happens if
    /// somebody did this already.
    pub async fn send_mail_again(
        &self,
        owner: &MailOwner,
        undelivered: &Undelivered,
        instead: Option<Mail>,
        to: &Email,
        now: Timestamp,
    ) -> Result<Resent, TableError> {
        let mail = self.mail(&undelivered.mail).await?;
        // It was deleted, or arrived after all.
        let Some(mail) = mail.filter(|mail| mail.status == undelivered.status) else {
            self.hide_undelivered(owner, undelivered).await?;
            return Ok(Resent::Done);
        };
        if mail.resent >= limits::MAIL_RESENDS {
            return Ok(Resent::TooOften);
        }
        let queued = match instead {
            Some(new) => Write::put(&Mail {
                resent: mail.resent + 1,
                queued_at: now,
                ..new
            })?
            .if_new(),
            None if !mail.has_text() => return Ok(Resent::NoText),
            None => Write::update(mail.key())
                .set("status", &EmailStatus::Queued)
                .set("queued_at", &now)
                .set("delayed_until", &now)
                .set("to", to)
                .add("resent", 1)
                .remove("report")
                .remove("is_shown")
                .if_equals("status", &undelivered.status),
        };
        let hidden = hidden(owner, undelivered);
        ignore_refusal(self.transact(vec![queued, hidden]).await)?;
        Ok(Resent::Done)
    }
}

fn hidden(owner: &MailOwner, undelivered: &Undelivered) -> Write {
    Write::update(owner.key.clone())
        .remove("undelivered")
        .if_equals("undelivered", undelivered)
}
