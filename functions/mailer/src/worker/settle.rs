//! The end of a mail: the result is stored, the mail is given up, or it is read again later.

use chrono::TimeDelta;
use shared::db::{Refusal, TableError};
use shared::domain::{
    EmailStatus, EndedInterview, EndedInterviews, Mail, MailKind, MailResult, SUPERSEDED,
};

use super::{Later, Worker};
use crate::cancellations::cancellations;

/// A claim that is older than this belongs to a worker that died (E19).
const CLAIM_SECONDS: i64 = 90;

impl Worker {
    /// Gives up a mail because its submission was withdrawn, deleted or decided again, or has a
    /// later mail (E17). Its invitation is revoked (E25).
    pub(super) async fn supersede(&self, mail: &Mail) -> Result<(), Later> {
        // First what is safe to repeat. A worker that dies in between finds the mail queued again.
        if mail.invite.is_some() {
            self.table.revoke_acceptance_late(mail).await?;
        }
        self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, SUPERSEDED)
            .await
    }

    /// Handles a mail that is not queued any more. If another worker has claimed it, its message
    /// waits until the claim ends (E19).
    pub(super) async fn resolve(&self, mail: &Mail) -> Result<(), Later> {
        // The worker may have died after it stored the result. An acceptance that was given up for
        // a later one leaves what it brought, too (E25).
        let is_communicated = mail.status == EmailStatus::Sent && mail.kind == MailKind::Rejection;
        if is_communicated || (mail.is_superseded() && mail.invite.is_some()) {
            self.table.revoke_acceptance_late(mail).await?;
        }
        if mail.status.is_undelivered() {
            return Ok(self.table.show_delivery(&mail.id(), self.now()).await?);
        }
        if mail.status != EmailStatus::Sending {
            return Ok(());
        }
        let claimed_at = mail.claimed_at.unwrap_or(mail.queued_at);
        if self.now() < claimed_at.plus(TimeDelta::seconds(CLAIM_SECONDS)) {
            return Err(Later::waits("another worker has it"));
        }
        // The worker died between claim and result. Nobody knows whether SES has the mail (E15).
        let (from, to) = (EmailStatus::Sending, EmailStatus::Unknown);
        self.settle(mail, from, to, "the worker died").await
    }

    pub(super) async fn settle(
        &self,
        mail: &Mail,
        from: EmailStatus,
        to: EmailStatus,
        outcome: &str,
    ) -> Result<(), Later> {
        let ends = EndedInterviews::default();
        self.settle_with(mail, (from, to), outcome, &ends).await
    }

    /// Stores the result of a mail that ends interviews.
    pub(super) async fn settle_with(
        &self,
        mail: &Mail,
        (from, to): (EmailStatus, EmailStatus),
        outcome: &str,
        ends: &EndedInterviews,
    ) -> Result<(), Later> {
        let now = self.now();
        let result = MailResult {
            from,
            to,
            outcome,
            now,
        };
        match self.table.settle_mail(mail, &result, ends).await {
            Err(TableError::Refused(Refusal::Superseded)) => {
                self.settle_again(mail, &result, ends).await?;
            }
            // Another worker already stored a result, which stays.
            Ok(()) | Err(TableError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
        if to.is_undelivered() {
            self.table.show_delivery(&mail.id(), now).await?;
        }
        Ok(())
    }

    /// Stores the result of a mail after one of its submissions changed: it is gone, it has a newer
    /// mail, or its interview was booked while SES took this mail. That interview ends, too. This
    /// mail does not mention it, so another mail tells the applicant.
    async fn settle_again(
        &self,
        mail: &Mail,
        result: &MailResult<'_>,
        mentioned: &EndedInterviews,
    ) -> Result<(), Later> {
        let mut retries = self.table.retries();
        loop {
            retries.next().await?;
            let ends = if result.to == EmailStatus::Sent {
                self.table
                    .interviews_ended_by(mail, result.now, result.now)
                    .await?
            } else {
                EndedInterviews::default()
            };
            let new = ends
                .ended
                .iter()
                .filter(|one| !one.is_among(&mentioned.ended));
            let new: Vec<EndedInterview> = new.cloned().collect();
            let mails = cancellations(&self.table, mail, &new, result.now).await?;
            let settled = self.table.settle_shown(mail, result, ends, mails).await;
            match settled {
                Err(TableError::Refused(Refusal::Superseded)) => {}
                Ok(()) | Err(TableError::Refused(_)) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
