//! `/clubs/{club}/applications/{application}/questions/`, `…/{question}/`, `…/precedence/`

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use shared::http::User;
use shared::http::access::question;
use shared::http::{
    ApiError, Created, Field, Input, Mode, Need, NewId, NoContent, Officer, OrRefused, PathIds,
    Reader, Reference, Result, SignedIn,
};
use shared::models::Form;
use shared::models::{Application, Choice, Prompt, Question, QuestionType};
use shared::table::{Retries, TableError};
use shared::{Shared, limits};
use utoipa::ToSchema;

use crate::form::QuestionBody;

/// What officers write of a question.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct QuestionInput {
    /// 1 free response, 2 multiple choice, 3 short answer, 4 info text.
    #[serde(default)]
    #[schema(required = true, value_type = QuestionType)]
    question_type: Field<QuestionType>,
    #[serde(default)]
    #[schema(required = true, value_type = String)]
    prompt: Field<String>,
    /// 0 is no limit.
    #[serde(default)]
    #[schema(value_type = i64)]
    word_limit: Field<i64>,
    /// Lower comes first.
    #[serde(default)]
    #[schema(value_type = i64)]
    precedence: Field<i64>,
    #[serde(default)]
    #[schema(value_type = bool)]
    committee_question: Field<bool>,
    /// Committee ids; needed when `committee_question` is true.
    #[serde(default)]
    #[schema(value_type = Vec<u64>)]
    committees: Field<Vec<Reference>>,
    /// Texts, or objects with `id` and `value`; at least two for type 2, none for the others.
    #[serde(default)]
    #[schema(value_type = Vec<OptionInput>)]
    multiple_choice: Field<Vec<OptionInput>>,
}

/// An option to be set: one with its id keeps its answers.
#[derive(Debug, Clone, ToSchema)]
#[serde(untagged)]
pub enum OptionInput {
    /// Its text; an option that has it keeps its id.
    Text(String),
    /// With its id, if it has one.
    Object {
        /// Of an option that is there already.
        id: Option<u64>,
        /// Its text.
        value: String,
    },
}

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
                id: Some(id),
                value,
            }),
            _ => None,
        };
        option.ok_or_else(|| {
            serde::de::Error::custom("Expected a text, or an object with a text as value.")
        })
    }
}

impl QuestionInput {
    fn apply(
        self,
        mode: Mode,
        question: &mut Question,
        application: &Application,
        next_id: impl Fn() -> u64,
    ) -> Result<()> {
        let mut reader = Reader::new(mode);
        let prompt = &mut question.prompt;
        if let Some(kind) = reader.value("question_type", self.question_type, Need::Required) {
            prompt.question_type = kind;
        }
        reader.text(
            "prompt",
            self.prompt,
            Need::Required,
            limits::PROMPT,
            &mut prompt.text,
        );
        reader.number(
            "word_limit",
            self.word_limit,
            Need::Optional,
            (0, 1_000_000),
            &mut prompt.word_limit,
        );
        let any = (i32::MIN.into(), i32::MAX.into());
        reader.number(
            "precedence",
            self.precedence,
            Need::Optional,
            any,
            &mut question.precedence,
        );
        reader.flag(
            "committee_question",
            self.committee_question,
            Need::Optional,
            &mut question.committee_question,
        );
        if let Some(ids) = reader.value("committees", self.committees, Need::Optional) {
            question.committees = ids
                .into_iter()
                .take(limits::COMMITTEES)
                .map(Reference::id)
                .collect();
            question.committees.dedup();
            for (i, id) in question.committees.iter().enumerate() {
                if application.committee(*id).is_none() {
                    reader.errors.add(
                        format!("committees.{i}"),
                        "This application has no such committee.",
                    );
                }
            }
        }
        question
            .committees
            .retain(|id| application.committee(*id).is_some());
        if !question.committee_question {
            question.committees.clear();
        } else if question.committees.is_empty() && !reader.errors.has("committees.0") {
            reader
                .errors
                .add("committees", "A committee question needs committees.");
        }
        if let Some(options) = reader.value("multiple_choice", self.multiple_choice, Need::Optional)
        {
            prompt.options = merge_options(&mut reader, options, &prompt.options, next_id);
        } else if prompt.question_type != QuestionType::MultipleChoice && mode == Mode::Update {
            prompt.options.clear();
        }
        match (prompt.question_type, prompt.options.len()) {
            (QuestionType::MultipleChoice, 0 | 1) => {
                reader.errors.add(
                    "multiple_choice",
                    "A multiple-choice question needs two options or more.",
                );
            }
            (QuestionType::MultipleChoice, _) | (_, 0) => {}
            _ => reader.errors.add(
                "multiple_choice",
                "Only multiple-choice questions have options.",
            ),
        }
        reader.finish()
    }
}

fn merge_options(
    reader: &mut Reader,
    wanted: Vec<OptionInput>,
    old: &[Choice],
    next_id: impl Fn() -> u64,
) -> Vec<Choice> {
    if wanted.len() > limits::OPTIONS {
        reader.errors.add(
            "multiple_choice",
            format!("At most {} options are allowed.", limits::OPTIONS),
        );
        return vec![];
    }
    let mut used = HashSet::new();
    let mut merged = Vec::with_capacity(wanted.len());
    for (i, option) in wanted.into_iter().enumerate() {
        let field = format!("multiple_choice.{i}");
        let (id, text) = match option {
            OptionInput::Text(value) => (None, value),
            OptionInput::Object { id, value } => (id, value),
        };
        let mut value = String::new();
        reader.text(
            &field,
            Field::Value(text),
            Need::Required,
            limits::OPTION,
            &mut value,
        );
        let known = match id {
            Some(id) => old.iter().find(|old| old.id == id),
            None => old
                .iter()
                .find(|old| old.value == value && !used.contains(&old.id)),
        };
        if id.is_some() && known.is_none() {
            reader
                .errors
                .add(format!("{field}.id"), "This question has no such option.");
        }
        let id = known.map_or_else(&next_id, |known| known.id);
        if !used.insert(id) {
            reader
                .errors
                .add(format!("{field}.id"), "This option stands twice.");
        }
        merged.push(Choice { id, value });
    }
    merged
}

/// The questions of an application, in the order in which they are shown. Any signed-in user.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/{application}/questions/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), responses((status = 200, body = Vec<QuestionBody>)))]
pub async fn list_questions(scope: SignedIn<Form>) -> Json<Vec<QuestionBody>> {
    Json(bodies(&scope.parent))
}

fn bodies(form: &Form) -> Vec<QuestionBody> {
    form.questions.iter().map(QuestionBody::from).collect()
}

/// So near to the limit it is looked at again after a question was created.
const NEAR: usize = 20;

fn too_many() -> ApiError {
    ApiError::field(
        "questions",
        format!(
            "An application has at most {} questions.",
            limits::QUESTIONS
        ),
    )
}

/// Creates a question. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/{application}/questions/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = QuestionInput, responses((status = 201, body = QuestionBody)))]
pub async fn create_question(
    State(app): State<Shared>,
    scope: Officer<Form>,
    NewId(id): NewId,
    Input(input): Input<QuestionInput>,
) -> Result<Created<QuestionBody>> {
    let application = &scope.parent.application;
    let location = format!(
        "/api/clubs/{}/applications/{}/questions/{id}/",
        application.club, application.id
    );
    if let Some(question) = scope.parent.question(id) {
        // An earlier attempt with the same idempotency key was here.
        return Ok(Created {
            location,
            body: QuestionBody::from(question),
        });
    }
    if scope.parent.questions.len() >= limits::QUESTIONS {
        return Err(too_many());
    }
    let mut question = Question {
        id,
        club: application.club.clone(),
        application: application.id,
        version: 1,
        precedence: 0,
        committee_question: false,
        committees: vec![],
        prompt: Prompt {
            question: id,
            application: application.id,
            version: 1,
            question_type: QuestionType::FreeResponse,
            text: String::new(),
            word_limit: 0,
            options: vec![],
        },
    };
    input.apply(Mode::Create, &mut question, application, || app.next_id())?;
    app.table
        .put_question(&question, None)
        .await
        .or_refused(|| ApiError::Busy)?;
    if scope.parent.questions.len() + NEAR > limits::QUESTIONS {
        // Others may have created one at the same moment: then this one was too many. If that
        // cannot be seen now, it stays: an error would have a repeat create it again.
        let now = app
            .table
            .form(&application.club, application.id)
            .await
            .ok()
            .flatten();
        if now.is_some_and(|form| form.questions.len() > limits::QUESTIONS) {
            app.table.delete_question(&question).await?;
            return Err(too_many());
        }
    }
    Ok(Created {
        location,
        body: QuestionBody::from(&question),
    })
}

/// One question. Any signed-in user.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/{application}/questions/{question}/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)), responses((status = 200, body = QuestionBody)))]
pub async fn show_question(scope: SignedIn<Form>, path: PathIds) -> Result<Json<QuestionBody>> {
    Ok(Json(QuestionBody::from(question(&scope.parent, &path)?)))
}

/// Changes the fields that are sent; stored answers keep the question as it was. Officers.
#[utoipa::path(patch, path = "/api/clubs/{club}/applications/{application}/questions/{question}/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)), request_body = QuestionInput,
    responses((status = 200, body = QuestionBody)))]
pub async fn update_question(
    State(app): State<Shared>,
    scope: Officer<Form, QuestionId>,
    Input(input): Input<QuestionInput>,
) -> Result<Json<QuestionBody>> {
    change(&app, scope, &input, Mode::Update).await
}

/// Replaces all writable fields; stored answers keep the question as it was. Officers.
#[utoipa::path(put, path = "/api/clubs/{club}/applications/{application}/questions/{question}/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)), request_body = QuestionInput,
    responses((status = 200, body = QuestionBody)))]
pub async fn replace_question(
    State(app): State<Shared>,
    scope: Officer<Form, QuestionId>,
    Input(input): Input<QuestionInput>,
) -> Result<Json<QuestionBody>> {
    change(&app, scope, &input, Mode::Replace).await
}

async fn change(
    app: &Shared,
    scope: Officer<Form, QuestionId>,
    input: &QuestionInput,
    mode: Mode,
) -> Result<Json<QuestionBody>> {
    let (mut form, QuestionId(id)) = (scope.parent, scope.object);
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let read = form.question(id).ok_or(ApiError::NotFound)?;
        scope.if_match.check(|| QuestionBody::from(read))?;
        let mut changed = read.clone();
        input
            .clone()
            .apply(mode, &mut changed, &form.application, || app.next_id())?;
        changed.version += 1;
        if changed.prompt != read.prompt {
            changed.prompt.version = read.prompt.version + 1;
        }
        match app.table.put_question(&changed, Some(read)).await {
            Err(TableError::Refused(_)) => {
                form = app
                    .table
                    .form(&form.application.club, form.application.id)
                    .await?
                    .ok_or(ApiError::NotFound)?;
            }
            done => return Ok(done.map(|()| Json(QuestionBody::from(&changed)))?),
        }
    }
}

/// Deletes a question; stored answers to it stay. Officers.
#[utoipa::path(delete, path = "/api/clubs/{club}/applications/{application}/questions/{question}/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)), responses((status = 204)))]
pub async fn delete_question(
    State(app): State<Shared>,
    scope: Officer<Form, QuestionId>,
) -> Result<NoContent> {
    let (mut form, QuestionId(id)) = (scope.parent, scope.object);
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let question = form.question(id).ok_or(ApiError::NotFound)?;
        scope.if_match.check(|| QuestionBody::from(question))?;
        match app.table.delete_question(question).await {
            Err(TableError::Refused(_)) => {
                form = app
                    .table
                    .form(&form.application.club, form.application.id)
                    .await?
                    .ok_or(ApiError::NotFound)?;
            }
            done => return Ok(done.map(|()| NoContent)?),
        }
    }
}

/// A new order of questions.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct PrecedenceInput {
    /// Question ids, first to last. Questions that are not named follow in their present order.
    #[serde(default)]
    #[schema(required = true, value_type = Vec<u64>)]
    precedence: Field<Vec<u64>>,
}

/// Orders the questions of an application. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/{application}/questions/precedence/", tag = "questions", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = PrecedenceInput,
    responses((status = 200, body = Vec<QuestionBody>)))]
pub async fn order_questions(
    State(app): State<Shared>,
    scope: Officer<Form>,
    Input(input): Input<PrecedenceInput>,
) -> Result<Json<Vec<QuestionBody>>> {
    let mut form = scope.parent;
    let mut reader = Reader::new(Mode::Create);
    let ids = reader
        .value("precedence", input.precedence, Need::Required)
        .unwrap_or_default();
    for (i, id) in ids.iter().enumerate() {
        if form.question(*id).is_none() {
            reader.errors.add(
                format!("precedence.{i}"),
                "This application has no such question.",
            );
        } else if ids[..i].contains(id) {
            reader
                .errors
                .add(format!("precedence.{i}"), "This question is named twice.");
        }
    }
    reader.finish()?;
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        form.questions.sort_by_key(|question| {
            ids.iter()
                .position(|id| *id == question.id)
                .unwrap_or(usize::MAX)
        });
        let mut moved = Vec::new();
        for (question, precedence) in form.questions.iter_mut().zip(0..) {
            if question.precedence != precedence {
                question.precedence = precedence;
                moved.push(question.clone());
            }
        }
        if moved.is_empty() {
            return Ok(Json(bodies(&form)));
        }
        match app.table.order_questions(&moved).await {
            // Somebody changed one of them at this moment.
            Err(TableError::Refused(_)) => {
                form = app
                    .table
                    .form(&form.application.club, form.application.id)
                    .await?
                    .ok_or(ApiError::NotFound)?;
            }
            done => return Ok(done.map(|()| Json(bodies(&form)))?),
        }
    }
}

/// The id of a question that officers may touch; whether it is there is seen in the form.
pub struct QuestionId(u64);

impl shared::http::Load for QuestionId {
    async fn load(_: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(path.id("question").map(Self))
    }
}
