//! The outbox: mails as records, written before they are sent, and the state of their submissions
//! (E12, E13).

use super::error::ignore_refusal;
use super::invites::invite_accepted;
use super::{Entity, Key, Refusal, Retries, Table, TableError, Write, keys};
use crate::ids::Id;
use crate::models::{
    ClubCode, Decision, EmailStatus, Invite, InviteLink, Mail, MailId, MailKind, MailLease,
    MailState, Mailed, Person, Report, Status, Submission,
};
use crate::time::Timestamp;

/// Days for which the record of a decision mail is kept.
pub const DECISION_MAILS_KEPT_DAYS: i64 = 400;
/// Days for which that of any other is.
const KEPT_DAYS: i64 = 60;

impl Entity for Mail {
    const TYPE: &'static str = "Mail";

    fn key(&self) -> Key {
        key_of(&self.id())
    }

    fn index_key(&self) -> Option<Key> {
        Some(match self.person {
            Some(person) => keys::own_mail(person, self.about, self.sequence),
            None => keys::addressed_mail(&self.to, self.about, self.sequence),
        })
    }

    fn expires(&self) -> Option<i64> {
        let days = if self.decision.is_some() {
            DECISION_MAILS_KEPT_DAYS
        } else {
            KEPT_DAYS
        };
        Some(
            self.queued_at
                .plus(chrono::TimeDelta::days(days))
                .epoch_seconds(),
        )
    }
}

impl Entity for MailLease {
    const TYPE: &'static str = "MailLease";

    fn key(&self) -> Key {
        keys::mail_lease(
            self.about,
            self.sequence,
            self.kind,
            self.attempt,
            self.turn,
        )
    }

    fn expires(&self) -> Option<i64> {
        Some(self.expires)
    }
}

fn key_of(mail: &MailId) -> Key {
    keys::outbox(mail.about, mail.sequence, mail.kind, mail.attempt)
}

/// What SES reports of a mail.
pub struct MailReport<'a> {
    /// What.
    pub report: Report,
    /// In the words of SES, without anything personal; what SES calls the mail, if all is well.
    pub outcome: &'a str,
    /// When SES took the mail.
    pub taken_at: Timestamp,
}

/// A decision mail to be queued, and what it was made from.
pub struct DecisionMail<'a> {
    /// The submission as it was read: if decision or mail state changed since, nothing is queued.
    pub submission: &'a Submission,
    /// Where the last mail of this type stands.
    pub last: Option<&'a MailState>,
    /// The mail.
    pub mail: &'a Mail,
}

/// The attribute of a submission that holds the state of mails of this kind.
fn state_of(kind: MailKind) -> String {
    format!("{}_mail", kind.name())
}

impl Table {
    /// Queues a decision mail: the record, the submission's mail state and the invite, all or
    /// nothing. Refused if somebody else queued it first, or decided anew.
    pub async fn queue_decision(
        &self,
        DecisionMail {
            submission,
            last,
            mail,
        }: DecisionMail<'_>,
    ) -> Result<(), TableError> {
        let now = mail.queued_at;
        let state = state_of(mail.kind);
        let queued = MailState {
            attempt: mail.attempt,
            status: EmailStatus::Queued,
            at: now,
            taken: last.is_some_and(|last| last.taken),
        };
        let mut writes = vec![
            Write::put(mail)?.if_new(),
            Write::update(submission.key())
                .set(&state, &queued)
                .if_equals("status", &submission.status)
                .if_equals("reason", &submission.reason)
                .if_equals("sequence", &submission.sequence)
                .if_equals("person", &submission.person)
                .if_equals(&state, &last),
        ];
        if let (Some(link), Some(person)) = (&mail.invite, submission.person) {
            let InviteLink { club, version, .. } = link;
            writes.push(invite_accepted(club, person, &mail.to, *version, now));
        }
        if let Some(stuck) = last.filter(|last| last.status == EmailStatus::Queued) {
            let old = Write::update(keys::outbox(
                mail.about,
                mail.sequence,
                mail.kind,
                stuck.attempt,
            ));
            writes.push(
                old.set("status", &EmailStatus::Failed)
                    .set("outcome", &"superseded")
                    .if_equals("status", &EmailStatus::Queued),
            );
        }
        self.transact(writes).await
    }

    /// A mail of the outbox: 1 read.
    pub async fn mail(&self, mail: &MailId) -> Result<Option<Mail>, TableError> {
        self.get(key_of(mail)).await
    }

    /// Mails of the outbox as they stand now: 1 batch read per 100.
    pub async fn mails(&self, mails: &[MailId]) -> Result<Vec<Mail>, TableError> {
        let wanted: Vec<Key> = mails.iter().map(key_of).collect();
        let mut found = self.get_many(wanted.clone()).await?;
        wanted
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Claims a queued mail for sending. Refused as [`Refusal::Changed`] if it is no longer
    /// queued; as [`Refusal::Superseded`] if its submission is gone, was decided otherwise or has a
    /// later mail, or if its invitation was used, revoked or sent again.
    pub async fn claim_mail(&self, mail: &Mail, now: Timestamp) -> Result<(), TableError> {
        let claim = Write::update(mail.key())
            .set("status", &EmailStatus::Sending)
            .set("claimed_at", &Some(now))
            .if_equals("status", &EmailStatus::Queued);
        let invite = mail.invite.as_ref().filter(|_| mail.decision.is_none());
        let open = invite.map(|link| {
            Write::check(keys::invite(&link.club, &link.invite))
                .if_equals("version", &link.version)
                .or(Refusal::Superseded)
        });
        self.transact(
            std::iter::once(claim)
                .chain(mark(mail, EmailStatus::Sending, now))
                .chain(open)
                .collect(),
        )
        .await
    }

    /// Sends a mail that somebody else has claimed through the stream again, behind the others.
    /// Refused if that was done already.
    pub async fn park_mail(
        &self,
        mail: &MailId,
        turn: u32,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let expires = now.plus(chrono::TimeDelta::days(1)).epoch_seconds();
        let MailId {
            about,
            sequence,
            kind,
            attempt,
        } = mail.clone();
        let lease = |turn| MailLease {
            about,
            sequence,
            kind,
            attempt,
            turn,
            expires,
        };
        let next = Write::put(&lease(turn + 1))?.if_new();
        let last = (turn > 0).then(|| Write::delete(lease(turn).key()).if_exists());
        self.transact(std::iter::once(next).chain(last).collect())
            .await
    }

    /// Forgets that a mail was parked.
    pub async fn unpark_mail(&self, lease: &MailLease) -> Result<(), TableError> {
        self.write(Write::delete(lease.key())).await.map(drop)
    }

    /// Revokes the invitation that somebody got with an acceptance, if no acceptance of the club
    /// names them any more: at most 1 read, 1 query of the index and 1 write. `about` is the
    /// submission whose mail was rejected or superseded.
    pub async fn revoke_acceptance(
        &self,
        club: &ClubCode,
        person: Id<Person>,
        about: u64,
    ) -> Result<(), TableError> {
        let id = Invite::id_for_accepted(club, person);
        let Some(invite) = self.invite(club, &id).await? else {
            return Ok(());
        };
        let own = self.submissions_of(person).await?;
        let names = |submission: &Submission| {
            submission.club == *club && submission.status == Status::Accepted
        };
        let told = |submission: &Submission| {
            submission
                .acceptance_mail
                .as_ref()
                .is_some_and(|mail| mail.taken || mail.attempt > 0)
        };
        if own.iter().any(|submission| {
            names(submission) && (submission.id.get() != about && told(submission))
        }) {
            return Ok(());
        }
        ignore_refusal(self.delete_invite(&invite).await)
    }

    /// Marks what SES reports of a mail. Nothing happens if the mail is gone or something as
    /// weighty was reported before: reports may come more than once, in any order, and before the
    /// worker itself has marked the mail. 1 read and 1 write; 2 reads and a transaction, if its
    /// submission shows it.
    pub async fn report_mail(
        &self,
        id: &MailId,
        reported: &MailReport<'_>,
    ) -> Result<(), TableError> {
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            let Some(mail) = self.mail(id).await? else {
                return Ok(());
            };
            if mail.report >= Some(reported.report) {
                return Ok(());
            }
            let status = reported.report.status();
            let mut record = Write::update(mail.key())
                .if_exists()
                .set("status", &status)
                .set("report", &reported.report)
                .set("outcome", &Some(reported.outcome));
            record = if let Some(before) = &mail.report {
                record.if_equals("report", before)
            } else {
                record.if_none("report")
            };
            if mail.decision.is_none() {
                record = record.set("html", &"").set("text", &"");
            }
            let shown = match &mail.decision {
                Some(decision) if mail.status != status => {
                    self.shown_report(&mail, decision, reported).await?
                }
                _ => None,
            };
            let done = match shown {
                Some(shown) => self.transact(vec![record, shown]).await,
                None => self.write(record).await.map(drop),
            };
            match done {
                // Somebody wrote one of the two meanwhile.
                Err(TableError::Refused(_)) => {}
                other => return other,
            }
        }
    }

    /// The change of a submission that goes with a report. A mail that was followed by another of
    /// its kind shows no status any more, but what it told was told.
    async fn shown_report(
        &self,
        mail: &Mail,
        decision: &Decision,
        reported: &MailReport<'_>,
    ) -> Result<Option<Write>, TableError> {
        let Some(submission) = self
            .submission(decision.application, Id::new(mail.about))
            .await?
        else {
            return Ok(None);
        };
        let (state, other) = match mail.kind {
            MailKind::Acceptance => (&submission.acceptance_mail, &submission.rejection_mail),
            _ => (&submission.rejection_mail, &submission.acceptance_mail),
        };
        let Some(last) = state
            .as_ref()
            .filter(|_| submission.sequence == mail.sequence)
        else {
            return Ok(None);
        };
        let name = state_of(mail.kind);
        let status = reported.report.status();
        let mut write = Write::update(submission.key())
            .set(
                &format!("{name}.status"),
                if last.attempt == mail.attempt {
                    &status
                } else {
                    &last.status
                },
            )
            .if_equals(&name, last)
            .if_equals("sequence", &mail.sequence)
            .if_equals("mailed", &submission.mailed);
        if status.taken() && !mail.status.taken() {
            // The worker could not tell; now it is known that SES had it.
            write = write
                .set("notified", &true)
                .set(&format!("{name}.taken"), &true);
            if submission
                .mailed
                .as_ref()
                .is_none_or(|mailed| mailed.at < reported.taken_at)
            {
                write = write.set("mailed", &decision.mailed(reported.taken_at));
            }
        }
        // A later attempt may have been taken.
        let is_last = last.attempt == mail.attempt || !last.status.taken();
        let only_one =
            mail.attempt == 1 && is_last && other.as_ref().is_none_or(|other| !other.taken);
        if reported.report == Report::Rejected && mail.status.taken() && only_one {
            // SES took it and did not hand it on: nobody was told anything.
            write = write
                .set("notified", &false)
                .set("mailed", &None::<Mailed>)
                .set(&format!("{name}.taken"), &false);
        }
        Ok(Some(write))
    }

    /// Marks what became of a mail that stands at `from`. Refused if it has another
    /// status. A submission that is gone stays gone.
    pub async fn settle_mail(
        &self,
        mail: &Mail,
        from: EmailStatus,
        to: EmailStatus,
        outcome: &str,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let mut record = Write::update(mail.key())
            .set("status", &to)
            .set("outcome", &Some(outcome))
            .if_equals("status", &from);
        if mail.decision.is_none() && to != EmailStatus::Queued {
            // What was said names people, and nobody looks it up: only that it was said is kept.
            record = record.set("html", &"").set("text", &"");
        }
        let writes: Vec<Write> = std::iter::once(record.clone())
            .chain(mark(mail, to, now))
            .collect();
        match self.transact(writes).await {
            Err(TableError::Refused(Refusal::Superseded)) => self.write(record).await.map(drop),
            other => other,
        }
    }
}

/// The change of a submission that goes with a change of its mail.
fn mark(mail: &Mail, status: EmailStatus, now: Timestamp) -> Option<Write> {
    let decision = mail.decision.as_ref()?;
    let state = state_of(mail.kind);
    let write = Write::update(keys::submission(decision.application, Id::new(mail.about)))
        .set(&format!("{state}.status"), &status)
        .set(&format!("{state}.at"), &now)
        .if_equals(&format!("{state}.attempt"), &mail.attempt)
        .if_equals("sequence", &mail.sequence)
        .or(Refusal::Superseded);
    Some(match status {
        EmailStatus::Sent => write
            .set("notified", &true)
            .set("mailed", &decision.mailed(now))
            .set(&format!("{state}.taken"), &true),
        // What is no longer decided is not told any more.
        EmailStatus::Sending => write
            .if_equals("status", &decision.status)
            .if_equals("reason", &decision.reason),
        _ => write,
    })
}
