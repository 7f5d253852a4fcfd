//! The request body of a submission and its checks (S3, S4, S5). Each error names its place in the
//! body.

use std::collections::HashSet;

use serde::Deserialize;
use shared::domain::{
    Answer, Answers, Choice, Committee, Form, Question, QuestionType, RememberedKey,
};
use shared::ids::Id;
use shared::text::kinds::{AnswerText, List};
use shared::web::{ApiError, Field, Mode, Reader, Reference};
use shared::{ids, limits};
use utoipa::ToSchema;

shared::input! {
    /// A submission: the answers, and possibly a committee.
    pub struct NewSubmission {
        /// Id of a committee of the application. Optional.
        committee: Option<Reference>, Optional;
        /// The answers, at most 100. Questions may stay without an answer.
        responses: List<NewResponse, { limits::QUESTIONS }>, Required;
    }
}

/// An answer to one question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct NewResponse {
    /// Id of the question.
    #[schema(required = true, value_type = Reference)]
    question: Option<Reference>,
    /// The answer to a free response or short answer question. An empty text counts as no answer.
    #[schema(value_type = Option<AnswerText>)]
    text: Option<String>,
    /// Id of the chosen option, for a multiple-choice question.
    #[schema(value_type = Option<Reference>)]
    multiple_choice: Option<Reference>,
}

shared::kinds!(NewResponse);

/// A body without errors.
pub struct CheckedAnswers {
    /// The committee that the applicant chose.
    pub committee: Option<Committee>,
    /// The answers in the order of their questions.
    pub answers: Answers,
}

/// What a request says, before the form is looked at: the committee, and a hash of it and of the
/// answers. A repeat with an idempotency key is recognised by it (X6).
pub struct Said {
    /// The committee in the body.
    pub committee: Option<Id<Committee>>,
    /// The beginning of the hash.
    pub hash: String,
}

/// Why a body is wrong.
pub enum CheckError {
    /// Something in it is wrong.
    Invalid(ApiError),
    /// It names questions that the application does not have: perhaps they were deleted.
    Gone(ApiError, HashSet<Id<Question>>),
}

impl NewSubmission {
    /// Returns what the body says; none if its form is wrong, which [`Self::check`] reports.
    pub fn said(&self) -> Option<Said> {
        let committee = match &self.committee.field {
            Field::Absent | Field::Null => None,
            Field::Value(reference) => Some(reference.id()),
            Field::Wrong(..) => return None,
        };
        let responses = self.responses.sent()?;
        let mut said = Vec::new();
        for response in responses {
            let question: Id<Question> = response.question?.id();
            let text = response
                .text
                .as_ref()
                .filter(|text| !text.trim().is_empty());
            let option: Option<Id<Choice>> = response.multiple_choice.map(Reference::id);
            if text.is_some() || option.is_some() {
                said.push((question, text, option));
            }
        }
        said.sort();
        let all = serde_json::to_vec(&(committee, said)).ok()?;
        let mut hash = ids::sha256_hex(&all);
        hash.truncate(RememberedKey::HASH);
        Some(Said { committee, hash })
    }

    /// Checks the body against the form.
    pub fn check(self, form: &Form) -> Result<CheckedAnswers, CheckError> {
        let mut reader = Reader::new(Mode::Create);
        let committee = reader.get(self.committee).flatten().and_then(|reference| {
            let found = form.application.committee(reference.id()).cloned();
            if found.is_none() {
                reader.errors.add(
                    "committee",
                    "This application has no committee with this id.",
                );
            }
            found
        });
        let responses = reader.get(self.responses).unwrap_or_default();
        if responses.len() > limits::QUESTIONS {
            let why = format!("At most {} answers are allowed.", limits::QUESTIONS);
            return Err(CheckError::Invalid(ApiError::field("responses", why)));
        }
        let (mut answered, mut gone) = (HashSet::new(), HashSet::new());
        let mut bytes = 0;
        let mut answers = Vec::new();
        for (i, response) in responses.into_iter().enumerate() {
            let field = format!("responses.{i}");
            let id = response.question.map(Reference::id);
            let found = question_of(&mut reader, &field, form, id, &mut gone);
            let Some(question) = found else {
                continue;
            };
            let id = question.id;
            if !answered.insert(id) {
                let field = format!("{field}.question");
                reader.errors.add(field, "This question is answered twice.");
                continue;
            }
            let value = AnswerValue {
                text: response.text.filter(|text| !text.trim().is_empty()),
                option: response.multiple_choice.map(Reference::id),
            };
            let checked = check_answer(&mut reader, &field, question, value, Completeness::Final);
            let Some(AnswerValue { text, option }) = checked else {
                continue;
            };
            if text.is_none() && option.is_none() {
                continue;
            }
            if !is_for(question, committee.as_ref().map(|chosen| chosen.id)) {
                reader.errors.add(
                    format!("{field}.question"),
                    "This question is only for other committees than the chosen one. Leave it out.",
                );
                continue;
            }
            bytes += text.as_ref().map_or(0, String::len);
            answers.push(Answer {
                question: id,
                version: question.prompt.version,
                precedence: question.precedence,
                text,
                option,
            });
        }
        answers.sort_by_key(|answer| (answer.precedence, answer.question));
        let answers = Answers::new(&answers);
        if bytes > limits::ANSWERS_BYTES || answers.size() > limits::STORED_ANSWERS {
            let most = limits::ANSWERS_BYTES;
            let why = format!("All answers together may have at most {most} bytes.");
            reader.errors.add("responses", why);
        }
        match reader.finish() {
            Err(errors) if !gone.is_empty() => Err(CheckError::Gone(errors, gone)),
            Err(errors) => Err(CheckError::Invalid(errors)),
            Ok(()) => Ok(CheckedAnswers { committee, answers }),
        }
    }
}

/// The question that an answer names. One that the form does not have is noted in `gone`.
fn question_of<'f>(
    reader: &mut Reader,
    field: &str,
    form: &'f Form,
    id: Option<Id<Question>>,
    gone: &mut HashSet<Id<Question>>,
) -> Option<&'f Question> {
    let Some(id) = id else {
        let field = format!("{field}.question");
        reader.errors.add(field, "This field is required.");
        return None;
    };
    let question = form.question(id);
    if question.is_none() {
        gone.insert(id);
        reader.errors.add(
            format!("{field}.question"),
            "This application has no question with this id.",
        );
    }
    question
}

/// What somebody says to a question: a text or an option.
#[derive(Debug, Clone, Default)]
pub struct AnswerValue {
    /// Answer to a free-response or short-answer question.
    pub text: Option<String>,
    /// Answer to a multiple-choice question: the id of the option.
    pub option: Option<Id<Choice>>,
}

/// How much an answer must be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is submitted.
    Final,
    /// It is saved while somebody types. It may have too many words, or none.
    Draft,
}

/// Returns whether the question is asked of people who apply to this committee.
pub fn is_for(question: &Question, committee: Option<Id<Committee>>) -> bool {
    !question.committee_question || committee.is_some_and(|id| question.committees.contains(&id))
}

/// Returns the answer if it fits the question; none if it is wrong, which the reader reports.
pub fn check_answer(
    reader: &mut Reader,
    field: &str,
    question: &Question,
    value: AnswerValue,
    completeness: Completeness,
) -> Option<AnswerValue> {
    let (text_field, option_field) = (format!("{field}.text"), format!("{field}.multiple_choice"));
    match (question.prompt.question_type, &value.text, value.option) {
        (_, None, None) => Some(value),
        (QuestionType::InfoText, ..) => {
            reader.errors.add(
                format!("{field}.question"),
                "This is an information text. It takes no answer.",
            );
            None
        }
        (QuestionType::MultipleChoice, None, Some(option)) => {
            let known = question
                .prompt
                .options
                .iter()
                .any(|known| known.id == option);
            if !known {
                reader
                    .errors
                    .add(option_field, "This question has no option with this id.");
            }
            known.then_some(value)
        }
        (QuestionType::MultipleChoice, Some(_), _) => {
            reader.errors.add(
                text_field,
                "This question needs one of its options in `multiple_choice`, and no text.",
            );
            None
        }
        (_, _, Some(_)) => {
            reader
                .errors
                .add(option_field, "This question needs a text answer.");
            None
        }
        (_, Some(text), None) => {
            let words = text.split_whitespace().count();
            let limit = question.prompt.word_limit as usize;
            if completeness == Completeness::Final && limit > 0 && words > limit {
                reader.errors.add(
                    text_field,
                    format!("At most {limit} words are allowed. This answer has {words}."),
                );
                None
            } else {
                let text = reader.part::<AnswerText>(text_field, text.clone())?;
                Some(AnswerValue {
                    text: Some(text),
                    option: None,
                })
            }
        }
    }
}
