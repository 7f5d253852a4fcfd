//! What may be submitted (S3, S5, S4): each broken rule is told at its place, and nothing is
//! stored.

use std::collections::HashSet;

use serde::Deserialize;
use shared::http::{ApiError, Field, Mode, Need, Reader, Reference};
use shared::limits;
use shared::models::Form;
use shared::models::{Answer, Committee, Question, QuestionType};
use utoipa::ToSchema;

/// What an applicant submits.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct NewSubmission {
    /// Committee id, if the applicant chooses one.
    #[serde(default)]
    #[schema(value_type = Option<u64>)]
    committee: Field<Reference>,
    #[serde(default)]
    #[schema(required = true, value_type = Vec<NewResponse>)]
    responses: Field<Vec<NewResponse>>,
}

/// An answer to one question.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewResponse {
    /// Question id.
    #[schema(required = true, value_type = u64)]
    question: Option<Reference>,
    /// For free response and short answer; empty is unanswered.
    text: Option<String>,
    /// Option id, for multiple choice.
    #[schema(value_type = Option<u64>)]
    multiple_choice: Option<Reference>,
}

/// A body that may be stored.
pub struct CheckedAnswers {
    /// The committee applied to.
    pub committee: Option<Committee>,
    /// Answers in the order of their questions.
    pub answers: Vec<Answer>,
}

impl NewSubmission {
    /// Checks the body against the form.
    pub fn check(self, form: &Form) -> Result<CheckedAnswers, ApiError> {
        let mut reader = Reader::new(Mode::Create);
        let committee = reader
            .nullable("committee", self.committee, Need::Optional)
            .flatten()
            .and_then(|reference| {
                let found = form.application.committee(reference.id()).cloned();
                if found.is_none() {
                    reader
                        .errors
                        .add("committee", "This application has no such committee.");
                }
                found
            });
        let responses = reader
            .value("responses", self.responses, Need::Required)
            .unwrap_or_default();
        if responses.len() > limits::QUESTIONS {
            return Err(ApiError::field(
                "responses",
                format!("At most {} answers are allowed.", limits::QUESTIONS),
            ));
        }
        let mut answered = HashSet::new();
        let mut bytes = 0;
        let mut answers = Vec::new();
        for (i, response) in responses.into_iter().enumerate() {
            let field = format!("responses.{i}");
            let Some(id) = response.question.map(Reference::id) else {
                reader
                    .errors
                    .add(format!("{field}.question"), "This field is required.");
                continue;
            };
            let Some(question) = form.question(id) else {
                reader.errors.add(
                    format!("{field}.question"),
                    "This application has no such question.",
                );
                continue;
            };
            if !answered.insert(id) {
                reader.errors.add(
                    format!("{field}.question"),
                    "This question is answered twice.",
                );
                continue;
            }
            let answer = check_answer(&mut reader, &field, question, response);
            let Some((text, option)) = answer else {
                continue;
            };
            if question.committee_question
                && !committee
                    .as_ref()
                    .is_some_and(|chosen| question.committees.contains(&chosen.id))
            {
                reader.errors.add(
                    format!("{field}.question"),
                    "This question belongs to another committee.",
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
        if bytes > limits::ANSWERS_BYTES {
            reader.errors.add(
                "responses",
                format!(
                    "All answers together may have at most {} bytes.",
                    limits::ANSWERS_BYTES
                ),
            );
        }
        reader.finish()?;
        answers.sort_by_key(|answer| (answer.precedence, answer.question));
        Ok(CheckedAnswers { committee, answers })
    }
}

/// The answer, none if the question is left unanswered or the answer is wrong.
fn check_answer(
    reader: &mut Reader,
    field: &str,
    question: &Question,
    response: NewResponse,
) -> Option<(Option<String>, Option<u64>)> {
    let text = response.text.filter(|text| !text.trim().is_empty());
    let option = response.multiple_choice.map(Reference::id);
    let (text_field, option_field) = (format!("{field}.text"), format!("{field}.multiple_choice"));
    match (question.prompt.question_type, text, option) {
        (_, None, None) => None,
        (QuestionType::InfoText, ..) => {
            reader.errors.add(
                format!("{field}.question"),
                "This is a text for information: it takes no answer.",
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
                    .add(option_field, "This question has no such option.");
            }
            known.then_some((None, Some(option)))
        }
        (QuestionType::MultipleChoice, Some(_), _) => {
            reader
                .errors
                .add(text_field, "This question wants one of its options.");
            None
        }
        (_, _, Some(_)) => {
            reader
                .errors
                .add(option_field, "This question wants a text.");
            None
        }
        (_, Some(text), None) => {
            let words = text.split_whitespace().count();
            let limit = question.prompt.word_limit as usize;
            if limit > 0 && words > limit {
                reader.errors.add(
                    text_field,
                    format!("At most {limit} words are allowed; these are {words}."),
                );
                None
            } else {
                reader
                    .fits(&text_field, &text, limits::ANSWER)
                    .then_some((Some(text), None))
            }
        }
    }
}
