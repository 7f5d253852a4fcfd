//! The request body of a submission and its checks (S3, S4, S5). Each error names its place in the
//! body.

use std::collections::HashSet;

use serde::Deserialize;
use shared::domain::{
    Answer, Answers, Choices, Committee, Form, Question, QuestionType, RememberedKey,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{AnswerText, List, SeenNumber};
use shared::web::{ApiError, Field, Mode, Reader, Reference};
use shared::{ids, limits};
use utoipa::ToSchema;

use crate::files::CheckedFiles;

shared::input! {
    /// A submission: the answers, and possibly a committee.
    pub struct NewSubmission {
        /// Id of a committee of the application. Optional.
        committee: Option<Reference>, Optional;
        /// The answers, at most 105. Questions may stay without an answer.
        responses: List<NewResponse, { limits::ANSWERS }>, Required;
        /// The revision that the client last saw for this committee, 0 if it saw none. If sent, and
        /// another one with other answers is stored by now, nothing is stored.
        revision: Option<SeenNumber>, Optional;
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
    /// Id of an uploaded file, for a question for a file.
    #[schema(value_type = Option<Reference>)]
    file: Option<Reference>,
}

shared::kinds!(NewResponse);

/// A body without errors.
pub struct CheckedAnswers {
    /// The committee that the applicant chose.
    pub committee: Option<Committee>,
    /// The answers in the order of their questions.
    pub answers: Answers,
    /// The revision that the client last saw.
    pub seen: Option<u32>,
}

/// What a request says, before the form is looked at: the committee, and a hash of it and of the
/// answers. A repeat with an idempotency key is recognised by it (X6).
pub struct Fingerprint {
    /// The committee in the body.
    pub committee: Option<Id<of::Committee>>,
    /// The beginning of the hash.
    pub hash: String,
}

/// Why a body is wrong.
pub enum CheckError {
    /// Something in it is wrong.
    Invalid(ApiError),
    /// It names questions that the application does not have: perhaps they were deleted.
    Deleted(ApiError, HashSet<Id<of::Question>>),
}

impl NewSubmission {
    /// Returns what the body says; none if its form is wrong, which [`Self::check`] reports.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let committee = match &self.committee.field {
            Field::Absent | Field::Null => None,
            Field::Value(reference) => Some(reference.id()),
            Field::Wrong(..) => return None,
        };
        let responses = self.responses.sent()?;
        let mut fingerprint = Vec::new();
        for response in responses {
            let question: Id<of::Question> = response.question?.id();
            let text = response
                .text
                .as_ref()
                .filter(|text| !text.trim().is_empty());
            let option: Option<Id<of::Choice>> = response.multiple_choice.map(Reference::id);
            let file: Option<Id<of::Upload>> = response.file.map(Reference::id);
            if text.is_some() || option.is_some() || file.is_some() {
                fingerprint.push((question, text, option, file));
            }
        }
        fingerprint.sort();
        let all = serde_json::to_vec(&(committee, fingerprint)).ok()?;
        let mut hash = ids::sha256_hex(&all);
        hash.truncate(RememberedKey::HASH);
        Some(Fingerprint { committee, hash })
    }

    /// Returns the files that the answers name.
    pub fn files(&self) -> Vec<(Id<of::Question>, Id<of::Upload>)> {
        let all = self.responses.sent().into_iter().flatten();
        all.filter_map(|response| Some((response.question?.id(), response.file?.id())))
            .collect()
    }

    /// Checks the body against the form. `files` are those that it names, as they were found.
    pub fn check(self, form: &Form, files: &CheckedFiles) -> Result<CheckedAnswers, CheckError> {
        let mut reader = Reader::new(Mode::Create);
        let committee = reader.get(self.committee).flatten().and_then(|reference| {
            let found = form.application.committee(reference.id()).cloned();
            if found.is_none() {
                reader.errors.add("committee", Reason::unknown("committee"));
            }
            found
        });
        let seen = reader.get(self.revision).flatten();
        let responses = reader.get(self.responses).unwrap_or_default();
        if responses.len() > limits::ANSWERS {
            let limit = limits::ANSWERS;
            let why = Reason::TooMany { limit };
            return Err(CheckError::Invalid(ApiError::field("responses", why)));
        }
        let mut deleted = HashSet::new();
        let sent = by_question(&mut reader, form, responses, &mut deleted);
        let choices = Choices {
            committee: committee.as_ref().map(|chosen| chosen.id),
            options: sent
                .iter()
                .filter_map(|sent| Some((sent.question.id, sent.value.option?)))
                .collect(),
        };
        let mut bytes = 0;
        let mut answers = Vec::new();
        for sent in &sent {
            let question = sent.question;
            let checked = check_sent(&mut reader, form, sent, (&choices, files));
            let Some(AnswerValue { text, option, file }) = checked else {
                continue;
            };
            bytes += text.as_ref().map_or(0, String::len);
            answers.push(Answer {
                question: question.id,
                version: question.prompt.version,
                precedence: question.precedence,
                text,
                option,
                file: file.and_then(|id| Some(files.get(&id)?.as_ref().ok()?.file.clone())),
            });
        }
        check_required(&mut reader, form, &sent, &choices);
        answers.sort_by_key(|answer| (answer.precedence, answer.question));
        let answers = Answers::new(&answers);
        if bytes > limits::ANSWERS_BYTES || answers.size() > limits::STORED_ANSWERS {
            let limit = limits::ANSWERS_BYTES;
            reader
                .errors
                .add("responses", Reason::LongAnswers { limit });
        }
        match reader.finish() {
            Err(errors) if !deleted.is_empty() => Err(CheckError::Deleted(errors, deleted)),
            Err(errors) => Err(CheckError::Invalid(errors)),
            Ok(()) => Ok(CheckedAnswers {
                committee,
                answers,
                seen,
            }),
        }
    }
}

/// A response, with the question that it names.
struct SentAnswer<'f> {
    /// Its place in the body: `responses.0`.
    field: String,
    question: &'f Question,
    value: AnswerValue,
}

/// Finds the questions of the responses. Those that the form does not have are noted in `deleted`.
fn by_question<'f>(
    reader: &mut Reader,
    form: &'f Form,
    responses: Vec<NewResponse>,
    deleted: &mut HashSet<Id<of::Question>>,
) -> Vec<SentAnswer<'f>> {
    let mut named = HashSet::new();
    let mut found = Vec::new();
    for (i, response) in responses.into_iter().enumerate() {
        let field = format!("responses.{i}");
        let mut wrong = |why| reader.errors.add(format!("{field}.question"), why);
        let Some(id) = response.question.map(Reference::id) else {
            wrong(Reason::Required);
            continue;
        };
        let Some(question) = form.question(id) else {
            deleted.insert(id);
            wrong(Reason::unknown("question"));
            continue;
        };
        if !named.insert(id) {
            wrong(Reason::Twice);
            continue;
        }
        let value = AnswerValue {
            text: response.text.filter(|text| !text.trim().is_empty()),
            option: response.multiple_choice.map(Reference::id),
            file: response.file.map(Reference::id),
        };
        found.push(SentAnswer {
            field,
            question,
            value,
        });
    }
    found
}

/// Returns the answer if it is to be stored: if it is right, says something, and its question is
/// asked (Q8).
fn check_sent(
    reader: &mut Reader,
    form: &Form,
    sent: &SentAnswer<'_>,
    (choices, files): (&Choices, &CheckedFiles),
) -> Option<AnswerValue> {
    let SentAnswer {
        field,
        question,
        value,
    } = sent;
    if !form.holds(question, choices) {
        is_of_type(reader, field, question, value);
        return None;
    }
    let completeness = Completeness::Final;
    let checked = check_answer(
        reader,
        field,
        question,
        value.clone(),
        (completeness, files),
    );
    let checked = checked.filter(AnswerValue::says_something)?;
    if !question.is_for(choices.committee) {
        let why = Reason::OtherCommittee;
        reader.errors.add(format!("{field}.question"), why);
        return None;
    }
    Some(checked)
}

/// Reports required questions that are asked and have no answer (Q10).
fn check_required(reader: &mut Reader, form: &Form, sent: &[SentAnswer<'_>], choices: &Choices) {
    let required = form.questions.iter().filter(|question| {
        let is_asked = question.is_for(choices.committee) && form.holds(question, choices);
        question.prompt.required && is_asked
    });
    for question in required {
        let answer = sent.iter().find(|sent| sent.question.id == question.id);
        if answer.is_some_and(|answer| answer.value.says_something()) {
            continue;
        }
        let field = answer.map_or("responses", |answer| &answer.field);
        let id = question.id.get();
        reader.errors.add(field, Reason::Unanswered { id });
    }
}

/// What somebody says to a question: a text or an option.
#[derive(Debug, Clone, Default)]
pub struct AnswerValue {
    /// Answer to a free-response or short-answer question.
    pub text: Option<String>,
    /// Answer to a multiple-choice question: the id of the option.
    pub option: Option<Id<of::Choice>>,
    /// Answer to a question for a file: its id.
    pub file: Option<Id<of::Upload>>,
}

impl AnswerValue {
    /// Whether it is an answer.
    fn says_something(&self) -> bool {
        self.text.is_some() || self.option.is_some() || self.file.is_some()
    }
}

/// How much an answer must be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is submitted.
    Final,
    /// It is saved while somebody types. It may have too many words, or none.
    Draft,
}

/// Returns whether an answer has the type that the question takes. If not, the reader reports it.
fn is_of_type(reader: &mut Reader, field: &str, question: &Question, value: &AnswerValue) -> bool {
    let kind = question.prompt.question_type;
    let (name, why) = match (kind, &value.text, value.option) {
        _ if !value.says_something() => return true,
        (QuestionType::InfoText, ..) => ("question", Reason::TakesNoAnswer),
        (QuestionType::File, Some(_), _) => ("text", Reason::NeedsFile),
        (QuestionType::File, _, Some(_)) => ("multiple_choice", Reason::NeedsFile),
        (QuestionType::File, ..) => return true,
        _ if value.file.is_some() => ("file", Reason::TakesNoFile),
        (QuestionType::MultipleChoice, None, Some(_)) => return true,
        (QuestionType::MultipleChoice, Some(_), _) => ("text", Reason::NeedsOption),
        (_, _, Some(_)) => ("multiple_choice", Reason::NeedsText),
        (_, _, None) => return true,
    };
    reader.errors.add(format!("{field}.{name}"), why);
    false
}

/// Returns the answer if it fits the question; none if it is wrong, which the reader reports.
pub fn check_answer(
    reader: &mut Reader,
    field: &str,
    question: &Question,
    value: AnswerValue,
    (completeness, files): (Completeness, &CheckedFiles),
) -> Option<AnswerValue> {
    if !is_of_type(reader, field, question, &value) {
        return None;
    }
    let (text_field, option_field) = (format!("{field}.text"), format!("{field}.multiple_choice"));
    if let Some(option) = value.option {
        let mut options = question.prompt.options.iter();
        if !options.any(|choice| choice.id == option) {
            let why = Reason::unknown("option");
            reader.errors.add(option_field, why);
            return None;
        }
    }
    if let Some(id) = value.file
        && let Some(Err(why)) = files.get(&id)
    {
        reader.errors.add(format!("{field}.file"), why.clone());
        return None;
    }
    let Some(text) = value.text else {
        return Some(value);
    };
    let words = text.split_whitespace().count();
    let limit = question.prompt.word_limit as usize;
    if completeness == Completeness::Final && limit > 0 && words > limit {
        let why = Reason::TooManyWords {
            limit,
            count: words,
        };
        reader.errors.add(text_field, why);
        return None;
    }
    let text = reader.part::<AnswerText>(text_field, text)?;
    Some(AnswerValue {
        text: Some(text),
        ..AnswerValue::default()
    })
}
