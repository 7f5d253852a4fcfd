//! The conditions of questions as officers write them (Q8, Q9).

use std::collections::HashSet;

use serde::Deserialize;
use shared::domain::{Form, Question, QuestionType, ShowIf};
use shared::limits;
use shared::reason::Reason;
use shared::web::{ApiError, Code, FieldInput, Reader, Reference, Result};
use utoipa::ToSchema;

/// The condition of a question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ShowIfInput {
    /// Id of a multiple-choice question of the same application. Everybody who is asked this
    /// question must be asked that one, too.
    #[schema(required = true, value_type = Reference)]
    question: Option<Reference>,
    /// Ids of some of its options.
    #[schema(required = true, value_type = Vec<Reference>, min_items = 1, max_items = 50)]
    options: Option<Vec<Reference>>,
}

shared::kinds!(ShowIfInput);

const QUESTION: &str = "show_if.question";

/// Reads a condition, or null, into `into`. It stays as it is if it is absent.
pub(crate) fn read_condition(
    reader: &mut Reader,
    sent: FieldInput<Option<ShowIfInput>>,
    into: &mut Option<ShowIf>,
) {
    let Some(sent) = reader.get(sent) else {
        return;
    };
    let Some(ShowIfInput { question, options }) = sent else {
        *into = None;
        return;
    };
    let mut required = |field: &str| reader.errors.add(field, Reason::Required);
    if question.is_none() {
        required(QUESTION);
    }
    if options.is_none() {
        required("show_if.options");
    }
    if let Some((question, options)) = question.zip(options) {
        let mut named = HashSet::new();
        let mut options: Vec<_> = options.into_iter().map(Reference::id).collect();
        options.retain(|id| named.insert(*id));
        *into = Some(ShowIf {
            question: question.id(),
            options,
        });
    }
}

/// Checks the condition of a question against the other questions (Q8). If the condition was not
/// sent, only its committees can be wrong.
pub(crate) fn check_condition(
    reader: &mut Reader,
    question: &Question,
    form: &Form,
    is_sent: bool,
) {
    let Some(show_if) = &question.prompt.show_if else {
        return;
    };
    if reader.errors.has("show_if") {
        return;
    }
    let chain = form.chain(question);
    let above = chain.first();
    let above = above.filter(|above| above.prompt.question_type == QuestionType::MultipleChoice);
    let Some(above) = above else {
        let why = Reason::UnknownChoice;
        return reader.errors.add(QUESTION, why);
    };
    if show_if.options.is_empty() {
        let why = Reason::TooFew { minimum: 1 };
        reader.errors.add("show_if.options", why);
    }
    for (i, id) in show_if.options.iter().enumerate() {
        if !above.prompt.options.iter().any(|option| option.id == *id) {
            let why = Reason::unknown("option");
            reader.errors.add(format!("show_if.options.{i}"), why);
        }
    }
    if chain.iter().any(|above| above.id == question.id) {
        let why = Reason::ConditionCircle;
        reader.errors.add(QUESTION, why);
    } else if chain.len() + form.conditions_below(question.id) > limits::CONDITIONS {
        let limit = limits::CONDITIONS;
        reader.errors.add(QUESTION, Reason::LongChain { limit });
    }
    if !question.is_within(above) {
        let field = if is_sent { QUESTION } else { "committees" };
        let why = Reason::ConditionNotAsked;
        reader.errors.add(field, why);
    }
}

/// Refuses a change that breaks the condition of another question (Q9).
pub(crate) fn check_dependents(question: &Question, form: &Form) -> Result<()> {
    let prompt = &question.prompt;
    let is_left = |show_if: &ShowIf| {
        let mut options = prompt.options.iter();
        options.any(|option| show_if.options.contains(&option.id))
    };
    for dependent in form.dependents(question.id) {
        let field = if prompt.question_type != QuestionType::MultipleChoice {
            "question_type"
        } else if !dependent.prompt.show_if.as_ref().is_none_or(is_left) {
            "multiple_choice"
        } else if !dependent.is_within(question) {
            "committees"
        } else {
            continue;
        };
        return Err(ApiError::field(field, depends(dependent)).coded(Code::InUse));
    }
    Ok(())
}

/// Says which question depends on another one.
pub(crate) fn depends(dependent: &Question) -> Reason {
    Reason::QuestionDepends {
        id: dependent.id.get(),
    }
}
