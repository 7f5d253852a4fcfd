use serde::{Deserialize, Serialize};

use super::{
    Application, Choice, ClubCode, Committee, EmailStatus, MailState, Major, Person, Personal,
    Question, School, integer_enum,
};
use crate::ids::Id;
use crate::time::Timestamp;

integer_enum! {
    /// What was decided of a submission.
    Status {
        /// Nothing yet.
        Pending = 1,
        /// Rejected after the written application.
        RejectedWritten = 2,
        /// Rejected after the interview.
        RejectedInterview = 3,
        /// Accepted.
        Accepted = 4,
    }
}

/// A submission to an application (S6). Its id is derived from application, person and committee.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Submission {
    /// Submission id.
    pub id: Id<Submission>,
    /// Club code.
    pub club: ClubCode,
    /// Application id.
    pub application: Id<Application>,
    /// User id; none after erasure.
    pub person: Option<Id<Person>>,
    /// Who it is; kept equal to the profile; none after erasure.
    pub applicant: Option<Applicant>,
    /// Committee id, or none.
    pub committee: Option<Id<Committee>>,
    /// The committee's name when it was submitted.
    pub committee_name: String,
    /// Answers in the order of their questions.
    pub answers: Vec<Answer>,
    /// What was decided.
    pub status: Status,
    /// Feedback for the applicant.
    pub reason: String,
    /// The order number of the request that made it, see [`crate::ids::Ids::received`]: newest
    /// first is by this.
    pub sequence: u64,
    /// The order number of the request that wrote it last: of two the one that was received later
    /// is kept.
    pub received: u64,
    /// How often it was submitted, from 1; goes on after a withdrawal.
    pub revision: u32,
    /// A hash of the idempotency key of the last request, if it had one: a repeat is answered like
    /// that one.
    pub key: Option<String>,
    /// First submitted.
    pub created_at: Timestamp,
    /// Last submitted by the applicant.
    pub submitted_at: Timestamp,
    /// Last changed by anybody.
    pub updated_at: Timestamp,
    /// Whether any decision mail was taken by SES.
    pub notified: bool,
    /// State of the last acceptance mail.
    pub acceptance_mail: Option<MailState>,
    /// State of the last rejection mail.
    pub rejection_mail: Option<MailState>,
    /// What the last mail that was taken said.
    pub mailed: Option<Mailed>,
}

impl Submission {
    /// The id of a person's submission to an application and committee.
    pub fn id_of(
        application: Id<Application>,
        person: Id<Person>,
        committee: Option<Id<Committee>>,
    ) -> Id<Self> {
        let committee = committee.map_or_else(String::new, |id| id.to_string());
        Id::derived(
            "submission",
            &[&application.to_string(), &person.to_string(), &committee],
        )
    }

    /// Its place among the submissions of an application: later ones are larger.
    pub fn place(&self) -> (u64, u64) {
        (self.sequence, self.id.get())
    }

    /// Where the last mail stands, of whichever type.
    pub fn email_status(&self) -> Option<EmailStatus> {
        let mails = [&self.acceptance_mail, &self.rejection_mail];
        mails
            .into_iter()
            .flatten()
            .max_by_key(|mail| mail.at)
            .map(|mail| mail.status)
    }
}

/// What is left of a submission that was withdrawn, in its place: late repeats of older requests do
/// not bring it back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Withdrawal {
    /// Submission id.
    pub id: Id<Submission>,
    /// Application id.
    pub application: Id<Application>,
    /// The order number of the withdrawal.
    pub received: u64,
    /// As in [`Submission`].
    pub revision: u32,
    /// As in [`Submission`].
    pub key: Option<String>,
    /// When.
    pub withdrawn_at: Timestamp,
}

/// Who applied, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applicant {
    /// From the token.
    pub personal: Personal,
    /// From the profile.
    pub graduation_year: Option<u16>,
    /// Ids of schools, from the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub school: Vec<Id<School>>,
    /// Ids of majors, from the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub major: Vec<Id<Major>>,
}

/// An answer, pinned to the version of its question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Question id.
    pub question: Id<Question>,
    /// Version of its prompt.
    pub version: u32,
    /// Its precedence when it was answered.
    pub precedence: i32,
    /// For free response and short answer.
    pub text: Option<String>,
    /// For multiple choice: the option id.
    pub option: Option<Id<Choice>>,
}

/// A decision as it was mailed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mailed {
    /// Status.
    pub status: Status,
    /// Reason.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// A change of a decision (D2).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DecisionChange {
    /// Change id, time-ordered.
    pub id: Id<DecisionChange>,
    /// Application id.
    pub application: Id<Application>,
    /// Submission id.
    pub submission: Id<Submission>,
    /// When.
    pub at: Timestamp,
    /// Who: user id.
    pub by: Id<Person>,
    /// Status before and after, if it changed.
    pub status: Option<OldAndNew<Status>>,
    /// Reason before and after, if it changed.
    pub reason: Option<OldAndNew<String>>,
}

/// A value before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldAndNew<T> {
    /// Before.
    pub old: T,
    /// After.
    pub new: T,
}
