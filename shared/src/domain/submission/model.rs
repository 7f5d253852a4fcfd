//! Submissions, and what their applicants were told about them (E2).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::domain::application::model::Application;
use crate::domain::outbox::model::CommunicatedDecision;
use crate::domain::outbox::state::{EmailStatus, MailId, MailKind, MailState};
use crate::domain::outbox::undelivered::Undelivered;
use crate::domain::person::model::Applicant;
use crate::domain::status::Status;
use crate::domain::submission::answers::Answers;
use crate::domain::submission::interview::Interview;
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// The answers of one revision, in an item of their own: a decision, a review and a mail write the
/// submission, and none of them has to write answers again. It is written once, before the
/// submission that names it, and never changed. One that no submission names has no meaning.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SubmissionAnswers {
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// The order number of the request that sent the answers.
    pub at: u64,
    /// The answers.
    pub answers: Answers,
}

/// A submission with its answers.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The submission.
    pub submission: Submission,
    /// Its answers; none after an erasure.
    pub answers: Answers,
}

impl Answered {
    /// Returns the item in which its answers are stored.
    pub fn submission_answers(&self) -> SubmissionAnswers {
        SubmissionAnswers {
            application: self.submission.application,
            submission: self.submission.id,
            at: self.submission.answers_at,
            answers: self.answers.clone(),
        }
    }
}

impl Deref for Answered {
    type Target = Submission;

    fn deref(&self) -> &Submission {
        &self.submission
    }
}

/// A submission to an application (S6). Its id is derived from application, person and committee.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Submission {
    /// Id of the submission.
    pub id: Id<of::Submission>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the user; none after erasure.
    pub person: Option<Id<of::Person>>,
    /// The applicant; a copy that is updated with the profile; none after erasure.
    pub applicant: Option<Applicant>,
    /// Id of the committee; none if the submission is not for a committee.
    pub committee: Option<Id<of::Committee>>,
    /// Name of the committee at the time of submission.
    pub committee_name: String,
    /// The order number of the request that sent its answers: they are in the [`SubmissionAnswers`]
    /// of this number. 0 after an erasure, and in a submission that has its answers itself.
    ///
    /// [`SubmissionAnswers`]: crate::domain::SubmissionAnswers
    #[serde(default)]
    pub answers_at: u64,
    /// [`Answers::hash`] of its answers.
    #[serde(default)]
    pub answers_hash: String,
    /// The answers of a submission that was stored before answers had items of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// The files of its answers: each has a [`crate::domain::Attachment`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Id<of::Upload>>,
    /// Status of the decision.
    pub status: Status,
    /// When it became a rejection, if it is one and was changed after that: another kind of
    /// rejection, or another reason. Else that was at `updated_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected_at: Option<Timestamp>,
    /// The revision whose answers its status was set for; 0 if it is pending (D6).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub decided_revision: u32,
    /// Feedback for the applicant.
    pub reason: String,
    /// The order number of the request that created it, see [`crate::ids::Ids::received`]. Lists
    /// are ordered by it, newest first.
    pub sequence: u64,
    /// The order number of the request that wrote it last. Of two writes, the one that was received
    /// later wins.
    pub received: u64,
    /// How often it was submitted, from 1. The count continues after a withdrawal.
    pub revision: u32,
    /// The last revision that was withdrawn; 0 if none was.
    #[serde(default)]
    pub withdrawn: u32,
    /// The last revision that an erasure withdrew; 0 if none did.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased: u32,
    /// The first changes of only its status. All other changes have items of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<StatusChange>,
    /// Id of the last change of its decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_change: Option<Id<of::DecisionChange>>,
    /// The scores of its reviews, by the id of the review; none for a review without a score. The
    /// comments are in the reviews.
    #[serde(default)]
    pub reviews: BTreeMap<String, Option<u8>>,
    /// The idempotency keys of the last requests, the oldest first, at most
    /// [`RememberedKey::MAX_KEYS`]. A repeat is answered with what is stored.
    #[serde(default)]
    pub keys: Vec<RememberedKey>,
    /// When submissions in this place were confirmed by a mail; covers the last 24 hours.
    #[serde(default)]
    pub confirmations: Vec<Timestamp>,
    /// When it was first submitted.
    pub created_at: Timestamp,
    /// When the applicant last submitted it.
    pub submitted_at: Timestamp,
    /// When anybody last changed it.
    pub updated_at: Timestamp,
    /// Whether SES accepted any decision mail.
    pub notified: bool,
    /// State of the last acceptance mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance_mail: Option<MailState>,
    /// State of the last rejection mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection_mail: Option<MailState>,
    /// State of the last invitation to choose an interview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interview_mail: Option<MailState>,
    /// The decision in the last mail that SES accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mailed: Option<Mailed>,
    /// The interview; none before the invitation. See [`Submission::interview`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interview: Option<Interview>,
    /// The number of the last calendar file about an interview before a withdrawal. The files of
    /// the next interview go on from it (K10).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calendar_file: u32,
    /// The last mail about it that did not arrive (E35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undelivered: Option<Undelivered>,
}

impl Submission {
    /// Returns the id of a person's submission to an application and committee.
    pub fn id_of(
        application: Id<of::Application>,
        person: Id<of::Person>,
        committee: Option<Id<of::Committee>>,
    ) -> Id<of::Submission> {
        let committee = committee.map_or_else(String::new, |id| id.to_string());
        Id::derived(
            "submission",
            &[&application.to_string(), &person.to_string(), &committee],
        )
    }

    /// Returns the ids of a person's submissions to an application with these committees: one for
    /// each, and one for none.
    pub fn ids_of(
        application: Id<of::Application>,
        person: Id<of::Person>,
        committees: impl IntoIterator<Item = Id<of::Committee>>,
    ) -> impl Iterator<Item = Id<of::Submission>> {
        let committees = committees.into_iter().map(Some).chain([None]);
        committees.map(move |committee| Self::id_of(application, person, committee))
    }

    /// Returns [`Answers::hash`] of its answers, wherever they are.
    pub fn hash_of_answers(&self) -> Cow<'_, str> {
        match &self.answers {
            Some(answers) => Cow::Owned(answers.hash()),
            None => Cow::Borrowed(&self.answers_hash),
        }
    }

    /// Returns about how many bytes of memory it needs, without its answers.
    pub(crate) fn memory_used(&self) -> usize {
        let own = self.answers.as_ref().map_or(0, Answers::size);
        own + self.reason.len() + 1_000
    }

    /// Returns its position among the submissions of an application; later submissions have larger
    /// ones.
    pub fn sort_key(&self) -> (u64, u64) {
        (self.sequence, self.id.get())
    }

    /// Returns the state of the last decision mail of this kind.
    pub fn mail_state(&self, kind: MailKind) -> Option<&MailState> {
        match kind {
            MailKind::Acceptance => self.acceptance_mail.as_ref(),
            MailKind::Rejection => self.rejection_mail.as_ref(),
            MailKind::Interview => self.interview_mail.as_ref(),
            _ => None,
        }
    }

    /// Returns the id of the mail that has this state. None after an erasure, if it was one mail to
    /// the person.
    pub fn mail_id(&self, kind: MailKind, state: &MailState) -> Option<MailId> {
        let (about, sequence) = match state.person_mail {
            None => (self.id.get(), self.sequence),
            Some(sequence) => (
                MailId::about_person(self.application, self.person?),
                sequence,
            ),
        };
        Some(MailId {
            about,
            sequence,
            kind,
            attempt: state.attempt,
        })
    }

    /// Returns the position that the next decision mail gets ([`MailState::order`]).
    pub fn next_mail_order(&self) -> u32 {
        let mails = [&self.acceptance_mail, &self.rejection_mail];
        let last = mails.into_iter().flatten().map(|mail| mail.order).max();
        last.unwrap_or(0) + 1
    }

    /// Returns its interview; none if the applicant was not invited since they last submitted it
    /// after a withdrawal.
    pub fn interview(&self) -> Option<&Interview> {
        let stored = self.interview.as_ref();
        stored.filter(|interview| interview.sequence == self.sequence)
    }

    /// Returns the interview that an invitation begins.
    pub fn invited(&self) -> Interview {
        Interview::invited(self.sequence, self.calendar_file)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Where a person has submitted (S16). It is kept for an hour, in which the index may be behind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecentSubmission {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// The order number of the request, see [`crate::ids::Ids::received`].
    pub received: u64,
    /// When the table may delete it, in seconds since 1970.
    pub expires: i64,
}

/// A change of a decision (D2).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DecisionChange {
    /// Id of the change, ordered by time.
    pub id: Id<of::DecisionChange>,
    /// Id of the application.
    pub application: Id<of::Application>,
    /// Id of the submission.
    pub submission: Id<of::Submission>,
    /// When it was changed.
    pub at: Timestamp,
    /// Id of the user who changed it.
    pub by: Id<of::Person>,
    /// Status before and after; none if it did not change.
    pub status: Option<OldAndNew<Status>>,
    /// Reason before and after; none if it did not change.
    pub reason: Option<OldAndNew<String>>,
}

/// A value before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldAndNew<T> {
    /// Value before the change.
    pub old: T,
    /// Value after the change.
    pub new: T,
}

/// A change of only the status, as the submission keeps it: id, author, old and new status. The id
/// tells the time. It needs about 26 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange(
    pub(crate) Id<of::DecisionChange>,
    pub(crate) Id<of::Person>,
    pub(crate) Status,
    pub(crate) Status,
);

/// A decision as it was mailed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mailed {
    /// Status in the mail.
    pub status: Status,
    /// Reason in the mail.
    pub reason: String,
    /// When SES accepted the mail.
    pub at: Timestamp,
    /// As in [`MailState`].
    #[serde(default)]
    pub order: u32,
}

impl Mailed {
    /// Returns what the submission stores of a decision after SES accepted the mail.
    pub fn of(communicated: &CommunicatedDecision, at: Timestamp) -> Self {
        Self {
            status: communicated.status,
            reason: communicated.reason.clone(),
            at,
            order: communicated.order,
        }
    }
}

/// The idempotency key of a request to submit, and what the request said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RememberedKey {
    /// The beginning of a hash of the key.
    pub key: String,
    /// The beginning of a hash of the committee and the answers.
    pub fingerprint: String,
    /// The order number of the request.
    pub received: u64,
}

impl RememberedKey {
    /// How many keys a submission remembers.
    pub const MAX_KEYS: usize = 5;
    /// How many characters of a hash are kept: 128 bits.
    pub const HASH: usize = 32;
}

impl Submission {
    /// Returns what the applicant was told about it.
    pub fn communicated(&self) -> Communicated<'_> {
        Communicated {
            acceptance: self.acceptance_mail.as_ref(),
            rejection: self.rejection_mail.as_ref(),
            mailed: self.mailed.as_ref(),
        }
    }

    /// Returns how much of its decision the applicant may know at `now` (S14).
    pub fn visible(&self, application: &Application, now: DateTime<Utc>) -> Visible<'_> {
        match &self.mailed {
            _ if application.release.moment() <= now => Visible::All,
            Some(mailed) => Visible::Communicated(mailed),
            None => Visible::Nothing,
        }
    }

    /// Returns the status and since when the applicant may know it, as far as they may know at
    /// `now` (S14). None if they may not know of a decision.
    pub fn visible_decision(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<(Status, Timestamp)> {
        let (status, since) = match self.visible(application, now) {
            Visible::All => {
                let decided = application.release.max(self.updated_at);
                let communicated = self.mailed.as_ref();
                let communicated = communicated.filter(|mailed| mailed.status == self.status);
                let communicated = communicated.map_or(decided, |mailed| mailed.at);
                (self.status, communicated.min(decided))
            }
            Visible::Communicated(mailed) => (mailed.status, mailed.at),
            Visible::Nothing => return None,
        };
        (status != Status::Pending).then_some((status, since))
    }

    /// Returns whether it is accepted, and its applicant may know it at `now`.
    pub fn is_visible_acceptance(&self, application: &Application, now: DateTime<Utc>) -> bool {
        let decision = self.visible_decision(application, now);
        decision.is_some_and(|(status, _)| status == Status::Accepted)
    }

    /// Returns whether its applicant can no longer submit it again or withdraw it at `now` (S2):
    /// it is decided and they were told a decision, or it was made anonymous. A decision that they
    /// do not know of closes nothing, so nobody can tell that there is one.
    pub fn is_closed(&self, application: &Application, now: DateTime<Utc>) -> bool {
        let is_decided = self.status != Status::Pending;
        self.person.is_none() || is_decided && self.visible_decision(application, now).is_some()
    }

    /// Returns whether its answers are newer than its decision (D6).
    pub fn is_changed_after_decision(&self) -> bool {
        self.status != Status::Pending && (1..self.revision).contains(&self.decided_revision)
    }

    /// Returns when it was last changed, as far as the applicant may know at `now` (S14).
    pub fn shown_change(&self, application: &Application, now: DateTime<Utc>) -> Timestamp {
        match self.visible(application, now) {
            Visible::All => self.updated_at,
            Visible::Communicated(mailed) => mailed.at.max(self.submitted_at),
            Visible::Nothing => self.submitted_at,
        }
    }

    /// Returns since when the applicant may know, at `now`, that they were rejected. What they were
    /// told before they were invited again does not count.
    pub fn rejection_visible(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<Timestamp> {
        let invited_at = self.interview().and_then(|interview| interview.invited_at);
        let mailed = self.mailed.as_ref();
        let communicated = mailed.filter(|mailed| Some(mailed.at) > invited_at);
        let communicated = communicated.filter(|mailed| mailed.status.is_rejection());
        if application.release.moment() > now {
            return communicated.map(|mailed| mailed.at);
        }
        let visible = self.rejection_released(application, now)?;
        // An earlier mail may have told an earlier rejection, which was taken back.
        let communicated = communicated.filter(|mailed| mailed.at >= self.rejected_since());
        Some(communicated.map_or(visible, |mailed| mailed.at.min(visible)))
    }

    /// Returns since when it is a rejection, if it is one.
    pub fn rejected_since(&self) -> Timestamp {
        self.rejected_at.unwrap_or(self.updated_at)
    }

    /// Returns since when the applicant may know, at `now`, that they were rejected, because the
    /// release time has come.
    pub fn rejection_released(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<Timestamp> {
        let is_visible = self.status.is_rejection() && application.release.moment() <= now;
        is_visible.then(|| application.release.max(self.rejected_since()))
    }

    /// Returns whether a rejection that the applicant may know at `now` ended the interview (K9).
    /// What an officer booked after that goes on (K8), and so does the interview of who was invited
    /// after that.
    pub fn is_interview_over(&self, application: &Application, now: DateTime<Utc>) -> bool {
        let interview = self.interview();
        let visible = self.rejection_visible(application, now);
        visible.is_some_and(|since| interview.is_none_or(|interview| interview.is_before(since)))
    }

    /// Returns its interview as its club sees it; none if it ended, or if nothing is booked and the
    /// applicant may know a rejection at `now` (K9).
    pub fn shown_interview(
        &self,
        application: &Application,
        now: DateTime<Utc>,
    ) -> Option<&Interview> {
        let goes_on = |one: &&Interview| {
            !one.over && (one.slot.is_some() || !self.is_interview_over(application, now))
        };
        self.interview().filter(goes_on)
    }

    /// Returns the status of the last decision mail of either kind.
    pub fn email_status(&self) -> Option<EmailStatus> {
        self.communicated().last_status()
    }

    /// Returns what [`Communicated::last_kind`] says.
    pub fn last_communicated(&self) -> Option<MailKind> {
        self.communicated().last_kind()
    }

    /// Returns whether the last mail about it that counts is of this kind (E2). Invitations to an
    /// interview and decisions do not count for each other.
    pub fn is_communicated(&self, kind: MailKind) -> bool {
        if kind == MailKind::Interview {
            let last = self.interview_mail.as_ref();
            return last.is_some_and(|last| last.status != EmailStatus::Failed || last.taken);
        }
        self.last_communicated() == Some(kind)
    }
}

/// How much of a decision an applicant may know (S14).
#[derive(Debug, Clone, Copy)]
pub enum Visible<'a> {
    /// All: the release time has come.
    All,
    /// What the last mail told, and no later change.
    Communicated(&'a Mailed),
    /// Not even that there is one.
    Nothing,
}

/// What an applicant was told about a submission: the states of its decision mails.
#[derive(Debug, Clone, Copy)]
pub struct Communicated<'a> {
    /// State of the last acceptance mail.
    pub acceptance: Option<&'a MailState>,
    /// State of the last rejection mail.
    pub rejection: Option<&'a MailState>,
    /// The decision in the last mail that SES accepted.
    pub mailed: Option<&'a Mailed>,
}

impl Communicated<'_> {
    /// Returns the last decision mail of either kind.
    pub fn last_mail(&self) -> Option<(MailKind, &MailState)> {
        let acceptance = self.acceptance.map(|mail| (MailKind::Acceptance, mail));
        let rejection = self.rejection.map(|mail| (MailKind::Rejection, mail));
        let mails = [acceptance, rejection].into_iter().flatten();
        mails.max_by_key(|(_, mail)| (mail.order, mail.at))
    }

    /// Returns its status.
    pub fn last_status(&self) -> Option<EmailStatus> {
        self.last_mail().map(|(_, mail)| mail.status)
    }

    /// Returns the kind of the last decision mail that went out, is on its way, or perhaps went out
    /// (E2). A mail that was given up or surely not taken does not count.
    pub fn last_kind(&self) -> Option<MailKind> {
        let communicated = |kind: MailKind| {
            let state = match kind {
                MailKind::Acceptance => self.acceptance?,
                _ => self.rejection?,
            };
            if state.status != EmailStatus::Failed {
                return Some(((state.order, state.at), kind));
            }
            // The last mail of this kind failed. An earlier one may have gone out.
            let mailed = self.mailed.filter(|mailed| {
                let is_acceptance = mailed.status == Status::Accepted;
                is_acceptance == (kind == MailKind::Acceptance) && mailed.order != state.order
            });
            let earlier = mailed.map_or((0, Timestamp::at(DateTime::UNIX_EPOCH)), |mailed| {
                (mailed.order, mailed.at)
            });
            state.taken.then_some((earlier, kind))
        };
        let kinds = [MailKind::Acceptance, MailKind::Rejection];
        let last = kinds.into_iter().filter_map(communicated).max();
        last.map(|(_, kind)| kind)
    }
}
