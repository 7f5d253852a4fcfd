//! The response body of a submission. Officers see everything; the applicant does not see the
//! decision before they may know it (S14).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::reference_data::{NamedBody, Studies};
use crate::bodies::UndeliveredBody;
use crate::bodies::club_name::logo;
use crate::bodies::interview::InterviewBody;
use crate::bodies::scores::Scores;
use crate::domain::{
    AnswerFile, Answered, Application, Choice, Club, Committee, Duty, EmailStatus, Form, MailKind,
    Prompt, QuestionType, References, Status, StoredAnswer, Submission, Visible,
};
use crate::ids::{Id, of};
use crate::state::Context;
use crate::text::ClubCode;
use crate::time::Timestamp;
use crate::web::ApiError;

/// A submission.
#[derive(Debug, Serialize, ToSchema)]
#[expect(
    clippy::option_option,
    reason = "missing for applicants, null for officers who may not know"
)]
pub struct SubmissionBody<'a> {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<of::Submission>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<of::Application>,
    /// Code of the club.
    #[schema(value_type = String)]
    club: &'a ClubCode,
    /// Name of the club. Missing if it is not one of `/submissions/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    club_name: Option<&'a str>,
    /// Address of the club's logo. Missing if there is none, or if it is not one of
    /// `/submissions/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    club_image_url: Option<String>,
    /// Whether the club was closed, so that the application has ended. Missing if it is not
    /// one of `/submissions/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    club_archived: Option<bool>,
    /// Null after the applicant's data was erased.
    user: Option<ApplicantBody<'a>>,
    /// 1 pending, 2 rejected after written, 3 rejected after interview, 4 accepted.
    status: Status,
    /// Whether the answers are newer than the decision. Missing if the caller sees it as the
    /// applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    changed_after_decision: Option<bool>,
    /// Feedback for the applicant.
    reason: &'a str,
    /// The committee that the applicant chose, or null.
    committee: Option<Committee>,
    /// The answers, in the order of the questions.
    responses: Vec<ResponseBody<'a>>,
    /// Whether any decision mail was accepted for delivery.
    notified: bool,
    /// Status of the last decision mail; null if there is none.
    email_status: Option<EmailStatus>,
    /// Status of the last invitation to an interview; null if there is none. Missing if the caller
    /// sees it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<EmailStatus>)]
    interview_email_status: Option<Option<EmailStatus>>,
    /// The last mail about it that did not arrive; null if there is none. Decisions and invitations
    /// to an interview have fields of their own.
    undelivered: Option<UndeliveredBody>,
    /// What officers have to do about it. Missing if the caller sees it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Duty>>)]
    duties: Option<Vec<Duty>>,
    /// The interview. Null before the invitation, and for the applicant after they were told a
    /// rejection.
    interview: Option<InterviewBody>,
    /// How often it was submitted, from 1. It goes on after a withdrawal.
    revision: u32,
    /// Number of reviews. Null if the caller may not see the reviews of others. Missing if the
    /// caller sees it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    review_count: Option<Option<u32>>,
    /// Average of the scores, with one decimal. Null if there are none, or if the caller may not
    /// see the reviews of others. Missing if the caller sees it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    score_average: Option<Option<f64>>,
    /// The score that the caller gave, or null. Missing if the caller sees it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u8>)]
    my_score: Option<Option<u8>>,
    /// The receipt: a signed statement (JWS) of what was submitted and when. Missing if the caller
    /// does not see it as the applicant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    receipt: Option<String>,
    /// When the service received the first submission.
    created_at: Timestamp,
    /// When the service received the answers that are shown.
    submitted_at: Timestamp,
    /// When it was last changed, as far as the caller may know.
    updated_at: Timestamp,
}

/// An applicant.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicantBody<'a> {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<of::Person>,
    /// User name.
    username: &'a str,
    /// Whole name.
    name: &'a str,
    /// First part of the name.
    first_name: &'a str,
    /// Last part of the name.
    last_name: &'a str,
    /// Address from the token, or an empty text.
    email: &'a str,
    /// Year of graduation, or null.
    graduation_year: Option<u16>,
    /// Ordered by name.
    school: Vec<NamedBody>,
    /// Ordered by name.
    major: Vec<NamedBody>,
}

/// An answer, with the version of the question that the applicant saw.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseBody<'a> {
    /// The question as it was answered.
    question: AnsweredBody<'a>,
    /// The answer as text; null for multiple-choice questions.
    #[schema(value_type = Option<String>)]
    text: Option<&'a RawValue>,
    /// The chosen option; null for other questions.
    #[schema(value_type = Option<Choice>)]
    multiple_choice: Option<Cow<'a, Choice>>,
    /// The file; null for other questions.
    #[schema(value_type = Option<AnswerFile>)]
    file: Option<&'a RawValue>,
}

/// A question as it was when it was answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnsweredBody<'a> {
    /// Id of the question.
    #[schema(value_type = u64)]
    id: Id<of::Question>,
    /// Kind of question.
    question_type: QuestionType,
    /// Text of the question.
    prompt: &'a str,
    /// Largest number of words of an answer. 0 means no limit.
    word_limit: u32,
    /// Questions with a lower value are shown first.
    precedence: i32,
}

/// Returns what some submissions of a form refer to: the present prompts, those earlier versions
/// that the answers refer to, and the booked slots (1 batch read per 100, if there are any).
pub async fn references_of<'a>(
    app: &Context,
    form: &Form,
    submissions: impl Iterator<Item = &'a Answered>,
) -> Result<References, ApiError> {
    let mut prompts: HashMap<(Id<of::Question>, u32), Prompt> = form
        .questions
        .iter()
        .map(|q| ((q.id, q.prompt.version), q.prompt.clone()))
        .collect();
    let (mut earlier, mut booked) = (HashSet::new(), BTreeSet::new());
    for submission in submissions {
        let answers = submission.answers.read();
        let versions = answers
            .iter()
            .map(|answer| (answer.question, answer.version));
        earlier.extend(versions.filter(|version| !prompts.contains_key(version)));
        booked.extend(submission.booked());
    }
    let id = form.application.id;
    let slots = booked.into_iter().map(|slot| (id, slot));
    let (earlier, slots) = futures::try_join!(
        app.table.prompts(id, &earlier),
        app.table.slots_by_id(slots)
    )?;
    prompts.extend(earlier);
    Ok(References { prompts, slots })
}

impl<'a> SubmissionBody<'a> {
    /// Returns the submission with everything that this officer sees.
    pub fn for_officer(
        submission: &'a Answered,
        application: &Application,
        references: &'a References,
        studies: &Studies,
        officer: Id<of::Person>,
        now: DateTime<Utc>,
    ) -> Self {
        let scores = Scores::seen_by(officer, submission, application);
        let interview = InterviewBody::of(submission, application, &references.slots, now);
        // Nobody is told of themselves whether they came.
        let is_own = submission.person == Some(officer);
        let invitation = submission.mail_state(MailKind::Interview);
        Self {
            interview_email_status: Some(invitation.map(|mail| mail.status)),
            interview: if is_own {
                interview
            } else {
                interview.map(|interview| interview.with_attendance(submission))
            },
            duties: Some(submission.duties()),
            changed_after_decision: Some(submission.is_changed_after_decision()),
            review_count: Some(scores.count),
            score_average: Some(scores.average()),
            my_score: Some(scores.own),
            ..Self::without_scores(submission, application, references, studies)
        }
    }

    fn without_scores(
        submission: &'a Answered,
        application: &Application,
        references: &'a References,
        studies: &Studies,
    ) -> Self {
        let user = submission
            .person
            .zip(submission.applicant.as_ref())
            .map(|(id, applicant)| {
                let personal = &applicant.personal;
                ApplicantBody {
                    id,
                    username: &personal.username,
                    name: &personal.name,
                    first_name: &personal.first_name,
                    last_name: &personal.last_name,
                    email: &personal.email,
                    graduation_year: applicant.graduation_year,
                    school: studies.schools(&applicant.school),
                    major: studies.majors(&applicant.major),
                }
            });
        Self {
            id: submission.id,
            application: submission.application,
            club: &submission.club,
            club_name: None,
            club_image_url: None,
            club_archived: None,
            user,
            status: submission.status,
            changed_after_decision: None,
            reason: &submission.reason,
            committee: committee_of(submission, application),
            responses: submission
                .answers
                .read()
                .into_iter()
                .map(|answer| response(answer, references))
                .collect(),
            notified: submission.notified,
            email_status: submission.email_status(),
            interview_email_status: None,
            undelivered: submission.undelivered.as_ref().map(Into::into),
            duties: None,
            interview: None,
            revision: submission.revision,
            review_count: None,
            score_average: None,
            my_score: None,
            receipt: None,
            created_at: submission.created_at,
            submitted_at: submission.submitted_at,
            updated_at: submission.updated_at,
        }
    }

    /// Returns the submission as its applicant may see it at `now`. Before the release, it shows
    /// the decision that was mailed; if none was mailed, it shows no sign of a decision. With an
    /// archived club, there is no interview; `club` is none where it is known to be open.
    pub fn for_applicant(
        app: &Context,
        submission: &'a Answered,
        (club, application): (Option<&'a Club>, &Application),
        references: &'a References,
        studies: &Studies,
        now: DateTime<Utc>,
    ) -> Self {
        let interview = InterviewBody::of(submission, application, &references.slots, now);
        let is_closed = club.is_some_and(|club| club.archived);
        let is_over = is_closed || submission.is_interview_over(application, now);
        let body = Self {
            club_name: club.map(|club| club.profile.name.as_str()),
            club_image_url: club.and_then(|club| logo(club, &app.media)),
            club_archived: club.map(|club| club.archived),
            interview: interview.filter(|_| !is_over),
            receipt: app.receipt_of(submission),
            ..Self::without_scores(submission, application, references, studies)
        };
        match submission.visible(application, now) {
            Visible::All => body,
            Visible::Communicated(mailed) => Self {
                status: mailed.status,
                reason: &mailed.reason,
                notified: true,
                email_status: Some(EmailStatus::Sent),
                updated_at: submission.shown_change(application, now),
                ..body
            },
            Visible::Nothing => Self {
                status: Status::Pending,
                reason: "",
                notified: false,
                email_status: None,
                updated_at: submission.shown_change(application, now),
                ..body
            },
        }
    }
}

/// Returns the committee with its current name. If it was deleted, returns its name at the time of
/// submission.
pub fn committee_of(submission: &Submission, application: &Application) -> Option<Committee> {
    let id = submission.committee?;
    let current = application.committee(id).cloned();
    Some(current.unwrap_or_else(|| Committee {
        id,
        name: submission.committee_name.clone(),
    }))
}

/// Returns an answer even if its question cannot be found, so that no answer of an applicant is
/// lost.
fn response<'a>(answer: StoredAnswer<'a>, references: &'a References) -> ResponseBody<'a> {
    let prompt = references.prompts.get(&(answer.question, answer.version));
    let kind = if answer.option.is_some() {
        QuestionType::MultipleChoice
    } else if answer.file.is_some() {
        QuestionType::File
    } else {
        QuestionType::FreeResponse
    };
    let option = |id: Id<of::Choice>| {
        let visible =
            prompt.and_then(|prompt| prompt.options.iter().find(|option| option.id == id));
        visible.map_or_else(
            || {
                Cow::Owned(Choice {
                    id,
                    value: String::new(),
                })
            },
            Cow::Borrowed,
        )
    };
    ResponseBody {
        question: AnsweredBody {
            id: answer.question,
            question_type: prompt.map_or(kind, |prompt| prompt.question_type),
            prompt: prompt.map_or("", |prompt| prompt.text.as_str()),
            word_limit: prompt.map_or(0, |prompt| prompt.word_limit),
            precedence: answer.precedence,
        },
        text: answer.text,
        multiple_choice: answer.option.map(option),
        file: answer.file,
    }
}
