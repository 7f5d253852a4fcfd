//! `/clubs/{club}/applications/{application}/questions/`, `…/{question}/`, `…/precedence/`

use axum::Json;
use axum::response::Response;
use shared::db::{Refusal, TableError};
use shared::domain::{Form, Question};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::List;
use shared::web::access::question;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Code, Created, IfMatch, Input, Mode, NewId, NoContent, NoInput, Officer, PathIds,
    Reader, Result, SignedIn, User, create, edit, shown_at,
};
use shared::{Context, limits};

use crate::conditions::depends;
use crate::form::QuestionBody;
use crate::question_input::{QuestionInput, has_room_for, too_many};

/// List the questions of an application.
///
/// For every signed-in user who can see the club. The questions are in the order in which they are
/// shown.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/questions/", tag = "questions",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 200, body = Vec<QuestionBody>))
)]
pub async fn list_questions(scope: SignedIn<RecruitmentRead, Form>) -> Json<Vec<QuestionBody>> {
    Json(bodies(&scope.parent))
}

fn bodies(form: &Form) -> Vec<QuestionBody> {
    form.questions.iter().map(QuestionBody::from).collect()
}

/// If fewer questions than this are left below the limit, the limit is checked again after the
/// write.
const RECHECK_MARGIN: usize = 20;

/// Create a question.
///
/// For officers. An application has at most 100 questions, and 5 for files besides.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/questions/", tag = "questions",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = QuestionInput, responses((status = 201, body = QuestionBody))
)]
pub async fn create_question(
    app: Context,
    scope: Officer<RecruitmentWrite, Form>,
    new: NewId,
    Input(input): Input<QuestionInput>,
) -> Result<Created<QuestionBody>> {
    let (app, input, id) = (&app, &input, new.id());
    let (club, application) = of_form(&scope.parent);
    let read = || app.table.form(&club, application);
    let (any_state, show) = (IfMatch::default(), bodies);
    let created = edit(
        app,
        &any_state,
        scope.parent,
        show,
        read,
        |form: Form| async move {
            let mut question = Question::blank(&form.application, id);
            let input = input.clone();
            input.apply(Mode::Create, &mut question, &form, || app.next_id())?;
            let stored = if has_room_for(&question, &form) {
                app.table.put_question(&question, &form, app.now()).await
            } else {
                Err(TableError::Refused(Refusal::Quota))
            };
            let own = async {
                let current = app.table.form(&question.club, question.application).await?;
                Ok(current.and_then(|form| form.question(id).cloned()))
            };
            let refused = |refusal| match refusal {
                Refusal::Quota => too_many(),
                other => TableError::Refused(other).into(),
            };
            let question = create(question.clone(), stored, own, |_| true, refused).await?;
            let is_close = form.questions.len() + RECHECK_MARGIN > limits::QUESTIONS;
            Ok::<_, ApiError>((question, is_close))
        },
    );
    let (question, is_close) = created.await?;
    if is_close {
        take_back_if_too_many(app, &question).await?;
    }
    Ok(Created {
        location: format!("/api/clubs/{club}/applications/{application}/questions/{id}/"),
        body: QuestionBody::from(&question),
    })
}

/// Others may have created questions at the same moment, so that this one is above the limit. If
/// the questions cannot be read now, it stays: after an error, a repeat would create it again.
async fn take_back_if_too_many(app: &Context, question: &Question) -> Result<()> {
    let current = app.table.form(&question.club, question.application).await;
    let current = current.ok().flatten();
    if current.is_some_and(|form| !has_room_for(question, &form)) {
        app.table.delete_question(question, app.now()).await?;
        return Err(too_many());
    }
    Ok(())
}

/// Get a question.
///
/// For every signed-in user who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/questions/{question}/",
    tag = "questions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)),
    responses((status = 200, body = QuestionBody))
)]
pub async fn show_question(
    scope: SignedIn<RecruitmentRead, Form>,
    path: PathIds,
) -> Result<Json<QuestionBody>> {
    Ok(Json(QuestionBody::from(question(&scope.parent, &path)?)))
}

/// Change some fields of a question.
///
/// For officers. With `PUT` every writable field must be sent, but for `show_if`, `required` and
/// what is about files; with `PATCH` the others stay as they are. Stored answers keep the question
/// as the applicant saw it.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/applications/{application}/questions/{question}/",
    tag = "questions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)),
    request_body = QuestionInput, responses((status = 200, body = QuestionBody))
)]
pub async fn update_question(
    app: Context,
    scope: Officer<RecruitmentWrite, Form, QuestionId>,
    mode: Mode,
    Input(input): Input<QuestionInput>,
) -> Result<Json<QuestionBody>> {
    save_question(&app, scope, &input, mode).await
}

async fn save_question(
    app: &Context,
    scope: Officer<RecruitmentWrite, Form, QuestionId>,
    input: &QuestionInput,
    mode: Mode,
) -> Result<Json<QuestionBody>> {
    let (club, application) = of_form(&scope.parent);
    let QuestionId(id) = scope.object;
    let read = || app.table.form(&club, application);
    let show = |form: &Form| form.question(id).map(QuestionBody::from);
    let saved = edit(
        app,
        &scope.if_match,
        scope.parent,
        show,
        read,
        |form: Form| async move {
            let old = form.question(id).ok_or(ApiError::NotFound)?;
            let mut new = old.clone();
            input
                .clone()
                .apply(mode, &mut new, &form, || app.next_id())?;
            if new == *old {
                return Ok(new);
            }
            new.version += 1;
            if new.prompt != old.prompt {
                new.prompt.version = old.prompt.version + 1;
            }
            if new.prompt.version > limits::PROMPT_VERSIONS {
                let limit = limits::PROMPT_VERSIONS;
                let why = Reason::ChangedTooOften { limit };
                return Err(ApiError::rule(why).coded(Code::Quota));
            }
            app.table.put_question(&new, &form, app.now()).await?;
            Ok(new)
        },
    );
    Ok(Json(QuestionBody::from(&saved.await?)))
}

/// The club and the id of the application.
fn of_form(form: &Form) -> (ClubCode, Id<of::Application>) {
    (form.application.club.clone(), form.application.id)
}

/// Delete a question.
///
/// For officers. Stored answers to the question are kept. A question that another one depends on
/// cannot be deleted.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/questions/{question}/",
    tag = "questions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("question" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_question(
    app: Context,
    scope: Officer<RecruitmentWrite, Form, QuestionId>,
    _: NoInput,
) -> Result<NoContent> {
    let app = &app;
    let (club, application) = of_form(&scope.parent);
    let QuestionId(id) = scope.object;
    let read = || app.table.form(&club, application);
    let show = |form: &Form| form.question(id).map(QuestionBody::from);
    edit(
        app,
        &scope.if_match,
        scope.parent,
        show,
        read,
        |form: Form| async move {
            let question = form.question(id).ok_or(ApiError::NotFound)?;
            if let Some(dependent) = form.dependents(id).next() {
                return Err(ApiError::rule(depends(dependent)).coded(Code::InUse));
            }
            Ok(app.table.delete_question(question, app.now()).await?)
        },
    )
    .await?;
    Ok(NoContent)
}

shared::input! {
    /// The new order of the questions.
    pub struct PrecedenceInput {
        /// Ids of questions, from first to last. The other questions follow in their present order.
        precedence: List<Id<of::Question>>, Required;
    }
}

/// Set the order of the questions.
///
/// For officers. The listed questions come first, in this order.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/questions/precedence/",
    tag = "questions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = PrecedenceInput,
    responses((status = 200, body = Vec<QuestionBody>))
)]
pub async fn order_questions(
    app: Context,
    scope: Officer<RecruitmentWrite, Form>,
    Input(input): Input<PrecedenceInput>,
) -> Result<Response> {
    let form = scope.parent;
    let mut reader = Reader::new(Mode::Create);
    let ids = reader.get(input.precedence).unwrap_or_default();
    for (i, id) in ids.iter().enumerate() {
        if form.question(*id).is_none() {
            reader
                .errors
                .add(format!("precedence.{i}"), Reason::unknown("question"));
        } else if ids[..i].contains(id) {
            reader.errors.add(format!("precedence.{i}"), Reason::Twice);
        }
    }
    reader.finish()?;
    let (app, ids) = (&app, &ids);
    let (club, application) = of_form(&form);
    let read = || app.table.form(&club, application);
    let show = |form: &Form| bodies(form);
    let any_state = IfMatch::default();
    let ordered = edit(
        app,
        &any_state,
        form,
        show,
        read,
        |mut form: Form| async move {
            let position_of = |question: &Question| ids.iter().position(|id| *id == question.id);
            form.questions
                .sort_by_key(|question| position_of(question).unwrap_or(usize::MAX));
            let mut moved = Vec::new();
            let first = first_precedence(&form.questions);
            for (question, precedence) in form.questions.iter_mut().zip(first..) {
                if question.precedence != precedence {
                    question.precedence = precedence;
                    moved.push(question.clone());
                }
            }
            if !moved.is_empty() {
                app.table
                    .order_questions(&form.application, &moved, app.now())
                    .await?;
            }
            Ok(form)
        },
    );
    let list = format!("/api/clubs/{club}/applications/{application}/questions/");
    Ok(shown_at(list, Json(bodies(&ordered.await?))))
}

/// Returns the precedence of the first of these questions, when they are numbered in this order. It
/// is 0, unless that would change 100 questions: the application changes too, and a transaction has
/// at most 100 writes. Then one question keeps its number, if any can.
fn first_precedence(questions: &[Question]) -> i32 {
    let moved = (0..).zip(questions).filter(|(n, q)| q.precedence != *n);
    if moved.count() < limits::QUESTIONS {
        return 0;
    }
    let as_now = |(n, q): (i32, &Question)| {
        let first = q.precedence.checked_sub(n)?;
        let last = first.checked_add(i32::try_from(questions.len()).ok()? - 1)?;
        let allowed = -limits::ANY_NUMBER..=limits::ANY_NUMBER;
        let is_allowed = |number: i32| allowed.contains(&i64::from(number));
        (is_allowed(first) && is_allowed(last)).then_some(first)
    };
    (0..).zip(questions).find_map(as_now).unwrap_or(0)
}

/// The id of the question in the path. Whether the question exists is checked later, in the form.
pub struct QuestionId(Id<of::Question>);

impl shared::web::Load for QuestionId {
    async fn load(_: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        Ok(path.id("question").map(Self))
    }
}
