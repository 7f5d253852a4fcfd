//! The end of a mail: the result is stored, the mail is given up, or it is read again later.

use chrono::TimeDelta;
use shared::db::{Refusal, Retries, TableError};
use shared::domain::{
    EmailStatus, EndedInterview, EndedInterviews, Mail, MailId, MailKind, MailResult, SUPERSEDED,
};

use super::{RetryLater, Worker};
use crate::cancellations::cancellations;

/// A claim that is older than this belongs to a worker that died (E19).
const LEASE_SECONDS: i64 = 90;

impl Worker {
    /// Gives up a mail because its submission was withdrawn, deleted or decided again, or has a
    /// later mail (E17). Its invitation is revoked (E25).
    pub(super) async fn supersede(&self, mail: &Mail) -> Result<(), RetryLater> {
        // First what is safe to repeat. A worker that dies in between finds the mail queued again.
        if mail.invite.is_some() {
            self.table.revoke_acceptance_late(mail).await?;
        }
        self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, SUPERSEDED)
            .await
    }

    /// Handles a mail that is not queued any more. Returns true if it is finished. Returns false if
    /// another worker has claimed it; then it is parked and read again until the claim ends, while
    /// other mails go on (E19).
    pub(super) async fn resolve(&self, id: &MailId, generation: u32) -> Result<bool, RetryLater> {
        let Some(current) = self.table.mail(id).await? else {
            return Ok(true);
        };
        // The worker may have died after it stored the result. An acceptance that was given up for
        // a later one leaves what it brought, too (E25).
        let is_communicated =
            current.status == EmailStatus::Sent && current.kind == MailKind::Rejection;
        if is_communicated || (current.is_superseded() && current.invite.is_some()) {
            self.table.revoke_acceptance_late(&current).await?;
        }
        if current.status != EmailStatus::Sending {
            return Ok(true);
        }
        let lease_ends = current
            .claimed_at
            .unwrap_or(current.queued_at)
            .plus(TimeDelta::seconds(LEASE_SECONDS));
        if self.now() < lease_ends {
            return match self.table.park_mail(id, generation, self.now()).await {
                // Refused means that an earlier attempt, whose answer was lost, already parked it.
                Ok(()) | Err(TableError::Refused(_)) => Ok(false),
                Err(error) => Err(error.into()),
            };
        }
        // The worker died between claim and result. Nobody knows whether SES has the mail (E15).
        self.settle(
            &current,
            EmailStatus::Sending,
            EmailStatus::Unknown,
            "the worker died",
        )
        .await?;
        Ok(true)
    }

    pub(super) async fn settle(
        &self,
        mail: &Mail,
        from: EmailStatus,
        to: EmailStatus,
        outcome: &str,
    ) -> Result<(), RetryLater> {
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
    ) -> Result<(), RetryLater> {
        let now = self.now();
        let result = MailResult {
            from,
            to,
            outcome,
            now,
        };
        match self.table.settle_mail(mail, &result, ends).await {
            Err(TableError::Refused(Refusal::Superseded)) => {
                self.settle_again(mail, &result, ends).await
            }
            // Another worker already stored a result, which stays.
            Ok(()) | Err(TableError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores the result of a mail after one of its submissions changed: it is gone, it has a newer
    /// mail, or its interview was booked while SES took this mail. That interview ends, too. This
    /// mail does not mention it, so another mail tells the applicant.
    async fn settle_again(
        &self,
        mail: &Mail,
        result: &MailResult<'_>,
        mentioned: &EndedInterviews,
    ) -> Result<(), RetryLater> {
        let mut retries = Retries::default();
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
