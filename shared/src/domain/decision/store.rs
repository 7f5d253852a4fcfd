//! How decision mails and invitations to interviews are queued (E12).

use std::collections::BTreeMap;

use crate::db::{Entity, Table, TableError, Write};
use crate::domain::decision::ended::EndedInterviews;
use crate::domain::decision::status_writes::{communicated_writes, shows, state_of};
use crate::domain::invite::model::AcceptanceMail;
use crate::domain::invite::store::invite_accepted;
use crate::domain::outbox::model::{Mail, SUPERSEDED};
use crate::domain::outbox::state::{EmailStatus, MailId, MailKind, MailState, Telling};
use crate::domain::outbox::store::key_of;
use crate::domain::submission::interview::Interview;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::time::Timestamp;

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
