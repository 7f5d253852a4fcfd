//! The outbox: mails are stored as records before they are sent. Also the mail state of submissions
//! (E12, E13).

use crate::db::Key;
use crate::domain::invite;
use crate::domain::mail::keys;
use crate::domain::person;
use crate::domain::slot;
use crate::domain::submission;
use std::collections::BTreeMap;

use crate::db::{Entity, Refusal, Table, TableError, Write};
use crate::domain::interview::ended::EndedInterviews;
use crate::domain::interview::model::Interview;
use crate::domain::invite::model::AcceptanceMail;
use crate::domain::invite::store::invite_accepted;
use crate::domain::mail::model::{AppointmentNews, Mail, SUPERSEDED};
use crate::domain::mail::state::{EmailStatus, MailId, MailKind, MailState, Telling};
use crate::domain::mail::status_writes::{communicated_writes, shows, state_of, status_writes};
use crate::domain::notice::model::NoticeAbout;
use crate::domain::person::notices::{NewsRhythm, NoticeKind};
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for Mail {
    const KIND: Kind = Kind::Mail;
    const IS_MAIL: bool = true;

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
        let days = self.kind.kept_days();
        Some(
            self.queued_at
                .plus(chrono::TimeDelta::days(days))
                .epoch_seconds(),
        )
    }
}

/// Returns the conditions under which a notice is still right: the person wants it, and the draft
/// was not submitted, or the interview is booked and at the same time.
fn still_true(mail: &Mail) -> Vec<Write> {
    let Some((notice, person)) = mail.notice.as_ref().zip(mail.person) else {
        return vec![];
    };
    let requested = Write::check(person::keys::profile(person))
        .if_equals("created_at", &notice.since)
        .if_equals("erasing", &false);
    let requested = match notice.kind {
        NoticeKind::Drafts => requested.if_absent_or_equals("notices.drafts", &true),
        NoticeKind::Interviews => requested.if_absent_or_equals("notices.interviews", &true),
        NoticeKind::News => requested.if_equals("notices.news", &NewsRhythm::Weekly),
    };
    let object = match &notice.about {
        NoticeAbout::Interview {
            id, slot, start, ..
        } => Some(
            Write::check(slot::keys::slot(*id, *slot))
                .if_equals("start", start)
                .if_none("deleted")
                .if_there(&format!("seats.{}", mail.about)),
        ),
        // A submission has a status. What a withdrawal leaves has none.
        NoticeAbout::Draft { id, .. } => Some(
            Write::check(submission::keys::submission(*id, Id::new(mail.about))).if_none("status"),
        ),
        NoticeAbout::News { .. } => None,
    };
    let all = std::iter::once(requested).chain(object);
    all.map(|check| check.or(Refusal::Superseded)).collect()
}

/// Returns the condition under which the news of an appointment may still be told: no rejection
/// that the applicant was told has ended the interview. A cancellation is told in any case.
fn not_over(mail: &Mail) -> Option<Write> {
    let appointment = mail.appointment.as_ref()?;
    if appointment.news == AppointmentNews::Cancelled {
        return None;
    }
    let submission = submission::keys::submission(appointment.application_id?, Id::new(mail.about));
    let check = Write::check(submission).if_none("interview.over");
    Some(check.or(Refusal::Superseded))
}

fn key_of(mail: &MailId) -> Key {
    keys::outbox(mail.about, mail.sequence, mail.kind, mail.attempt)
}

/// A decision mail to be queued, and the data that it was made from.
pub struct DecisionMail<'a> {
    /// The submissions that the mail is about, as they were read. If the decision or the mail state
    /// of one of them changed after that, nothing is queued.
    pub submissions: &'a [Submission],
    /// The mail to be queued.
    pub mail: &'a Mail,
    /// The id of the request, see [`Telling`].
    pub call: u64,
}

impl Table {
    /// Queues a decision mail. One transaction stores the mail record, the mail state of its
    /// submissions and the invite. If the last mail is still queued, the transaction marks it as
    /// failed.
    ///
    /// Refused if somebody else queued the mail first, or changed the decision.
    pub async fn queue_decision(
        &self,
        DecisionMail {
            submissions,
            mail,
            call,
        }: DecisionMail<'_>,
    ) -> Result<(), TableError> {
        let (now, kind) = (mail.queued_at, mail.kind);
        let state = state_of(kind);
        let is_to_person = mail
            .decision
            .as_ref()
            .is_some_and(|decision| !decision.covers.is_empty());
        let mut writes = vec![Write::put(mail)?.if_new()];
        let mut stuck = BTreeMap::new();
        for submission in submissions {
            let last = submission.mail_state(kind);
            let recent = last.iter().flat_map(|last| {
                let counting = last.count_recent(now);
                last.recent(now).take(counting).cloned()
            });
            let queued = MailState {
                attempt: mail.attempt,
                status: EmailStatus::Queued,
                at: now,
                taken: last.is_some_and(|last| last.taken),
                earlier_taken: last.is_some_and(|last| last.taken),
                person_mail: is_to_person.then_some(mail.sequence),
                order: submission.next_mail_order(),
                recent: recent.chain([Telling { at: now, call }]).collect(),
            };
            let write = Write::update(submission.key())
                .set(&state, &queued)
                .if_equals("status", &submission.status)
                .if_equals("reason", &submission.reason)
                .if_equals("sequence", &submission.sequence)
                .if_equals("person", &submission.person)
                .if_is(&state, last);
            if kind == MailKind::Interview {
                writes.extend(self.invited(write, submission, now).await?);
            } else {
                writes.push(write);
            }
            let waiting = last.filter(|last| last.status == EmailStatus::Queued);
            if let Some(id) = waiting.and_then(|last| submission.mail_id(kind, last)) {
                stuck.insert(key_of(&id), id);
            }
        }
        for id in stuck
            .values()
            .filter(|id| id.about != mail.about || is_to_person)
        {
            writes.extend(self.given_up(id, submissions, now).await?);
        }
        if let (Some(link), Some(person)) = (&mail.invite, mail.person) {
            let accepted: Vec<AcceptanceMail> = mail
                .communicated()
                .into_iter()
                .map(|communicated| AcceptanceMail {
                    submission: communicated.submission,
                    order: communicated.order,
                })
                .collect();
            writes.push(invite_accepted(link, person, &mail.to, &accepted, now));
        }
        // A mail to a person may have been given up already, for another of its submissions.
        writes.extend(stuck.into_keys().map(|key| {
            Write::update(key)
                .set("status", &EmailStatus::Failed)
                .set("outcome", &SUPERSEDED)
                .if_either("status", [&EmailStatus::Queued, &EmailStatus::Failed])
        }));
        self.transact(writes).await
    }

    /// Returns the writes that also invite the applicant, if they do not have an interview. If they
    /// were told a rejection after they had booked, and the slot has begun, the booking is removed:
    /// then 1 read.
    async fn invited(
        &self,
        write: Write,
        submission: &Submission,
        now: Timestamp,
    ) -> Result<Vec<Write>, TableError> {
        let mailed = submission.mailed.as_ref();
        let after_decision = mailed.map(|_| now);
        let rejected_at = mailed
            .filter(|mailed| mailed.status.is_rejection())
            .map(|mailed| mailed.at);
        let write = write.if_is("interview", submission.interview.as_ref());
        let Some(interview) = submission.interview() else {
            let new = submission.invited().again(after_decision);
            return Ok(vec![write.set("interview", &new)]);
        };
        let Some(booked) = interview.slot else {
            let goes_on = !interview.over && after_decision.is_none();
            let new = interview.again(after_decision);
            return Ok(vec![if goes_on {
                write
            } else {
                write.set("interview", &new)
            }]);
        };
        if interview.booked_at > rejected_at {
            return Ok(vec![write]);
        }
        let slot = self.slot(submission.application, booked).await?;
        if slot.as_ref().is_some_and(|slot| slot.start > now) {
            let goes_on = Interview {
                invited_at: after_decision,
                ..interview.clone()
            };
            return Ok(vec![write.set("interview", &goes_on)]);
        }
        let after_release = slot.map_or_else(
            || interview.clone(),
            |slot| interview.after_release(&slot, 0),
        );
        let mut writes = vec![write.set("interview", &after_release.again(after_decision))];
        writes.extend(Submission::release_bookings([submission]));
        Ok(writes)
    }

    /// Returns a mail of the outbox: 1 read.
    pub async fn mail(&self, mail: &MailId) -> Result<Option<Mail>, TableError> {
        self.get(key_of(mail)).await
    }

    /// Returns the mail that a message of the queue names; none if it was deleted: 1 read.
    ///
    /// # Errors
    /// Also if this release cannot read it (E33).
    pub async fn queued_mail(&self, key: Key) -> Result<Option<Mail>, TableError> {
        self.get(key).await
    }

    /// Returns mails of the outbox as they are now: 1 batch read per 100.
    pub async fn mails(&self, mails: &[MailId]) -> Result<Vec<Mail>, TableError> {
        let requested: Vec<Key> = mails.iter().map(key_of).collect();
        let mut found = self.get_many(requested.clone()).await?;
        requested
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Claims a queued mail for sending.
    ///
    /// Refused as [`Refusal::Changed`] if it is no longer queued. Refused as
    /// [`Refusal::Superseded`] if its submission was deleted, has another decision or has a later
    /// mail, if its invitation was used, revoked or sent again, if it is a notice that is not
    /// wanted or not true any more, or if it tells an appointment that a rejection has ended.
    pub async fn claim_mail(&self, mail: &Mail, now: Timestamp) -> Result<(), TableError> {
        let claim = Write::update(mail.key())
            .set("status", &EmailStatus::Sending)
            .set("claimed_at", &Some(now))
            .if_equals("status", &EmailStatus::Queued);
        let invite = mail.invite.as_ref().filter(|_| mail.decision.is_none());
        let open = invite.map(|link| {
            Write::check(invite::keys::invite(&link.club, &link.invite))
                .if_equals("version", &link.version)
                .or(Refusal::Superseded)
        });
        self.transact(
            std::iter::once(claim)
                .chain(status_writes(mail, EmailStatus::Sending, now))
                .chain(still_true(mail))
                .chain(not_over(mail))
                .chain(open)
                .collect(),
        )
        .await
    }

    /// Returns the changes of submissions whose mail to the person is given up because another mail
    /// is sent about some of its submissions.
    async fn given_up(
        &self,
        stuck: &MailId,
        kept: &[Submission],
        now: Timestamp,
    ) -> Result<Vec<Write>, TableError> {
        let Some(mail) = self.mail(stuck).await? else {
            return Ok(vec![]);
        };
        let (Some(decision), mut communicated) = (&mail.decision, mail.communicated()) else {
            return Ok(vec![]);
        };
        communicated
            .retain(|communicated| kept.iter().all(|kept| kept.id != communicated.submission));
        let ids: Vec<Id<of::Submission>> = communicated
            .iter()
            .map(|communicated| communicated.submission)
            .collect();
        let there = self.submissions_by_id(decision.application, &ids).await?;
        communicated.retain(|communicated| {
            there
                .iter()
                .any(|one| one.id == communicated.submission && shows(one, &mail, communicated))
        });
        Ok(communicated_writes(
            &mail,
            communicated,
            (EmailStatus::Failed, now),
            &EndedInterviews::default(),
            |_| true,
        ))
    }
}
