//! Interviews that end because a mail told the applicant that they were rejected (K9).

use crate::db::{Entity as _, Refusal, Table, TableError, Write};
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::state::MailKind;
use crate::domain::slot::model::Slot;
use crate::domain::submission::interview::Interview;
use crate::domain::submission::model::Submission;
use crate::ids::{Id, of};
use crate::time::Timestamp;

/// An interview that ends with a mail.
#[derive(Debug, Clone)]
pub struct EndedInterview {
    /// The submission as it was read.
    pub submission: Submission,
    /// The slot that it has booked.
    pub slot: Slot,
}

/// What a mail changes in interviews.
#[derive(Debug, Clone, Default)]
pub struct EndedInterviews {
    /// Those that end.
    pub ended: Vec<EndedInterview>,
    /// The interviews of the submissions that a rejection tells, as they were read. If one changed,
    /// for example because it was booked while SES took the mail, the writes are refused.
    read: Vec<(Id<of::Submission>, Option<Interview>)>,
}

/// Interviews that a decision mail ends, perhaps without mentioning them, and the mails that cancel
/// them.
#[derive(Debug, Default)]
pub struct Cancellations {
    /// The interviews.
    pub ended: Vec<EndedInterview>,
    /// The mails: none about an interview whose applicant has no address.
    pub mails: Vec<Mail>,
}

impl Cancellations {
    /// Returns whether all of these interviews are among them, as they were read.
    pub(crate) fn has_all(&self, ended: &[EndedInterview]) -> bool {
        ended.iter().all(|one| one.is_among(&self.ended))
    }

    /// Returns the mails about these interviews.
    pub(crate) fn mails_of(&self, ended: &[EndedInterview]) -> impl Iterator<Item = &Mail> {
        let is_about = |mail: &&Mail| {
            let mut all = ended.iter().map(|one| one.submission.id.get());
            all.any(|id| id == mail.about)
        };
        self.mails.iter().filter(is_about)
    }
}

/// How many interviews end in the transaction of one mail, which allows 100 writes. More are given
/// back when somebody asks.
const AT_ONCE: usize = 16;

impl EndedInterview {
    /// Returns the number of the calendar file that cancels it.
    pub fn file(&self) -> i64 {
        let interview = self.submission.interview();
        interview.map_or(0, |interview| interview.next_file(Some(&self.slot)))
    }

    /// Returns whether this is one of these, with the same number of the calendar file.
    pub fn is_among(&self, others: &[Self]) -> bool {
        let this = |one: &Self| (one.submission.id, one.slot.id, one.file());
        others.iter().any(|other| this(other) == this(self))
    }

    /// Returns the write of the submission, with the end of the interview, and its condition.
    fn end(&self, write: Write) -> Write {
        let Some(interview) = self.submission.interview() else {
            return write;
        };
        let over = Interview {
            over: true,
            ..interview.after_release(&self.slot, 0)
        };
        write
            .set("interview", &over)
            .by_actor()
            .if_is("interview", self.submission.interview.as_ref())
    }
}

/// Returns the write of a submission that a mail told; if its interview ends, with that. It is
/// refused if the interview is not as it was read.
pub(crate) fn with_end(write: Write, id: Id<of::Submission>, ends: &EndedInterviews) -> Write {
    if let Some(ended) = ends.ended.iter().find(|ended| ended.submission.id == id) {
        return ended.end(write);
    }
    match ends.read.iter().find(|(read, _)| *read == id) {
        Some((_, interview)) => write.if_is("interview", interview.as_ref()),
        None => write,
    }
}

/// Returns the other writes of the interviews that end: of submissions that the mail is not about,
/// of the slots, and of the bookings.
pub(crate) fn other_writes(mail: &Mail, ends: &EndedInterviews) -> Vec<Write> {
    let ended = &ends.ended;
    let communicated = mail.communicated();
    let is_communicated = |id: Id<of::Submission>| {
        communicated
            .iter()
            .any(|communicated| communicated.submission == id)
    };
    let others = ended
        .iter()
        .filter(|ended| !is_communicated(ended.submission.id));
    let mut writes: Vec<Write> = others
        .map(|ended| {
            let submission = &ended.submission;
            let write = Write::update(submission.key())
                .if_equals("sequence", &submission.sequence)
                .if_equals("status", &submission.status)
                .or(Refusal::Superseded);
            ended.end(write)
        })
        .collect();
    let all = ended.iter().map(|ended| &ended.submission);
    // The calendar file that cancels the interview gets its number from the slot as it was read.
    let as_read = |id, write: Write| match ended.iter().find(|ended| ended.slot.id == id) {
        Some(EndedInterview { slot, .. }) => {
            let write = write.if_equals("revision", &slot.revision);
            write.or(Refusal::Superseded)
        }
        None => write,
    };
    writes.extend(Submission::release_bookings_in(all, as_read));
    writes
}

impl Table {
    /// Returns the interviews that end when this mail is sent, because they have not begun: those
    /// of the submissions that a rejection tells; and with an acceptance that is the only mail to
    /// the person, those of their rejected submissions. What was booked after SES took the mail
    /// goes on, and so does what was booked after the release time told the same rejection. 1 batch
    /// read, and another one with the application if any is booked.
    pub async fn interviews_ended_by(
        &self,
        mail: &Mail,
        taken_at: Timestamp,
        now: Timestamp,
    ) -> Result<EndedInterviews, TableError> {
        let (Some(decision), Some(person)) = (&mail.decision, mail.person) else {
            return Ok(EndedInterviews::default());
        };
        let id = decision.application;
        let all_communicated = mail.communicated();
        let communicated = all_communicated
            .iter()
            .map(|communicated| communicated.submission);
        let ids: Vec<Id<of::Submission>> = match mail.kind {
            MailKind::Rejection => communicated.collect(),
            MailKind::Acceptance if !decision.covers.is_empty() => {
                let Some(application) = self.application(&decision.club, id).await? else {
                    return Ok(EndedInterviews::default());
                };
                let committees = application.committees.iter().map(|one| Some(one.id));
                let all = committees.chain([None]);
                let all = all.map(|committee| Submission::id_of(id, person, committee));
                let communicated: Vec<_> = communicated.collect();
                all.filter(|id| !communicated.contains(id)).collect()
            }
            _ => return Ok(EndedInterviews::default()),
        };
        let mut found = self.submissions_by_id(id, &ids).await?;
        // One that was withdrawn and submitted again is not the one that the mail is about.
        found.retain(|one| {
            let mut about = all_communicated
                .iter()
                .filter(|communicated| communicated.submission == one.id);
            about.all(|communicated| communicated.sequence == one.sequence)
        });
        let is_rejection = mail.kind == MailKind::Rejection;
        let read = found.iter().filter(|_| is_rejection);
        let read = read.map(|one| (one.id, one.interview.clone())).collect();
        let is_old = |interview: &Interview| {
            interview.booked_at.is_none_or(|at| at <= taken_at)
                && interview.invited_at.is_none_or(|at| at < taken_at)
        };
        found.retain(|one| one.booked().is_some() && one.person == Some(person));
        found.retain(|one| one.interview().is_some_and(is_old));
        found.retain(|one| is_rejection || one.status.is_rejection());
        if found.is_empty() {
            let ended = vec![];
            return Ok(EndedInterviews { ended, read });
        }
        let slots = found.iter().filter_map(|one| Some((id, one.booked()?)));
        let (slots, application) = futures::try_join!(
            self.slots_by_id(slots),
            self.application(&decision.club, id)
        )?;
        found.retain(|one| {
            let mut released = application
                .iter()
                .filter_map(|application| one.rejection_released(application, now.moment()));
            let interview = one.interview();
            released.all(|since| interview.is_none_or(|interview| interview.is_before(since)))
        });
        let ended = found.into_iter().filter_map(|submission| {
            let slot = slots.get(&submission.booked()?)?.clone();
            (slot.start > now).then_some(EndedInterview { submission, slot })
        });
        let ended = ended.take(AT_ONCE).collect();
        Ok(EndedInterviews { ended, read })
    }
}
