//! How a mail is claimed for sending (E13).

use crate::db::{Entity as _, Table, TableError, Write};
use crate::domain::interview::mails::AppointmentMails;
use crate::domain::mail::owner::owner_writes;
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::EmailStatus;
use crate::time::Timestamp;

impl Table {
    /// Claims a queued mail for sending.
    ///
    /// Refused as [`crate::db::Refusal::Changed`] if it is no longer queued. Refused as
    /// [`crate::db::Refusal::Superseded`] if its owner says that it is not right any more: if its
    /// submission was deleted, has another decision or has a later mail, if its invitation was
    /// used, revoked or sent again, if it is a notice that is not wanted or not true any more, or
    /// if it tells an appointment that a rejection has ended.
    pub async fn claim_mail(
        &self,
        mail: &Mail,
        beside: Option<&AppointmentMails>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let status = EmailStatus::Sending;
        let claim = Write::update(mail.key())
            .set("status", &status)
            .set("claimed_at", &Some(now))
            .if_equals("status", &EmailStatus::Queued);
        let owner = owner_writes(mail, status, now);
        let mut writes: Vec<Write> = std::iter::once(claim).chain(owner).collect();
        if let Some(beside) = beside {
            writes.extend(beside.with(mail, now)?);
        }
        self.transact(writes).await
    }
}
