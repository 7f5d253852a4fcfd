//! One mail: claimed, handed to SES, and its result stored (E12).

use chrono::TimeDelta;
use serde::Serialize;
use shared::db::{Refusal, TableError};
use shared::domain::{
    EmailStatus, EndedInterviews, Mail, MailKind, MembershipRequest, Notice, SUPERSEDED,
};
use shared::ids::Id;
use shared::mail::{Message, interview_url, invite_url, when, with_invite};
use shared::metrics::Unit;
use shared::unsubscribe;
use tokio::time::Instant;

use super::{Later, Worker};
use crate::envelope::{Entry, MailEnvelope};
use crate::outcome::SendOutcome;

/// A mail that SES did not take within these hours has failed (E14). The queue gives up a message
/// one hour later (template.yaml).
const GIVE_UP_AFTER_HOURS: i64 = 11;

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
    pub(super) async fn work(&self, mail: &Mail, began: Instant) -> Result<(), Later> {
        if mail.status != EmailStatus::Queued {
            return self.resolve(mail).await;
        }
        let recent = self.table.appointment_mails(mail).await?;
        let sent_from = recent
            .as_ref()
            .map(|recent| recent.sent_from(mail, self.now()));
        if let Some(until) = sent_from.filter(|at| *at > self.now()) {
            return Ok(self.table.delay_mail(mail, until, self.now()).await?);
        }
        self.wait(began).await?;
        let (notice, asking) = futures::try_join!(
            self.table.notice_now(mail, self.now()),
            self.table.asking_now(mail)
        )?;
        let now = self.now();
        let is_last = mail.delayed_until.is_none() || self.table.is_still_true(mail, now).await?;
        let still_applies = is_last
            && (mail.notice.is_none() || notice.is_some())
            && (mail.request.is_none() || asking.is_some());
        // Before the claim: if this fails, SES has not seen the mail, and it stays `queued`.
        let (envelope, mut ends) = self.envelope(mail, notice, asking).await?;
        match self
            .table
            .claim_mail(mail, recent.filter(|_| still_applies).as_ref(), self.now())
            .await
        {
            Ok(()) if !still_applies => {
                // Not before the claim: this mail may have been sent already.
                self.table.forget_telling(mail).await?;
                return self
                    .settle(mail, EmailStatus::Sending, EmailStatus::Failed, SUPERSEDED)
                    .await;
            }
            Ok(()) => {}
            Err(TableError::Refused(Refusal::Changed)) => {
                return Err(Later::waits("another worker has it"));
            }
            Err(TableError::Refused(_)) => return self.supersede(mail).await,
            Err(error) => return Err(error.into()),
        }
        let outcome = self.ses.send(mail, &envelope).await;
        let (status, text) = match &outcome {
            SendOutcome::Sent(text) => (EmailStatus::Sent, text),
            SendOutcome::Refused(text) => (EmailStatus::Failed, text),
            SendOutcome::Unknown(text) => (EmailStatus::Unknown, text),
            SendOutcome::Later(text) => (EmailStatus::Queued, text),
        };
        self.log(mail, status, text);
        if status == EmailStatus::Unknown {
            self.pause().await;
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
        Err(Later::Waits(text.clone()))
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
        let zone = self.settings.mail.time_zone;
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
        if let Some(entry) = Entry::of_tickets(mail) {
            let page = format!("{site}/tickets/");
            calendars.push(entry.file(mail, &self.settings.mail.from, &page));
        }
        let mut headers = vec![];
        if let Some(about) = &mail.tickets {
            let when = when(about.start, Some(about.end), zone);
            let message = about.message(mail.subject.clone(), &when, site, "");
            let envelope = MailEnvelope {
                message,
                calendars,
                headers,
            };
            return Ok((envelope, ends));
        }
        let message = match (&mail.appointment, notice, mail.person) {
            (Some(about), ..) => {
                let when = when(about.start, Some(about.end), zone);
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
                let when = |start, until| when(start, until, zone);
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
            let site = &self.settings.addresses.site_url;
            return news.message(mail.subject.clone(), &asking.applicant.personal, site);
        }
        let message = Message {
            subject: mail.subject.clone(),
            html: mail.html.clone(),
            text: mail.text.clone(),
        };
        match &mail.invite {
            Some(link) => with_invite(message, mail.kind, &invite_url(&self.settings, link)),
            None => message,
        }
    }
}
