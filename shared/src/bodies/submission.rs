//! The response body of a submission. Officers see everything; the applicant does not see the
//! decision before they may know it (S14).

use std::collections::HashMap;

use super::lookups::{NamedBody, Studies};
use crate::http::{ApiError, Load, PathIds, User};
use crate::ids::Id;
use crate::models::{
    Answer, Application, Choice, Committee, EmailStatus, Person, Prompt, Question, QuestionType,
    Status, Submission,
};
use crate::state::Shared;
use crate::time::Timestamp;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A submission.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubmissionBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<Submission>,
    /// Id of the application.
    #[schema(value_type = u64)]
    application: Id<Application>,
    /// Null after the applicant's data was erased.
    user: Option<ApplicantBody>,
    /// 1 pending, 2 rejected after written, 3 rejected after interview, 4 accepted.
    status: Status,
    /// Feedback for the applicant.
    reason: String,
    /// The committee that the applicant chose, or null.
    committee: Option<Committee>,
    /// The answers, in the order of the questions.
    responses: Vec<ResponseBody>,
    /// Whether any decision mail was accepted for delivery.
    notified: bool,
    /// Status of the last decision mail; null if there is none.
    email_status: Option<EmailStatus>,
    /// When the gateway received the first submission.
    created_at: Timestamp,
    /// When it was last changed, as far as the caller may know.
    updated_at: Timestamp,
}

/// An applicant.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApplicantBody {
    /// User id.
    #[schema(value_type = u64)]
    id: Id<Person>,
    /// User name.
    username: String,
    /// Whole name.
    name: String,
    /// First part of the name.
    first_name: String,
    /// Last part of the name.
    last_name: String,
    /// Address from the token, or an empty text.
    email: String,
    /// Year of graduation, or null.
    graduation_year: Option<u16>,
    /// Ordered by name.
    school: Vec<NamedBody>,
    /// Ordered by name.
    major: Vec<NamedBody>,
}

/// An answer, with the version of the question that the applicant saw.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResponseBody {
    /// The question as it was answered.
    question: AnsweredBody,
    /// The answer as text; null for multiple-choice questions.
    text: Option<String>,
    /// The chosen option; null for other questions.
    multiple_choice: Option<Choice>,
}

/// A question as it was when it was answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnsweredBody {
    /// Id of the question.
    #[schema(value_type = u64)]
    id: Id<Question>,
    /// Kind of question.
    question_type: QuestionType,
    /// Text of the question.
    prompt: String,
    /// Largest number of words of an answer. 0 means no limit.
    word_limit: u32,
    /// Questions with a lower value are shown first.
    precedence: i32,
}

/// Versions of prompts, by question and version.
pub type Prompts = HashMap<(Id<Question>, u32), Prompt>;

/// All prompts of the application in the path.
pub struct AllPrompts(pub Prompts);

impl Load for AllPrompts {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        Ok(Some(Self(app.table.prompts(application).await?)))
    }
}

impl SubmissionBody {
    /// Returns the submission with everything that officers see.
    pub fn for_officer(
        submission: &Submission,
        application: &Application,
        prompts: &Prompts,
        studies: &Studies,
    ) -> Self {
        let user = submission
            .person
            .zip(submission.applicant.as_ref())
            .map(|(id, applicant)| {
                let personal = applicant.personal.clone();
                ApplicantBody {
                    id,
                    username: personal.username,
                    name: personal.name,
                    first_name: personal.first_name,
                    last_name: personal.last_name,
                    email: personal.email.to_string(),
                    graduation_year: applicant.graduation_year,
                    school: studies.schools(&applicant.school),
                    major: studies.majors(&applicant.major),
                }
            });
        Self {
            id: submission.id,
            application: submission.application,
            user,
            status: submission.status,
            reason: submission.reason.clone(),
            committee: committee_of(submission, application),
            responses: submission
                .answers
                .iter()
                .map(|answer| response(answer, prompts))
                .collect(),
            notified: submission.notified,
            email_status: submission.email_status(),
            created_at: submission.created_at,
            updated_at: submission.updated_at,
        }
    }

    /// Returns the submission as its applicant may see it at `now`. Before the release, it shows
    /// the decision that was mailed; if none was mailed, it shows no sign of a decision.
    pub fn for_applicant(
        submission: &Submission,
        application: &Application,
        prompts: &Prompts,
        studies: &Studies,
        now: DateTime<Utc>,
    ) -> Self {
        let body = Self::for_officer(submission, application, prompts, studies);
        if application.release.moment() <= now {
            return body;
        }
        match &submission.mailed {
            Some(mailed) => Self {
                status: mailed.status,
                reason: mailed.reason.clone(),
                notified: true,
                email_status: Some(EmailStatus::Sent),
                updated_at: mailed.at.max(submission.submitted_at),
                ..body
            },
            None => Self {
                status: Status::Pending,
                reason: String::new(),
                notified: false,
                email_status: None,
                updated_at: submission.submitted_at,
                ..body
            },
        }
    }
}

/// Returns the committee with its current name. If it was deleted, returns its name at the time of
/// submission.
pub fn committee_of(submission: &Submission, application: &Application) -> Option<Committee> {
    let id = submission.committee?;
    let now = application.committee(id).cloned();
    Some(now.unwrap_or_else(|| Committee {
        id,
        name: submission.committee_name.clone(),
    }))
}

/// Returns an answer even if its question cannot be found, so that no answer of an applicant is
/// lost.
fn response(answer: &Answer, prompts: &Prompts) -> ResponseBody {
    let prompt = prompts.get(&(answer.question, answer.version));
    let kind = if answer.option.is_some() {
        QuestionType::MultipleChoice
    } else {
        QuestionType::FreeResponse
    };
    let option = |id: Id<Choice>| {
        let known = prompt.and_then(|prompt| {
            prompt
                .options
                .iter()
                .find(|option| option.id == id)
                .cloned()
        });
        known.unwrap_or_else(|| Choice {
            id,
            value: String::new(),
        })
    };
    ResponseBody {
        question: AnsweredBody {
            id: answer.question,
            question_type: prompt.map_or(kind, |prompt| prompt.question_type),
            prompt: prompt.map_or_else(String::new, |prompt| prompt.text.clone()),
            word_limit: prompt.map_or(0, |prompt| prompt.word_limit),
            precedence: answer.precedence,
        },
        text: answer.text.clone(),
        multiple_choice: answer.option.map(option),
    }
}

/// Returns submissions as their applicants may see them now.
pub async fn own_submission_bodies(
    app: &Shared,
    submissions: &[Submission],
) -> Result<Vec<SubmissionBody>, ApiError> {
    let of = |submission: &'_ Submission| {
        (
            submission.club.clone(),
            submission.application,
            submission.answers.clone(),
        )
    };
    let named: Vec<_> = submissions.iter().map(of).collect();
    let parts = app.table.parts_of(
        named
            .iter()
            .map(|(club, application, answers)| (club, *application, answers.as_slice())),
    );
    let studies = Studies::of(
        app,
        submissions
            .iter()
            .filter_map(|submission| submission.applicant.as_ref()),
    );
    let (parts, studies) = futures::try_join!(parts, studies)?;
    let now = app.clock.now();
    let show = |submission: &Submission| {
        let application = parts.applications.get(&submission.application)?;
        Some(SubmissionBody::for_applicant(
            submission,
            application,
            &parts.prompts,
            &studies,
            now,
        ))
    };
    Ok(submissions.iter().filter_map(show).collect())
}
