//! How a mail that did not arrive is shown, and sent again (E35, E36).

use crate::db::error::ignore_refusal;
use crate::db::{Table, TableError, Write, keys};
use crate::domain::outbox::state::{EmailStatus, MailId};
use crate::domain::outbox::store::key_of;
use crate::domain::outbox::undelivered::{MailOwner, Undelivered};
use crate::text::Email;
use crate::time::Timestamp;

impl Table {
    /// Shows at its owner that a mail has not arrived, if that is so: 1 read and 1 write. Safe to
    /// repeat. Decisions and invitations to an interview are shown with their status already.
    pub async fn note_undelivered(&self, id: &MailId, now: Timestamp) -> Result<(), TableError> {
        let Some(mail) = self.mail(id).await? else {
            return Ok(());
        };
        let is_shown = mail.status.is_undelivered() && !mail.is_superseded();
        let Some(owner) = mail.owner.as_ref().filter(|_| is_shown) else {
            return Ok(());
        };
        let undelivered = Undelivered {
            mail: mail.id(),
            status: mail.status,
            at: now,
        };
        let note = Write::update(owner.key.clone())
            .set("undelivered", &undelivered)
            .if_equals(keys::TYPE, &owner.kind);
        ignore_refusal(self.write(note).await.map(drop))
    }

    /// Queues a mail again that did not arrive, to the address that its recipient has now, and
    /// shows it no longer: 1 read and 1 transaction. The worker gives it up if a later mail told
    /// something else. Nothing happens if somebody did this already.
    pub async fn send_mail_again(
        &self,
        owner: &MailOwner,
        undelivered: &Undelivered,
        to: &Email,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let shown = Write::update(owner.key.clone())
            .remove("undelivered")
            .if_equals("undelivered", undelivered);
        // What arrived first, and was returned later, has no text any more.
        let mail = self.mail(&undelivered.mail).await?;
        if !mail.is_some_and(|mail| mail.has_text()) {
            return ignore_refusal(self.write(shown).await.map(drop));
        }
        let queued = Write::update(key_of(&undelivered.mail))
            .set("status", &EmailStatus::Queued)
            .set("queued_at", &now)
            .set("delayed_until", &now)
            .set("to", to)
            .remove("report")
            .if_equals("status", &undelivered.status);
        ignore_refusal(self.transact(vec![queued, shown]).await)
    }
}
