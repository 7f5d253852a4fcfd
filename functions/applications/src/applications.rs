//! `/clubs/{club}/applications/`, `…/current/`, `…/{application}/`, `…/{application}/duplicate/`

use std::collections::HashMap;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Days, Utc};
use shared::Shared;
use shared::auth::User;
use shared::http::{
    ApiError, Created, Input, Load, Maybe, Mode, NoContent, NoInput, Officer, OrRefused, Params, PathIds, ReceivedAt, Result, SignedIn,
};
use shared::models::{Application, Committee, Extension, Question};
use shared::table::{EDITS, Form, TableError};
use shared::time::Timestamp;

use crate::form::{ApplicationBody, ApplicationInput, COMMITTEE_USED, removes_committee};

/// The applications of a club, oldest first. Officers.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<ApplicationBody>)))]
pub async fn list_applications(State(app): State<Shared>, scope: Officer) -> Result<Json<Vec<ApplicationBody>>> {
    let forms = app.table.forms(&scope.club.code).await?;
    Ok(Json(forms.iter().map(|form| ApplicationBody::new(form, true)).collect()))
}

/// The applications of a club that take submissions from the caller now. Any signed-in user.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/current/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<ApplicationBody>)))]
pub async fn list_current_applications(
    State(app): State<Shared>,
    ReceivedAt(now): ReceivedAt,
    scope: SignedIn,
) -> Result<Json<Vec<ApplicationBody>>> {
    let forms = app.table.forms(&scope.club.code).await?;
    let started = |form: &&Form| form.application.is_active && form.application.start.moment() <= now;
    let over: Vec<u64> =
        forms.iter().filter(started).filter(|form| !form.application.is_current(now, None)).map(|form| form.application.id).collect();
    let extensions = if over.is_empty() { HashMap::new() } else { app.table.extensions_of(scope.user.id(), &over).await? };
    let current = |form: &&Form| {
        let extended = extensions.get(&form.application.id).map(|extension: &Extension| extension.end);
        form.application.is_current(now, extended)
    };
    Ok(Json(forms.iter().filter(current).map(|form| ApplicationBody::new(form, scope.is_officer())).collect()))
}

/// Creates an application. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = ApplicationInput, responses((status = 201, body = ApplicationBody)))]
pub async fn create_application(
    State(app): State<Shared>,
    scope: Officer,
    Input(input): Input<ApplicationInput>,
) -> Result<Created<ApplicationBody>> {
    let now = app.now();
    let mut application = Application {
        id: app.next_id(),
        club: scope.club.code,
        version: 1,
        name: String::new(),
        description: String::new(),
        start: now,
        end: now,
        release: now,
        is_active: false,
        external_url: None,
        acceptance_email: String::new(),
        rejection_email: String::new(),
        committees: vec![],
        deleted: None,
        created_at: now,
        updated_at: now,
    };
    input.apply(Mode::Create, &mut application, &app.table, || app.next_id()).await?;
    create(&app, Form { application, questions: vec![] }).await
}

async fn create(app: &Shared, form: Form) -> Result<Created<ApplicationBody>> {
    app.table.create_application(&form).await.or_refused(|| ApiError::NotFound)?;
    let location = format!("/api/clubs/{}/applications/{}/", form.application.club, form.application.id);
    Ok(Created { location, body: ApplicationBody::new(&form, true) })
}

/// One application. Any signed-in user; drafts too.
#[utoipa::path(get, path = "/api/clubs/{club}/applications/{application}/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), responses((status = 200, body = ApplicationBody)))]
pub async fn show_application(scope: SignedIn<(), Form>) -> Json<ApplicationBody> {
    Json(ApplicationBody::new(&scope.object, scope.is_officer()))
}

/// Changes the fields that are sent. Officers.
#[utoipa::path(patch, path = "/api/clubs/{club}/applications/{application}/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = ApplicationInput,
    responses((status = 200, body = ApplicationBody)))]
pub async fn update_application(
    State(app): State<Shared>,
    scope: Officer<(), Form>,
    Input(input): Input<ApplicationInput>,
) -> Result<Json<ApplicationBody>> {
    change(&app, scope, &input, Mode::Update).await
}

/// Replaces all writable fields. Officers.
#[utoipa::path(put, path = "/api/clubs/{club}/applications/{application}/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), request_body = ApplicationInput,
    responses((status = 200, body = ApplicationBody)))]
pub async fn replace_application(
    State(app): State<Shared>,
    scope: Officer<(), Form>,
    Input(input): Input<ApplicationInput>,
) -> Result<Json<ApplicationBody>> {
    change(&app, scope, &input, Mode::Replace).await
}

async fn change(app: &Shared, scope: Officer<(), Form>, input: &ApplicationInput, mode: Mode) -> Result<Json<ApplicationBody>> {
    let mut form = scope.object;
    let (club, id) = (form.application.club.clone(), form.application.id);
    for _ in 0..EDITS {
        scope.if_match.check(|| ApplicationBody::new(&form, true))?;
        let old = form.application.clone();
        input.clone().apply(mode, &mut form.application, &app.table, || app.next_id()).await?;
        form.application.version += 1;
        form.application.updated_at = app.now();
        match app.table.update_application(&form.application, old.version).await {
            Err(TableError::Refused(_)) => form = app.table.form(&club, id).await?.ok_or(ApiError::NotFound)?,
            done => {
                done?;
                keep_used_committees(app, &old, &form.application).await?;
                form.settle_committees();
                return Ok(Json(ApplicationBody::new(&form, true)));
            }
        }
    }
    Err(ApiError::Busy)
}

/// A submission touches no item that others touch, so no condition can keep it from an application that changes beside
/// it. What would lose it waits for those that read the application before.
const GRACE: Duration = Duration::from_secs(1);

async fn let_pass(application: &Application) {
    if application.is_active {
        tokio::time::sleep(GRACE).await;
    }
}

/// Somebody may have submitted to a committee between the check and its removal: then it comes back.
async fn keep_used_committees(app: &Shared, old: &Application, new: &Application) -> Result<()> {
    if !removes_committee(old, new) {
        return Ok(());
    }
    let_pass(new).await;
    let used = app.table.committees_in_use(new.id).await?;
    let lost: Vec<Committee> =
        old.committees.iter().filter(|old| used.contains(&old.id) && new.committee(old.id).is_none()).cloned().collect();
    if lost.is_empty() {
        return Ok(());
    }
    for _ in 0..EDITS {
        let mut now = app.table.application(&new.club, new.id).await?.ok_or(ApiError::NotFound)?;
        let read_version = now.version;
        now.committees.extend(lost.iter().filter(|lost| now.committee(lost.id).is_none()).cloned().collect::<Vec<_>>());
        now.version += 1;
        match app.table.update_application(&now, read_version).await {
            Err(TableError::Refused(_)) => {}
            done => return done.map_err(ApiError::from).and(Err(ApiError::field("committees", COMMITTEE_USED))),
        }
    }
    Err(ApiError::Busy)
}

/// An application, or what a deletion that was cut short has left of it.
pub struct Deletable(Application);

impl Load for Deletable {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else { return Ok(None) };
        Ok(app.table.application_even_deleted(path.text("club"), id).await?.map(Self))
    }
}

/// Deletes an application and all under it; with submissions only if forced. Officers.
#[utoipa::path(delete, path = "/api/clubs/{club}/applications/{application}/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path), ("force" = Option<bool>, Query, description = "Delete its submissions too")),
    responses((status = 204)))]
pub async fn delete_application(
    State(app): State<Shared>,
    scope: Officer<(), (Deletable, Maybe<Form>)>,
    params: Params,
) -> Result<NoContent> {
    let (Deletable(mut application), Maybe(form)) = scope.object;
    if let Some(form) = form {
        scope.if_match.check(|| ApplicationBody::new(&form, true))?;
        // Its version is the condition of what follows.
        application = form.application;
    }
    let force = params.flag("force")?.unwrap_or(false);
    let refused = || ApiError::rule("This application has submissions. Add ?force=true to delete them with it.");
    if application.deleted.is_none() && !force && app.table.has_submissions(application.id).await? {
        return Err(refused());
    }
    let forced = force || application.deleted == Some(true);
    if application.deleted != Some(forced) {
        let marked = mark_deleted(&app, &mut application, Some(forced)).await;
        // Somebody else changed it at this moment.
        marked.map_err(|error| if scope.if_match.is_given() { ApiError::PreconditionFailed } else { error })?;
    }
    // Somebody may have submitted in between: then nothing is lost.
    if !forced {
        let_pass(&application).await;
    }
    if !forced && app.table.has_submissions(application.id).await? {
        mark_deleted(&app, &mut application, None).await?;
        return Err(refused());
    }
    Box::pin(app.table.remove_application(&application, forced)).await?;
    Ok(NoContent)
}

async fn mark_deleted(app: &Shared, application: &mut Application, deleted: Option<bool>) -> Result<()> {
    let read_version = application.version;
    application.deleted = deleted;
    application.version += 1;
    app.table.update_application(application, read_version).await.or_refused(|| ApiError::Busy)
}

/// Copies an application with questions, options and committees: inactive, without submissions, starting tomorrow at the
/// same time of day. Officers.
#[utoipa::path(post, path = "/api/clubs/{club}/applications/{application}/duplicate/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path), ("application" = u64, Path)), responses((status = 201, body = ApplicationBody)))]
pub async fn duplicate_application(State(app): State<Shared>, scope: Officer<Form>, _: NoInput) -> Result<Created<ApplicationBody>> {
    let Form { mut application, mut questions } = scope.parent;
    let now = app.clock.now();
    let shift = tomorrow(application.start.moment(), now) - application.start.moment();
    application.id = app.next_id();
    application.version = 1;
    application.is_active = false;
    for time in [&mut application.start, &mut application.end, &mut application.release] {
        *time = time.plus(shift);
    }
    application.created_at = Timestamp::at(now);
    application.updated_at = Timestamp::at(now);
    let mut renamed = HashMap::new();
    for committee in &mut application.committees {
        let id = app.next_id();
        renamed.insert(std::mem::replace(&mut committee.id, id), id);
    }
    for question in &mut questions {
        copy_question(question, application.id, &renamed, || app.next_id());
    }
    create(&app, Form { application, questions }).await
}

fn copy_question(question: &mut Question, application: u64, committees: &HashMap<u64, u64>, next_id: impl Fn() -> u64) {
    question.id = next_id();
    question.application = application;
    question.version = 1;
    question.committees = question.committees.iter().filter_map(|id| committees.get(id).copied()).collect();
    question.prompt.question = question.id;
    question.prompt.application = application;
    question.prompt.version = 1;
    for option in &mut question.prompt.options {
        option.id = next_id();
    }
}

/// The time of day of `start`, on the day after `now` (UTC).
fn tomorrow(start: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    let day = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(now.date_naive());
    day.and_time(start.time()).and_utc()
}
