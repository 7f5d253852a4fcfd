//! The end of a mail: the result is stored, the mail is given up, or it is read again later.

use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{EmailStatus, EndedInterview, Mail, MailId, MailKind};

use super::{RetryLater, Worker};

/// A claim that is older than this belongs to a worker that died (E19).
const LEASE_SECONDS: i64 = 90;

impl Worker {
    /// Gives up a mail because its submission was withdrawn, deleted or decided again, or has a
    /// later mail (E17). Its invitation is revoked (E25).
    pub(super) async fn supersede(&self, mail: &Mail) -> Result<(), RetryLater> {
        // First what is safe to repeat. A worker that dies in between finds the mail queued again.
        if let (Some(decision), Some(_), Some(person)) = (&mail.decision, &mail.invite, mail.person)
        {
            self.table
                .revoke_acceptance(&decision.club, person, mail)
                .await?;
        }
        self.settle(mail, EmailStatus::Queued, EmailStatus::Failed, "superseded")
            .await
    }

    /// Revokes the invitation after a rejection was sent (E25). Safe to repeat.
    pub(super) async fn revoke_after_rejection(&self, mail: &Mail) -> Result<(), RetryLater> {
        match (&mail.decision, mail.person) {
            (Some(decision), Some(person)) if mail.kind == MailKind::Rejection => Ok(self
                .table
                .revoke_acceptance(&decision.club, person, mail)
                .await?),
            _ => Ok(()),
        }
    }

    /// Handles a mail that is not queued any more. Returns true if it is finished. Returns false if
    /// another worker has claimed it; then it is parked and read again until the claim ends, while
    /// other mails go on (E19).
    pub(super) async fn resolve(&self, id: &MailId, turn: u32) -> Result<bool, RetryLater> {
        let Some(now) = self.table.mail(id).await? else {
            return Ok(true);
        };
        if now.status == EmailStatus::Sent {
            // The worker may have died after it stored the result.
            self.revoke_after_rejection(&now).await?;
        }
        if now.status != EmailStatus::Sending {
            return Ok(true);
        }
        let lease_ends = now
            .claimed_at
            .unwrap_or(now.queued_at)
            .plus(TimeDelta::seconds(LEASE_SECONDS));
        if self.now() < lease_ends {
            return match self.table.park_mail(id, turn, self.now()).await {
                // Refused means that an earlier attempt, whose answer was lost, already parked it.
                Ok(()) | Err(TableError::Refused(_)) => Ok(false),
                Err(error) => Err(error.into()),
            };
        }
        // The worker died between claim and result. Nobody knows whether SES has the mail (E15).
        self.settle(
            &now,
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
        self.settle_with(mail, (from, to), outcome, &[]).await
    }

    /// Stores the result of a mail that ended interviews.
    pub(super) async fn settle_with(
        &self,
        mail: &Mail,
        (from, to): (EmailStatus, EmailStatus),
        outcome: &str,
        ended: &[EndedInterview],
    ) -> Result<(), RetryLater> {
        let result = (outcome, self.now());
        match self.table.settle_mail(mail, from, to, result, ended).await {
            // Another worker already stored a result, which stays.
            Ok(()) | Err(TableError::Refused(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
