//! The body of a request about a question.

use std::collections::HashSet;

use serde::Deserialize;
use shared::domain::{Choice, FileFormat, Form, Prompt, Question, QuestionType};
use shared::ids::{Id, of};
use shared::limits;
use shared::reason::Reason;
use shared::text::kinds::{FileMegabytes, List, OptionText, Position, PromptText, WordLimit};
use shared::web::{ApiError, Code, FieldInput, Mode, Reader, Reference, Result};
use utoipa::ToSchema;

use crate::conditions::{ShowIfInput, check_condition, check_dependents, read_condition};

shared::input! {
    /// The fields of a question that officers write.
    pub struct QuestionInput {
        /// 1 free response, 2 multiple choice, 3 short answer, 4 information text, 5 file.
        question_type: QuestionType, Required;
        /// Text of the question, at most 5,000 characters.
        prompt: PromptText, Required;
        /// Largest number of words of an answer. 0 (default) means no limit.
        word_limit: WordLimit, Optional;
        /// Questions with a lower value are shown first. Default 0; may be negative.
        precedence: Position, Optional;
        /// Whether the question is only for the listed `committees`.
        committee_question: bool, Optional = false;
        /// Ids of committees of this application. At least one is required if `committee_question`
        /// is true.
        committees: List<Reference>, Optional;
        /// Options: texts, or objects with `value` and possibly `id`. A multiple-choice question
        /// has 2 to 50 options; other questions have none.
        multiple_choice: List<OptionInput, { limits::OPTIONS }>, Optional;
        /// Of whom the question is asked: only of those who chose one of these options. Null
        /// (default) means of everybody.
        show_if: Option<ShowIfInput>, Free;
        /// Whether a submission needs an answer to the question, while it is asked. Default false.
        /// An information text takes no answer.
        required: bool, Free = false;
        /// The formats that a question for a file takes, at least one. Default `pdf`. Other
        /// questions have none.
        formats: List<FileFormat, { FileFormat::ALL.len() }>, Free;
        /// The largest file that a question takes, in MiB, from 1 to 10. Default 5. Null for other
        /// questions.
        max_mb: Option<FileMegabytes>, Free;
        /// Whether the site may make a photo smaller before it is sent, for a question for a file.
        /// Default false: the service itself changes no file.
        shrink_photos: bool, Free;
    }
}

/// An option of a multiple-choice question.
#[derive(Debug, Clone, ToSchema)]
#[serde(untagged)]
pub enum OptionInput {
    /// The text. An existing option with this text keeps its id.
    Text(String),
    /// The text, with the id of an existing option if there is one.
    Object {
        /// Id of an existing option.
        #[schema(value_type = Option<u64>)]
        id: Option<Id<of::Choice>>,
        /// At most 1,000 characters.
        #[schema(max_length = 1_000, min_length = 1)]
        value: String,
    },
}

shared::kinds!(OptionInput);

impl<'de> Deserialize<'de> for OptionInput {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let option = match (
            text(&value),
            value.get("value").and_then(text),
            value.get("id"),
        ) {
            (Some(text), ..) => Some(Self::Text(text)),
            (None, Some(value), None | Some(serde_json::Value::Null)) => {
                Some(Self::Object { id: None, value })
            }
            (None, Some(value), Some(id)) => id.as_u64().map(|id| Self::Object {
                id: Some(Id::new(id)),
                value,
            }),
            _ => None,
        };
        option.ok_or_else(|| serde::de::Error::custom(Reason::NotOption))
    }
}

impl QuestionInput {
    /// Checks the fields and writes them into `question`, a question of this form.
    pub(crate) fn apply(
        self,
        mode: Mode,
        question: &mut Question,
        form: &Form,
        next_id: impl Fn() -> u64,
    ) -> Result<()> {
        let mut reader = Reader::new(mode);
        let prompt = &mut question.prompt;
        if let Some(kind) = reader.get(self.question_type) {
            prompt.question_type = kind;
        }
        reader.set(self.prompt, &mut prompt.text);
        reader.set(self.word_limit, &mut prompt.word_limit);
        reader.set(self.precedence, &mut question.precedence);
        reader.set(self.committee_question, &mut question.committee_question);
        read_committees(&mut reader, self.committees, question, form);
        let prompt = &mut question.prompt;
        if let Some(options) = reader.get(self.multiple_choice) {
            prompt.options = merge_options(&mut reader, options, &prompt.options, next_id);
        } else if prompt.question_type != QuestionType::MultipleChoice && mode == Mode::Update {
            prompt.options.clear();
        }
        check_options(&mut reader, prompt);
        let is_info = prompt.question_type == QuestionType::InfoText;
        prompt.required &= !is_info;
        reader.set(self.required, &mut prompt.required);
        if prompt.required && is_info {
            reader.errors.add("required", Reason::TakesNoAnswer);
        }
        let files = (self.formats, self.max_mb, self.shrink_photos);
        read_file_rule(&mut reader, files, prompt);
        let is_sent = !self.show_if.is_absent();
        read_condition(&mut reader, self.show_if, &mut prompt.show_if);
        check_condition(&mut reader, question, form, is_sent);
        reader.finish()?;
        if mode != Mode::Create && !has_room_for(question, form) {
            return Err(too_many());
        }
        check_files(question, form)?;
        check_dependents(question, form)
    }
}

/// Reads what a question for a file takes. Such a question has no limit on words.
fn read_file_rule(
    reader: &mut Reader,
    (formats, max_mb, shrink_photos): (
        FieldInput<List<FileFormat, { FileFormat::ALL.len() }>>,
        FieldInput<Option<FileMegabytes>>,
        FieldInput<bool>,
    ),
    prompt: &mut Prompt,
) {
    let (formats, max_mb) = (reader.get(formats), reader.get(max_mb).flatten());
    let shrink_photos = reader.get(shrink_photos);
    if prompt.question_type != QuestionType::File {
        prompt.file = None;
        let mut only_files = |field: &str| {
            let why = Reason::OnlyForFiles;
            reader.errors.add(field, why);
        };
        if formats.is_some_and(|formats| !formats.is_empty()) {
            only_files("formats");
        }
        if max_mb.is_some() {
            only_files("max_mb");
        }
        if shrink_photos == Some(true) {
            only_files("shrink_photos");
        }
        return;
    }
    let mut rule = prompt.file.take().unwrap_or_default();
    if let Some(formats) = formats {
        rule.formats.clear();
        for format in formats {
            if !rule.formats.contains(&format) {
                rule.formats.push(format);
            }
        }
    }
    if rule.formats.is_empty() {
        reader.errors.add("formats", Reason::TooFew { minimum: 1 });
    }
    rule.max_mb = max_mb.unwrap_or(rule.max_mb);
    rule.shrink_photos = shrink_photos.unwrap_or(rule.shrink_photos);
    prompt.file = Some(rule);
    if prompt.word_limit > 0 && !reader.errors.has("word_limit") {
        let why = Reason::NoWordLimit;
        reader.errors.add("word_limit", why);
    }
}

fn read_committees(
    reader: &mut Reader,
    sent: FieldInput<List<Reference>>,
    question: &mut Question,
    form: &Form,
) {
    let is_listed = |id: &Id<of::Committee>| form.application.committee(*id).is_some();
    if let Some(ids) = reader.get(sent) {
        let mut named = HashSet::new();
        question.committees = ids.into_iter().map(Reference::id).collect();
        for (i, id) in question.committees.iter().enumerate() {
            if !is_listed(id) {
                reader
                    .errors
                    .add(format!("committees.{i}"), Reason::unknown("committee"));
            }
        }
        question.committees.retain(|id| named.insert(*id));
    }
    question.committees.retain(is_listed);
    if !question.committee_question {
        question.committees.clear();
    } else if question.committees.is_empty() && !reader.errors.has("committees.0") {
        reader
            .errors
            .add("committees", Reason::TooFew { minimum: 1 });
    }
}

fn is_file(question: &Question) -> bool {
    question.prompt.question_type == QuestionType::File
}

/// Returns whether a form has fewer than [`limits::QUESTIONS`] others beside this question. Those
/// for files count apart.
pub(crate) fn has_room_for(question: &Question, form: &Form) -> bool {
    let others = form.questions.iter().filter(|one| one.id != question.id);
    is_file(question) || others.filter(|one| !is_file(one)).count() < limits::QUESTIONS
}

pub(crate) fn too_many() -> ApiError {
    let limit = limits::QUESTIONS;
    ApiError::field("questions", Reason::TooManyQuestions { limit })
}

/// An application has at most [`limits::FILE_QUESTIONS`] questions for files.
fn check_files(question: &Question, form: &Form) -> Result<()> {
    let others = form.questions.iter().filter(|one| one.id != question.id);
    if !is_file(question) || others.filter(|one| is_file(one)).count() < limits::FILE_QUESTIONS {
        return Ok(());
    }
    let limit = limits::FILE_QUESTIONS;
    let why = Reason::TooManyFileQuestions { limit };
    Err(ApiError::field("question_type", why).coded(Code::Quota))
}

fn check_options(reader: &mut Reader, prompt: &Prompt) {
    match (prompt.question_type, prompt.options.len()) {
        _ if reader.errors.has("multiple_choice") => {}
        (QuestionType::MultipleChoice, 0 | 1) => {
            reader
                .errors
                .add("multiple_choice", Reason::TooFew { minimum: 2 });
        }
        (QuestionType::MultipleChoice, _) | (_, 0) => {}
        _ => reader.errors.add("multiple_choice", Reason::OnlyForChoices),
    }
}

fn merge_options(
    reader: &mut Reader,
    inputs: Vec<OptionInput>,
    old: &[Choice],
    next_id: impl Fn() -> u64,
) -> Vec<Choice> {
    if inputs.len() > limits::OPTIONS {
        reader.errors.add(
            "multiple_choice",
            Reason::TooMany {
                limit: limits::OPTIONS,
            },
        );
        return vec![];
    }
    let mut used = HashSet::new();
    let mut merged = Vec::with_capacity(inputs.len());
    for (i, option) in inputs.into_iter().enumerate() {
        let field = format!("multiple_choice.{i}");
        let (id, text) = match option {
            OptionInput::Text(value) => (None, value),
            OptionInput::Object { id, value } => (id, value),
        };
        let value = reader.part::<OptionText>(&field, text).unwrap_or_default();
        let existing = match id {
            Some(id) => old.iter().find(|old| old.id == id),
            None => old
                .iter()
                .find(|old| old.value == value && !used.contains(&old.id)),
        };
        if id.is_some() && existing.is_none() {
            reader
                .errors
                .add(format!("{field}.id"), Reason::unknown("option"));
        }
        let id = existing.map_or_else(|| Id::new(next_id()), |existing| existing.id);
        if !used.insert(id) {
            reader.errors.add(format!("{field}.id"), Reason::Twice);
        }
        merged.push(Choice { id, value });
    }
    merged
}
