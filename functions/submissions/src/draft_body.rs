//! The request and response bodies of drafts, and the checks of the request (N2, N4).

use std::collections::HashSet;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::domain::{DraftAnswer, Form};
use shared::ids::{Id, of};
use shared::limits;
use shared::reason::Reason;
use shared::text::kinds::{AnswerText, List, SeenNumber};
use shared::time::Timestamp;
use shared::web::{ApiError, Code, Field, Mode, Reader, Reference, Result};
use utoipa::ToSchema;

use crate::answers::{AnswerValue, Completeness, check_answer};
use crate::files::CheckedFiles;

/// The sentence of a conflict.
pub const CHANGED_ELSEWHERE: &str =
    "An answer was changed in another tab or on another device. Nothing was stored.";

/// A draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftBody {
    /// Id of the committee that the draft is for, or null.
    #[schema(value_type = Option<u64>)]
    pub committee: Option<Id<of::Committee>>,
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
    question: Id<of::Question>,
    /// The answer as text, or null.
    text: Option<String>,
    /// Id of the chosen option, or null.
    #[schema(value_type = Option<u64>)]
    multiple_choice: Option<Id<of::Choice>>,
    /// Id of the file, or null.
    #[schema(value_type = Option<u64>)]
    file: Option<Id<of::Upload>>,
    /// The version of the answer. Send it with the next change of the answer. 0 if there is no
    /// answer and there was none before.
    version: u32,
    /// When the answer was saved or removed. Null if the version is 0.
    updated_at: Option<Timestamp>,
}

impl DraftAnswerBody {
    pub fn of(question: Id<of::Question>, answer: Option<&DraftAnswer>) -> Self {
        Self {
            question,
            text: answer.and_then(|answer| answer.text.clone()),
            multiple_choice: answer.and_then(|answer| answer.option),
            file: answer.and_then(|answer| answer.file),
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

shared::input! {
    /// Changes of single answers of a draft.
    pub struct DraftInput {
        /// The changed answers, at most 100. Other answers stay as they are.
        responses: List<DraftAnswerInput, { limits::DRAFT_RESPONSES }>, Optional;
    }
}

shared::input! {
    /// A change of one answer. Null for text and option removes it.
    pub struct DraftAnswerInput {
        /// Id of the question.
        question: Reference, Required;
        /// The answer to a free response or short answer question. An empty text counts as no
        /// answer.
        text: Option<AnswerText>, Free;
        /// Id of the chosen option, for a multiple-choice question.
        multiple_choice: Option<Reference>, Free;
        /// Id of an uploaded file, for a question for a file.
        file: Option<Reference>, Free;
        /// The version of the answer as the client last saw it. 0 if it saw none.
        version: SeenNumber, Required;
    }
}

impl DraftAnswerInput {
    /// Whether it removes an answer.
    fn removes(&self) -> bool {
        let no_text = match &self.text.field {
            Field::Absent | Field::Null => true,
            Field::Value(text) => text.is_empty(),
            Field::Wrong(..) => false,
        };
        let no_option = matches!(self.multiple_choice.field, Field::Absent | Field::Null);
        let no_file = matches!(self.file.field, Field::Absent | Field::Null);
        no_text && no_option && no_file && self.says_something()
    }

    /// Whether it has a text, an option or a file, or null for one of them.
    fn says_something(&self) -> bool {
        !self.text.is_absent() || !self.multiple_choice.is_absent() || !self.file.is_absent()
    }
}

/// A change without errors.
pub struct AnswerChange {
    pub question: Id<of::Question>,
    pub text: Option<String>,
    pub option: Option<Id<of::Choice>>,
    pub file: Option<Id<of::Upload>>,
    pub version: u32,
}

impl DraftInput {
    /// Returns whether the body only removes answers.
    pub fn only_removes(&self) -> bool {
        let responses = self.responses.sent();
        responses.is_some_and(|all| all.iter().all(DraftAnswerInput::removes))
    }

    /// Returns the files that the answers name.
    pub fn files(&self) -> Vec<(Id<of::Question>, Id<of::Upload>)> {
        let all = self.responses.sent().into_iter().flatten();
        let named = all.filter_map(|response| {
            let file = response.file.sent()?;
            Some((response.question.sent()?.id(), file.id()))
        });
        named.collect()
    }

    /// Checks the body. `stored_questions` are the questions that the draft has answers to; of
    /// those that are gone, answers can be removed.
    pub fn check(
        self,
        form: &Form,
        committee: Option<Id<of::Committee>>,
        stored_questions: &HashSet<Id<of::Question>>,
        files: &CheckedFiles,
    ) -> Result<Vec<AnswerChange>> {
        let mut reader = Reader::new(Mode::Create);
        let responses = reader.get(self.responses).unwrap_or_default();
        if responses.len() > limits::DRAFT_RESPONSES {
            return Err(ApiError::field(
                "responses",
                Reason::TooMany {
                    limit: limits::DRAFT_RESPONSES,
                },
            ));
        }
        let mut named = HashSet::new();
        let mut changes = Vec::new();
        for (i, response) in responses.into_iter().enumerate() {
            let field = format!("responses.{i}");
            reader.enter(&field);
            let (removes, says_something) = (response.removes(), response.says_something());
            let version = reader.get(response.version).unwrap_or_default();
            let Some(id) = reader.get(response.question).map(Reference::id) else {
                continue;
            };
            let mut wrong = |name: &str, why| {
                reader.errors.add(format!("{field}.{name}"), why);
            };
            if removes && stored_questions.contains(&id) && named.insert(id) {
                changes.push(AnswerChange {
                    question: id,
                    text: None,
                    option: None,
                    file: None,
                    version,
                });
                continue;
            }
            let Some(question) = form.question(id) else {
                wrong("question", Reason::unknown("question"));
                continue;
            };
            if !named.insert(id) {
                wrong("question", Reason::Twice);
                continue;
            }
            if !question.is_for(committee) {
                wrong("question", Reason::OtherCommittee);
                continue;
            }
            if !says_something {
                wrong("text", Reason::NothingAnswered);
                continue;
            }
            let text = reader.get(response.text);
            let option = reader.get(response.multiple_choice);
            let file = reader.get(response.file);
            let value = AnswerValue {
                text: text.flatten().filter(|text| !text.is_empty()),
                option: option.flatten().map(Reference::id),
                file: file.flatten().map(Reference::id),
            };
            let how = (Completeness::Draft, files);
            let checked = check_answer(&mut reader, &field, question, value, how);
            let Some(value) = checked else {
                continue;
            };
            changes.push(AnswerChange {
                question: id,
                text: value.text,
                option: value.option,
                file: value.file,
                version,
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
