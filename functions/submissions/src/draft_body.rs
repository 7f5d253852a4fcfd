//! The request and response bodies of drafts, and the checks of the request (N2, N4).

use std::collections::HashSet;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use shared::domain::{Choice, Committee, DraftAnswer, Form, Question};
use shared::ids::Id;
use shared::limits;
use shared::openapi::fields::AnswerText;
use shared::time::Timestamp;
use shared::web::{ApiError, Code, Field, Mode, Need, Reader, Reference, Result};
use utoipa::ToSchema;

use crate::answers::{AnswerValue, Completeness, check_answer, is_for};

/// The sentence of a conflict.
pub const CHANGED_ELSEWHERE: &str =
    "An answer was changed in another tab or on another device. Nothing was stored.";

/// A draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftBody {
    /// Id of the committee that the draft is for, or null.
    #[schema(value_type = Option<u64>)]
    pub committee: Option<Id<Committee>>,
    /// The answers, ordered by the id of the question.
    pub responses: Vec<DraftAnswerBody>,
    /// When an answer was last saved or removed.
    pub updated_at: Timestamp,
    /// When the draft is deleted: 30 days after the end of the application.
    pub expires_at: Timestamp,
}

/// An answer of a draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftAnswerBody {
    /// Id of the question.
    #[schema(value_type = u64)]
    question: Id<Question>,
    /// The answer as text, or null.
    text: Option<String>,
    /// Id of the chosen option, or null.
    #[schema(value_type = Option<u64>)]
    multiple_choice: Option<Id<Choice>>,
    /// The version of the answer. Send it with the next change of the answer. 0 if there is no
    /// answer and there was none before.
    version: u32,
    /// When the answer was saved or removed. Null if the version is 0.
    updated_at: Option<Timestamp>,
}

impl DraftAnswerBody {
    pub fn of(question: Id<Question>, answer: Option<&DraftAnswer>) -> Self {
        Self {
            question,
            text: answer.and_then(|answer| answer.text.clone()),
            multiple_choice: answer.and_then(|answer| answer.option),
            version: answer.map_or(0, |answer| answer.version),
            updated_at: answer.map(|answer| answer.updated_at),
        }
    }
}

/// The error if answers were changed elsewhere. Nothing was stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftConflictBody {
    /// One sentence for people.
    detail: String,
    /// `draft_conflict`, or `precondition_failed` if the draft does not match `If-Match`.
    code: Code,
    /// The answers in question as they are now. Missing if the code is `precondition_failed`.
    conflicts: Vec<DraftAnswerBody>,
}

/// Changes of single answers of a draft.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct DraftInput {
    /// The changed answers, at most 100. Other answers stay as they are.
    #[serde(default)]
    #[schema(value_type = Vec<DraftAnswerInput>, max_items = 100)]
    responses: Field<Vec<DraftAnswerInput>>,
}

/// A change of one answer. Null for text and option removes it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DraftAnswerInput {
    /// Id of the question.
    #[schema(required = true, value_type = Reference)]
    question: Option<Reference>,
    /// The answer to a free response or short answer question. An empty text counts as no answer.
    #[serde(default)]
    #[schema(value_type = Option<AnswerText>)]
    text: Field<String>,
    /// Id of the chosen option, for a multiple-choice question.
    #[serde(default)]
    #[schema(value_type = Option<Reference>)]
    multiple_choice: Field<Reference>,
    /// The version of the answer as the client last saw it. 0 if it saw none.
    #[schema(required = true, value_type = u32)]
    version: Option<u32>,
}

impl DraftAnswerInput {
    /// Whether it removes an answer.
    fn removes(&self) -> bool {
        let no_text = match &self.text {
            Field::Absent | Field::Null => true,
            Field::Value(text) => text.is_empty(),
            Field::Wrong(..) => false,
        };
        let no_option = matches!(self.multiple_choice, Field::Absent | Field::Null);
        let is_sent = !matches!(
            (&self.text, &self.multiple_choice),
            (Field::Absent, Field::Absent)
        );
        no_text && no_option && is_sent
    }
}

/// A change without errors.
pub struct AnswerChange {
    pub question: Id<Question>,
    pub text: Option<String>,
    pub option: Option<Id<Choice>>,
    pub version: u32,
}

impl DraftInput {
    /// Returns whether the body only removes answers.
    pub fn only_removes(&self) -> bool {
        let Field::Value(responses) = &self.responses else {
            return false;
        };
        responses.iter().all(DraftAnswerInput::removes)
    }

    /// Checks the body. `known` are the questions that the draft has answers to; of those that are
    /// gone, answers can be removed.
    pub fn check(
        self,
        form: &Form,
        committee: Option<Id<Committee>>,
        known: &HashSet<Id<Question>>,
    ) -> Result<Vec<AnswerChange>> {
        let mut reader = Reader::new(Mode::Create);
        let responses = reader
            .value("responses", self.responses, Need::Optional)
            .unwrap_or_default();
        if responses.len() > limits::QUESTIONS {
            return Err(ApiError::field(
                "responses",
                format!("At most {} answers are allowed.", limits::QUESTIONS),
            ));
        }
        let mut named = HashSet::new();
        let mut changes = Vec::new();
        for (i, response) in responses.into_iter().enumerate() {
            let field = format!("responses.{i}");
            let mut wrong = |name: &str, why: &str| {
                reader.errors.add(format!("{field}.{name}"), why);
            };
            if response.version.is_none() {
                wrong("version", "This field is required.");
            }
            let Some(id) = response.question.map(Reference::id) else {
                wrong("question", "This field is required.");
                continue;
            };
            let removes = response.removes();
            if removes && known.contains(&id) && named.insert(id) {
                changes.push(AnswerChange {
                    question: id,
                    text: None,
                    option: None,
                    version: response.version.unwrap_or_default(),
                });
                continue;
            }
            let Some(question) = form.question(id) else {
                wrong("question", "This application has no question with this id.");
                continue;
            };
            if !named.insert(id) {
                wrong("question", "This question is answered twice.");
                continue;
            }
            if !is_for(question, committee) {
                wrong("question", "This question is only for other committees.");
                continue;
            }
            if matches!(
                (&response.text, &response.multiple_choice),
                (Field::Absent, Field::Absent)
            ) {
                wrong("text", "Send a text or an option. Null removes the answer.");
                continue;
            }
            let (text_field, option_field) =
                (format!("{field}.text"), format!("{field}.multiple_choice"));
            let text = reader.nullable(&text_field, response.text, Need::Free);
            let option = reader.nullable(&option_field, response.multiple_choice, Need::Free);
            let value = AnswerValue {
                text: text.flatten().filter(|text| !text.is_empty()),
                option: option.flatten().map(Reference::id),
            };
            let Some(value) =
                check_answer(&mut reader, &field, question, value, Completeness::Draft)
            else {
                continue;
            };
            changes.push(AnswerChange {
                question: id,
                text: value.text,
                option: value.option,
                version: response.version.unwrap_or_default(),
            });
        }
        reader.finish()?;
        Ok(changes)
    }
}

/// Returns the error if answers were changed elsewhere.
pub fn conflict(conflicts: Vec<DraftAnswerBody>) -> Response {
    let body = DraftConflictBody {
        detail: CHANGED_ELSEWHERE.to_owned(),
        code: Code::DraftConflict,
        conflicts,
    };
    (StatusCode::PRECONDITION_FAILED, Json(body)).into_response()
}
