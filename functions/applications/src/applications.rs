//! `/clubs/{club}/applications/`, `…/current/`, `…/{application}/`, `…/{application}/duplicate/`

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Days, TimeDelta, Utc};
use shared::db::{Refusal, Retries, TableError};
use shared::domain::ApplicationQuota;
use shared::domain::{
    Application, ApplicationTexts, Committee, Extension, Form, Question, WholeForm,
};
use shared::ids::Id;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Created, Input, Load, Maybe, Mode, NewId, NoBody, NoContent, Officer, Params,
    PathIds, ReceivedAt, Result, SignedIn, User,
};
use shared::{Shared, ids, limits};

use crate::form::{ApplicationBody, ApplicationInput, ApplicationViewer};

/// List the applications of a club.
///
/// For officers. The oldest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<ApplicationBody>))
)]
pub async fn list_applications(
    State(app): State<Shared>,
    scope: Officer,
) -> Result<Json<Vec<ApplicationBody>>> {
    let (forms, own) = futures::try_join!(
        app.table.whole_forms(&scope.club.code),
        app.table.own_extensions(scope.user.id())
    )?;
    let show = |whole: &WholeForm| {
        let id = whole.texts.application;
        let extension = own.iter().find(|extension| extension.application == id);
        ApplicationBody::new(whole, ApplicationViewer::officer(extension))
    };
    Ok(Json(forms.iter().map(show).collect()))
}

/// List the open applications of a club.
///
/// For every signed-in user who can see the club. An extension keeps an application open for its
/// person.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/current/", tag = "applications",
    security(("bearer" = [])), params(("club" = String, Path)),
    responses((status = 200, body = Vec<ApplicationBody>))
)]
pub async fn list_current_applications(
    State(app): State<Shared>,
    ReceivedAt(now): ReceivedAt,
    scope: SignedIn,
) -> Result<Json<Vec<ApplicationBody>>> {
    // The club knows which of its applications are open. An extension may keep another one open.
    let club = &scope.club;
    let extensions = app.table.own_extensions(scope.user.id()).await?;
    let extended = |id: Id<Application>| {
        let found = extensions
            .iter()
            .find(|extension| extension.application == id);
        found.map(|extension| extension.end)
    };
    let open = club
        .windows
        .iter()
        .filter(|(_, window)| window.is_open(now));
    let ids = open.filter_map(|(id, _)| ids::parse(id));
    let is_here = |extension: &&Extension| {
        let is_other = extension
            .club
            .as_ref()
            .is_some_and(|other| *other != club.code);
        now <= extension.end.moment() && !is_other
    };
    let own = extensions.iter().filter(is_here);
    let wanted: BTreeSet<Id<Application>> = ids.chain(own.map(|one| one.application)).collect();
    let mut forms = app.table.whole_forms_of(&club.code, &wanted).await?;
    forms.retain(|whole| {
        let application = &whole.form.application;
        application.is_current(now, extended(application.id))
    });
    let show = |whole: &WholeForm| {
        let viewer = ApplicationViewer {
            is_officer: scope.is_officer(),
            extended: extended(whole.texts.application),
        };
        ApplicationBody::new(whole, viewer)
    };
    Ok(Json(forms.iter().map(show).collect()))
}

/// The extension of the caller for the application in the path.
pub struct OwnExtension(Option<Extension>);

impl Load for OwnExtension {
    async fn load(app: &Shared, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(application) = path.id("application") else {
            return Ok(None);
        };
        let id = Extension::id_of(application, user.id());
        Ok(Some(Self(app.table.extension(application, id).await?)))
    }
}

/// How many applications a club may have. No limit if an admin acts (A12).
fn quota(user: &User) -> Option<ApplicationQuota> {
    (!user.is_admin()).then_some(ApplicationQuota {
        open: limits::OPEN_APPLICATIONS,
        all: limits::APPLICATIONS,
    })
}

/// The error if a club would have more applications than allowed.
fn too_many() -> ApiError {
    let (open, all) = (limits::OPEN_APPLICATIONS, limits::APPLICATIONS);
    ApiError::rule(format!(
        "A club can have at most {open} applications that have not ended, and {all} in all."
    ))
    .coded(Code::Quota)
}

/// Create an application.
///
/// For officers.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/", tag = "applications", security(("bearer" = [])),
    params(("club" = String, Path)), request_body = ApplicationInput,
    responses((status = 201, body = ApplicationBody))
)]
pub async fn create_application(
    State(app): State<Shared>,
    scope: Officer,
    new: NewId,
    Input(input): Input<ApplicationInput>,
) -> Result<Created<ApplicationBody>> {
    let now = app.now();
    let mut application = Application {
        id: new.id(),
        club: scope.club.code,
        version: 1,
        name: String::new(),
        start: now,
        end: now,
        release: now,
        is_active: false,
        external_url: None,
        confirmation: false,
        blind_reviews: false,
        committees: vec![],
        deleted: None,
        created_at: now,
        updated_at: now,
        questions_changed_at: None,
    };
    let none = ApplicationTexts::none(application.club.clone(), application.id);
    let mut texts = none.clone();
    input.apply(Mode::Create, &mut application, &mut texts, new.parts())?;
    texts.version = u64::from(texts != none);
    let form = Form {
        application,
        questions: vec![],
    };
    create(&app, &scope.user, WholeForm { form, texts }).await
}

async fn create(
    app: &Shared,
    user: &User,
    mut whole: WholeForm,
) -> Result<Created<ApplicationBody>> {
    let (club, id) = (whole.texts.club.clone(), whole.texts.application);
    match app.table.create_application(&whole, quota(user)).await {
        Err(TableError::Refused(Refusal::Quota)) => {
            // An earlier attempt with the same idempotency key may have been the last one.
            let stored = app.table.whole_form(&club, id).await?;
            whole = stored.ok_or_else(too_many)?;
        }
        // An earlier attempt with the same idempotency key stored it.
        Err(TableError::Refused(_)) => {
            let stored = app.table.whole_form(&club, id).await?;
            whole = stored.ok_or(ApiError::NotFound)?;
        }
        done => done?,
    }
    Ok(Created {
        location: format!("/api/clubs/{club}/applications/{id}/"),
        body: ApplicationBody::new(&whole, ApplicationViewer::officer(None)),
    })
}

/// Get an application.
///
/// For every signed-in user who can see the club, also before the application is active. The e-mail
/// templates are null for callers who are not officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 200, body = ApplicationBody))
)]
pub async fn show_application(
    scope: SignedIn<(), (WholeForm, OwnExtension)>,
) -> Json<ApplicationBody> {
    let (whole, OwnExtension(extension)) = &scope.object;
    let viewer = ApplicationViewer {
        is_officer: scope.is_officer(),
        extended: extension.as_ref().map(|extension| extension.end),
    };
    Json(ApplicationBody::new(whole, viewer))
}

/// Change some fields of an application.
///
/// For officers. Fields that are not sent stay as they are. A committee that has submissions cannot
/// be removed.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    request_body = ApplicationInput, responses((status = 200, body = ApplicationBody))
)]
pub async fn update_application(
    State(app): State<Shared>,
    scope: Officer<(), (WholeForm, OwnExtension)>,
    Input(input): Input<ApplicationInput>,
) -> Result<Json<ApplicationBody>> {
    save_application(&app, scope, &input, Mode::Update).await
}

/// Replace all fields of an application.
///
/// For officers. Every writable field must be sent. A committee that has submissions cannot be
/// removed.
#[utoipa::path(
    put, path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    request_body = ApplicationInput, responses((status = 200, body = ApplicationBody))
)]
pub async fn replace_application(
    State(app): State<Shared>,
    scope: Officer<(), (WholeForm, OwnExtension)>,
    Input(input): Input<ApplicationInput>,
) -> Result<Json<ApplicationBody>> {
    save_application(&app, scope, &input, Mode::Replace).await
}

async fn save_application(
    app: &Shared,
    scope: Officer<(), (WholeForm, OwnExtension)>,
    input: &ApplicationInput,
    mode: Mode,
) -> Result<Json<ApplicationBody>> {
    let (mut whole, OwnExtension(extension)) = scope.object;
    let viewer = ApplicationViewer::officer(extension.as_ref());
    let (club, id) = (whole.texts.club.clone(), whole.texts.application);
    // The version that this request itself made when it removed committees.
    let mut own_version = None;
    let mut retries = Retries::default();
    loop {
        retries.next().await.map_err(|error| {
            if own_version.is_some() {
                ApiError::from(error).after_write()
            } else {
                error.into()
            }
        })?;
        let old = whole.form.application.clone();
        if own_version != Some(old.version) {
            scope
                .if_match
                .check(|| ApplicationBody::new(&whole, viewer))?;
        }
        let (mut new, mut texts) = (old.clone(), whole.texts.clone());
        input
            .clone()
            .apply(mode, &mut new, &mut texts, || app.next_id())?;
        let removed: Vec<Committee> = old
            .committees
            .iter()
            .filter(|old| new.committee(old.id).is_none())
            .cloned()
            .collect();
        if !removed.is_empty() {
            match remove_committees(app, &old, &removed).await? {
                // The committees are removed. Now change the other fields.
                Ok(Some(stored)) => {
                    own_version = Some(stored.version);
                    whole.form.application = stored;
                }
                Ok(None) => {
                    return Err(ApiError::field("committees", COMMITTEE_USED).coded(Code::InUse));
                }
                Err(TableError::Refused(_)) => whole = read_again(app, &club, id).await?,
                Err(error) => return Err(error.into()),
            }
            continue;
        }
        new.version += 1;
        new.updated_at = app.now();
        texts.version += u64::from(texts != whole.texts);
        let changed = (texts != whole.texts).then_some((&whole.texts, &texts));
        let quota = quota(&scope.user);
        let stored = app
            .table
            .update_application(&new, old.version, changed, quota);
        match stored.await {
            Err(TableError::Refused(Refusal::Quota)) => return Err(too_many()),
            Ok(()) => {
                whole.form.application = new;
                whole.form.settle_committees();
                whole.texts = texts;
                return Ok(Json(ApplicationBody::new(&whole, viewer)));
            }
            Err(TableError::Refused(_)) => whole = read_again(app, &club, id).await?,
            Err(error) => return Err(error.into()),
        }
    }
}

async fn read_again(app: &Shared, club: &ClubCode, id: Id<Application>) -> Result<WholeForm> {
    let found = app.table.whole_form(club, id).await?;
    found.ok_or(ApiError::NotFound)
}

const COMMITTEE_USED: &str = "A committee that has submissions cannot be removed.";

/// Waits until submissions that began before the change are stored (X14). A submission writes no
/// item that the application shares, so no condition can detect them. A submission that takes
/// longer than half of this wait reads the application again (X15).
async fn wait_for_running_submissions(app: &Shared, application: &Application) {
    let now = app.now();
    let changed_lately = now < application.updated_at.plus(TimeDelta::minutes(1));
    if changed_lately || (application.is_active && application.start <= now) {
        tokio::time::sleep(limits::DELETION_GRACE).await;
    }
}

/// Removes committees without submissions, and changes nothing else, because the other changes may
/// still be refused. Returns `None` if a committee has a submission; then no committee is removed
/// (A6). Returns `Refused` if the stored version is not that of `old`.
async fn remove_committees(
    app: &Shared,
    old: &Application,
    removed: &[Committee],
) -> Result<std::result::Result<Option<Application>, TableError>> {
    let is_used = async || {
        Ok::<_, TableError>(
            app.table
                .committees_in_use(old.id)
                .await?
                .iter()
                .any(|id| removed.iter().any(|gone| gone.id == *id)),
        )
    };
    if is_used().await? {
        return Ok(Ok(None));
    }
    let mut new = Application {
        version: old.version + 1,
        updated_at: app.now(),
        ..old.clone()
    };
    new.committees
        .retain(|committee| !removed.contains(committee));
    let removed_now = app.table.update_application(&new, old.version, None, None);
    if let Err(error) = removed_now.await {
        return Ok(Err(error));
    }
    wait_for_running_submissions(app, old).await;
    if !is_used().await.map_err(TableError::after_write)? {
        return Ok(Ok(Some(new)));
    }
    Ok(Ok(restore_committees(app, old, removed)
        .await
        .map_err(ApiError::after_write)?))
}

/// Puts the committees back, because somebody applied to one of them after the check. Always
/// returns `None`.
async fn restore_committees(
    app: &Shared,
    old: &Application,
    removed: &[Committee],
) -> Result<Option<Application>> {
    let mut retries = Retries::default();
    loop {
        retries.next().await?;
        let mut now = app
            .table
            .application(&old.club, old.id)
            .await?
            .ok_or(ApiError::NotFound)?;
        let read_version = now.version;
        let missing: Vec<Committee> = removed
            .iter()
            .filter(|gone| now.committee(gone.id).is_none())
            .cloned()
            .collect();
        now.committees.extend(missing);
        now.version += 1;
        let restored = app.table.update_application(&now, read_version, None, None);
        match restored.await {
            Err(TableError::Refused(_)) => {}
            done => return Ok(done.map(|()| None)?),
        }
    }
}

/// An application, also one whose deletion was interrupted (X15).
pub struct Deletable(Application);

impl Load for Deletable {
    async fn load(app: &Shared, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
        let Some(id) = path.id("application") else {
            return Ok(None);
        };
        Ok(app
            .table
            .application_even_deleted(path.club(), id)
            .await?
            .map(Self))
    }
}

/// Delete an application.
///
/// For officers. Its questions, committees and extensions are deleted too. An application with
/// submissions is 400, unless `force` is true.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = [])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("force" = Option<bool>, Query,
            description = "Delete the submissions of the application too")
    ),
    responses((status = 204))
)]
pub async fn delete_application(
    State(app): State<Shared>,
    scope: Officer<(), (Deletable, (Maybe<WholeForm>, OwnExtension))>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let (Deletable(mut application), (Maybe(whole), OwnExtension(extension))) = scope.object;
    if let Some(whole) = whole {
        let viewer = ApplicationViewer::officer(extension.as_ref());
        scope
            .if_match
            .check(|| ApplicationBody::new(&whole, viewer))?;
        // The writes below require this version.
        application = whole.form.application;
    }
    let force = params.flag("force")?.unwrap_or(false);
    let refused = || {
        ApiError::rule("This application has submissions. Add ?force=true to delete them too.")
            .coded(Code::InUse)
    };
    if application.deleted.is_none() && !force && app.table.has_submissions(application.id).await? {
        return Err(refused());
    }
    let forced = force || application.deleted == Some(true);
    if application.deleted != Some(forced) {
        let marked = mark_deleted(&app, &mut application, Some(forced)).await;
        // Somebody else changed the application at the same moment.
        marked.map_err(|error| {
            if scope.if_match.is_given() {
                ApiError::PreconditionFailed
            } else {
                error
            }
        })?;
    }
    // Somebody may have submitted since the check (X14).
    wait_for_running_submissions(&app, &application).await;
    if Box::pin(remove_marked(&app, application, forced))
        .await
        .map_err(ApiError::after_write)?
    {
        Ok(NoContent)
    } else {
        Err(refused())
    }
}

/// Removes an application that is marked as deleted. If it has submissions and `forced` is false,
/// removes the mark instead and returns false.
async fn remove_marked(app: &Shared, mut application: Application, forced: bool) -> Result<bool> {
    if !forced && app.table.has_submissions(application.id).await? {
        mark_deleted(app, &mut application, None).await?;
        return Ok(false);
    }
    let when = (app.ids.received(app.clock.now()), app.now());
    app.table
        .remove_application(&application, forced, when)
        .await?;
    Ok(true)
}

async fn mark_deleted(
    app: &Shared,
    application: &mut Application,
    deleted: Option<bool>,
) -> Result<()> {
    let read_version = application.version;
    application.deleted = deleted;
    application.version += 1;
    app.table
        .update_application(application, read_version, None, None)
        .await
        .map_err(ApiError::from)
}

/// Copy an application.
///
/// For officers. The copy has the same questions, options and committees, but no submissions. It is
/// not active and starts tomorrow at the same time of day (UTC). The other times move by the same
/// span.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/duplicate/", tag = "applications",
    security(("bearer" = [])), params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 201, body = ApplicationBody))
)]
pub async fn duplicate_application(
    State(app): State<Shared>,
    scope: Officer<WholeForm>,
    new: NewId,
) -> Result<Created<ApplicationBody>> {
    let next_id = new.parts();
    let WholeForm { form, mut texts } = scope.parent;
    let Form {
        mut application,
        mut questions,
    } = form;
    let now = app.clock.now();
    let shift = tomorrow(application.start.moment(), now) - application.start.moment();
    application.id = new.id();
    application.version = 1;
    application.is_active = false;
    let times = [
        ("application_start_time", &mut application.start),
        ("application_end_time", &mut application.end),
        ("result_release_time", &mut application.release),
    ];
    for (name, time) in times {
        let later = || {
            ApiError::field(
                name,
                "The copy would be later than the year 9999. Change this time of the original \
                    first.",
            )
        };
        *time = time.checked_plus(shift).ok_or_else(later)?;
    }
    application.created_at = Timestamp::at(now);
    application.updated_at = Timestamp::at(now);
    application.questions_changed_at = None;
    let mut renamed = HashMap::new();
    for committee in &mut application.committees {
        let id = Id::new(next_id());
        renamed.insert(std::mem::replace(&mut committee.id, id), id);
    }
    for question in &mut questions {
        copy_question(question, application.id, &renamed, &next_id);
    }
    texts.application = application.id;
    texts.version = texts.version.min(1);
    let form = Form {
        application,
        questions,
    };
    create(&app, &scope.user, WholeForm { form, texts }).await
}

fn copy_question(
    question: &mut Question,
    application: Id<Application>,
    committees: &HashMap<Id<Committee>, Id<Committee>>,
    next_id: impl Fn() -> u64,
) {
    question.id = Id::new(next_id());
    question.application = application;
    question.version = 1;
    question.committees = question
        .committees
        .iter()
        .filter_map(|id| committees.get(id).copied())
        .collect();
    question.prompt.question = question.id;
    question.prompt.application = application;
    question.prompt.version = 1;
    for option in &mut question.prompt.options {
        option.id = Id::new(next_id());
    }
}

/// The time of day of `start`, on the day after `now` (UTC).
fn tomorrow(start: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    let day = now
        .date_naive()
        .checked_add_days(Days::new(1))
        .unwrap_or(now.date_naive());
    day.and_time(start.time()).and_utc()
}
