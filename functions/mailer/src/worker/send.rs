//! One mail: claimed, handed to SES, and its result stored (E12).

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use shared::db::{Refusal, TableError};
use shared::domain::{
    EmailStatus, EndedInterviews, Mail, MailKind, MembershipRequest, Notice, SUPERSEDED,
};
use shared::ids::Id;
use shared::mail::{Message, interview_url, invite_url, with_invite};
use shared::metrics::Unit;
use shared::unsubscribe;
use tokio::time::Instant;

use super::{PAUSE, RetryLater, Worker};
use crate::envelope::{Entry, MailEnvelope, when};
use crate::outcome::SendOutcome;

/// Attempts within one invocation, if SES surely did not take the mail.
const MAX_TRIES_PER_INVOCATION: u32 = 3;
/// A mail that SES did not take within these hours has failed (E14). The stream gives up a record
/// one hour later (template.yaml).
const GIVE_UP_AFTER_HOURS: i64 = 11;
/// No mail is sent after this time in one invocation, so that even a slow call of SES ends before
/// the time-out of the function.
const BEGIN_WITHIN: Duration = Duration::from_secs(45);

/// The log line of a mail.
#[derive(Serialize)]
struct MailLine<'a> {
    message: &'static str,
    about: u64,
    kind: &'static str,
    attempt: u32,
    outcome: EmailStatus,
    why: &'a str,
    mails: u32,
    waited_ms: i64,
}

impl MailLine<'_> {
    const METRICS: [(&'static str, Unit); 1] = [("mails", Unit::Count)];
}

impl Worker {
    pub(super) async fn work(
        &self,
        mail: &Mail,
        mut send_at: DateTime<Utc>,
        began: Instant,
    ) -> Result<(), RetryLater> {
        for attempt in 1..=MAX_TRIES_PER_INVOCATION {
            self.wait_for(send_at, began).await?;
            if !self.outage.may_send(&self.table, self.clock.now()).await? {
                tokio::time::sleep(PAUSE).await;
                return Err(RetryLater("SES has server errors".into()));
            }
            let (notice, asking) = futures::try_join!(
                self.table.notice_now(mail, self.now()),
                self.table.asking_now(mail)
            )?;
            let still_applies = (mail.notice.is_none() || notice.is_some())
                && (mail.request.is_none() || asking.is_some());
            // Before the claim: if this fails, SES has not seen the mail, and it stays `queued`.
            let (envelope, mut ends) = self.envelope(mail, notice, asking).await?;
            match self.table.claim_mail(mail, self.now()).await {
                Ok(()) if !still_applies => {
                    // Not before the claim: this mail may have been sent already.
                    self.table.forget_telling(mail).await?;
                    return self
                        .settle(mail, EmailStatus::Sending, EmailStatus::Failed, SUPERSEDED)
                        .await;
                }
                Ok(()) => {}
                Err(TableError::Refused(Refusal::Changed)) => {
                    return self.resolve(&mail.id(), 0).await.map(drop);
                }
                Err(TableError::Refused(_)) => return self.supersede(mail).await,
                Err(error) => return Err(error.into()),
            }
            let outcome = self.ses.send(mail, &envelope).await;
            let status = match &outcome {
                SendOutcome::Sent(_) => EmailStatus::Sent,
                SendOutcome::Refused(_) => EmailStatus::Failed,
                SendOutcome::Unknown(_) => EmailStatus::Unknown,
                SendOutcome::Later(_) => EmailStatus::Queued,
            };
            let (SendOutcome::Sent(text)
            | SendOutcome::Refused(text)
            | SendOutcome::Unknown(text)
            | SendOutcome::Later(text)) = &outcome;
            self.log(mail, status, text);
            // Count first: a worker that dies here leaves one mail `unknown`, and the outage is
            // known.
            let counted = self.outage.saw(&self.table, status, self.clock.now());
            if let Err(error) = counted.await {
                tracing::warn!(%error, "an outcome was not counted");
            }
            // An interview ends only with a rejection that SES has surely taken (K9).
            let is_sent = status == EmailStatus::Sent;
            if !is_sent {
                ends = EndedInterviews::default();
            }
            self.settle_with(mail, (EmailStatus::Sending, status), text, &ends)
                .await?;
            if is_sent && mail.kind == MailKind::Rejection {
                self.table.revoke_acceptance(mail).await?;
            }
            if status != EmailStatus::Queued {
                return Ok(());
            }
            if mail.queued_at.plus(TimeDelta::hours(GIVE_UP_AFTER_HOURS)) < self.now() {
                return self
                    .settle(mail, EmailStatus::Queued, EmailStatus::Failed, text)
                    .await;
            }
            if attempt < MAX_TRIES_PER_INVOCATION {
                tokio::time::sleep(Duration::from_millis(500) * 2u32.pow(attempt)).await;
                let next = self.reserve(1, began).await?.pop();
                send_at = next.ok_or_else(|| RetryLater("out of time".into()))?;
            }
        }
        tokio::time::sleep(PAUSE).await;
        Err(RetryLater("not taken yet".into()))
    }

    /// Writes the log line of a mail, in a deployed stack with its outcome as a metric (O17).
    fn log(&self, mail: &Mail, outcome: EmailStatus, why: &str) {
        let now = self.clock.now();
        let waited = now - mail.queued_at.moment();
        let line = MailLine {
            message: "mail",
            about: mail.about,
            kind: mail.kind.name(),
            attempt: mail.attempt,
            outcome,
            why,
            mails: 1,
            waited_ms: waited.num_milliseconds(),
        };
        if let Some(metrics) = &self.settings.metrics {
            metrics.log(now, &line, &MailLine::METRICS, &[&["outcome"]]);
            return;
        }
        tracing::info!(
            about = line.about,
            kind = line.kind,
            attempt = line.attempt,
            ?outcome,
            why,
            waited_ms = line.waited_ms,
            "mail"
        );
    }

    /// What is handed to SES, and the interviews that end with it.
    async fn envelope(
        &self,
        mail: &Mail,
        notice: Option<Notice>,
        asking: Option<MembershipRequest>,
    ) -> Result<(MailEnvelope, EndedInterviews), TableError> {
        let (now, site) = (self.now(), &self.settings.addresses.site_url);
        let ends = self.table.interviews_ended_by(mail, now, now).await?;
        let mut calendars = vec![];
        if let (Some(decision), false) = (&mail.decision, ends.ended.is_empty()) {
            let (club, application) = futures::try_join!(
                self.table.club(&decision.club),
                self.table.application(&decision.club, decision.application)
            )?;
            let club = club.map_or_else(String::new, |club| club.profile.name);
            let application = application.map_or_else(String::new, |application| application.name);
            for ended in &ends.ended {
                let page = interview_url(site, ended.submission.id);
                let entry = Entry::of_ended(ended, (&club, &application));
                calendars.push(entry.file(mail, &self.settings.mail.from, &page));
            }
        }
        let page = interview_url(site, Id::new(mail.about));
        if let Some(entry) = Entry::of_appointment(mail) {
            calendars.push(entry.file(mail, &self.settings.mail.from, &page));
        }
        let mut headers = vec![];
        let message = match (&mail.appointment, notice, mail.person) {
            (Some(about), ..) => {
                let when = when(about.start, Some(about.end), self.zone);
                about.message(mail.subject.clone(), &when, &page)
            }
            (_, Some(notice), Some(person)) => {
                let secret = &self.settings.secrets.invite;
                let token = unsubscribe::token(secret, person, notice.since, notice.kind);
                let public = self.settings.addresses.public_url.as_ref().unwrap_or(site);
                headers = vec![
                    (
                        "List-Unsubscribe",
                        format!("<{public}/api/unsubscribe/{token}/>"),
                    ),
                    (
                        "List-Unsubscribe-Post",
                        "List-Unsubscribe=One-Click".to_owned(),
                    ),
                ];
                let end = format!("{site}/unsubscribe/{token}/");
                let when = |start, until| when(start, until, self.zone);
                notice.message(mail, when, site, &end)
            }
            _ => self.message(mail, asking),
        };
        let envelope = MailEnvelope {
            message,
            calendars,
            headers,
        };
        Ok((envelope, ends))
    }

    /// The message, with the name of who asks to join (R4), or with the link of the invite. The
    /// link is made only here and is stored nowhere (I4).
    fn message(&self, mail: &Mail, asking: Option<MembershipRequest>) -> Message {
        if let Some((news, asking)) = mail.request.as_ref().zip(asking) {
            return news.message(mail.subject.clone(), &asking.applicant.personal);
        }
        let message = Message {
            subject: mail.subject.clone(),
            html: mail.html.clone(),
            text: mail.text.clone(),
        };
        match &mail.invite {
            Some(link) => with_invite(message, &invite_url(&self.settings, link)),
            None => message,
        }
    }

    /// Reserves send slots for mails: as many as this invocation can wait for.
    pub(super) async fn reserve(
        &self,
        mails: usize,
        began: Instant,
    ) -> Result<Vec<DateTime<Utc>>, TableError> {
        let now = self.clock.now();
        match (self.settings.mail.rate, mails) {
            (0, _) | (_, 0) => Ok(vec![now; mails]),
            (rate, _) => {
                let until = now + BEGIN_WITHIN.saturating_sub(began.elapsed());
                self.table.reserve_send_slots(now, until, rate, mails).await
            }
        }
    }

    /// Waits for the send slot.
    pub(super) async fn wait_for(
        &self,
        send_at: DateTime<Utc>,
        began: Instant,
    ) -> Result<(), RetryLater> {
        let wait = (send_at - self.clock.now()).to_std().unwrap_or_default();
        if began.elapsed() + wait >= BEGIN_WITHIN {
            return Err(RetryLater("out of time".into()));
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}
