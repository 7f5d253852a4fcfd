//! `/clubs/{club}/applications/`, `…/current/`, `…/{application}/`, `…/{application}/duplicate/`

use std::collections::BTreeSet;

use axum::Json;
use axum::response::Response;
use shared::db::{Refusal, TableError};
use shared::domain::{
    Application, ApplicationQuota, ApplicationTexts, Committee, Extension, Form, Submission,
    WholeForm,
};
use shared::ids::{Id, of};
use shared::openapi::fields::SliceCount;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Code, Created, Input, Load, Mode, NewId, Officer, Params, PathIds, ReceivedAt,
    Result, SignedIn, Slice, User, create,
};
use shared::{Context, ids, limits};

use crate::committees::remove_committees;
use crate::form::{ApplicationBody, ApplicationInput, ApplicationViewer};
use crate::own::OwnSubmissionBody;

/// List the applications of a club.
///
/// For officers. The oldest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<ApplicationBody>))
)]
pub async fn list_applications(
    app: Context,
    scope: Officer<RecruitmentRead>,
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

/// How many open applications of a club one answer has, if the request does not say: all that a
/// club can have.
const CURRENT_SLICE: usize = limits::OPEN_APPLICATIONS;
/// How many are read at once.
const READ_AT_ONCE: usize = 10;

/// List the open applications of a club.
///
/// For every signed-in user who can see the club. An extension keeps an application open for its
/// person. The oldest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/current/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("limit" = Option<SliceCount>, Query,
            description = "Largest number of results: 50 if not sent. If there are more, the header \
                `Link` has the address of the next part"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = Vec<ApplicationBody>))
)]
pub async fn list_current_applications(
    app: Context,
    ReceivedAt(now): ReceivedAt,
    scope: SignedIn<RecruitmentRead>,
    slice: Slice,
) -> Result<Response> {
    let slice = slice.with_default(CURRENT_SLICE);
    let limit = slice.limit().unwrap_or(CURRENT_SLICE);
    // The club knows which of its applications are open. An extension may keep another one open.
    let club = &scope.club;
    let extensions = app.table.own_extensions(scope.user.id()).await?;
    let extended = |id: Id<of::Application>| {
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
    let mut requested: BTreeSet<Id<of::Application>> =
        ids.chain(own.map(|one| one.application)).collect();
    if let Some(after) = slice.after::<u64>()? {
        requested.retain(|id| id.get() > after);
    }
    let requested: Vec<Id<of::Application>> = requested.into_iter().collect();
    let mut forms: Vec<WholeForm> = vec![];
    // One more than the limit tells whether there are more. Only what is shown is read.
    for ids in requested.chunks(limit.min(READ_AT_ONCE) + 1) {
        let ids = ids.iter().copied().collect();
        let found = app.table.whole_forms_of(&club.code, &ids).await?;
        forms.extend(found.into_iter().filter(|whole| {
            let application = &whole.form.application;
            application.is_current(now, extended(application.id))
        }));
        if forms.len() > limit {
            break;
        }
    }
    let show = |whole: &WholeForm| {
        let viewer = ApplicationViewer {
            is_officer: scope.is_officer(),
            extended: extended(whole.texts.application),
        };
        ApplicationBody::new(whole, viewer)
    };
    Ok(slice.respond(&mut forms, |whole| whole.texts.application.get(), show))
}

/// The extension of the caller for the application in the path.
pub struct OwnExtension(pub(crate) Option<Extension>);

impl Load for OwnExtension {
    async fn load(app: &Context, user: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
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
    let (limit, total) = (limits::OPEN_APPLICATIONS, limits::APPLICATIONS);
    ApiError::rule(Reason::TooManyApplications { limit, total }).coded(Code::Quota)
}

/// Create an application.
///
/// For officers.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path)), request_body = ApplicationInput,
    responses((status = 201, body = ApplicationBody))
)]
pub async fn create_application(
    app: Context,
    scope: Officer<RecruitmentWrite>,
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
        interview_notice_hours: Application::NOTICE_HOURS,
        committees: vec![],
        deleted: None,
        created_at: now,
        updated_at: now,
        opening_set_at: None,
        questions_changed_at: None,
        is_decided: false,
    };
    let none = ApplicationTexts::none(application.club.clone(), application.id);
    let mut texts = none.clone();
    input.apply(Mode::Create, &mut application, &mut texts, new.parts())?;
    texts.version = u64::from(texts != none);
    let form = Form {
        application,
        questions: vec![],
    };
    create_form(&app, &scope.user, WholeForm { form, texts }).await
}

pub(crate) async fn create_form(
    app: &Context,
    user: &User,
    whole: WholeForm,
) -> Result<Created<ApplicationBody>> {
    let (club, id) = (whole.texts.club.clone(), whole.texts.application);
    let stored = app.table.create_application(&whole, quota(user)).await;
    let read = app.table.whole_form(&club, id);
    let refused = |refusal| match refusal {
        Refusal::Quota => too_many(),
        _ => ApiError::NotFound,
    };
    let whole = create(whole, stored, read, |_| true, refused).await?;
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
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("own" = Option<bool>, Query,
            description = "`true`: with the submissions of the caller, in `my_submissions`")
    ),
    responses((status = 200, body = ApplicationBody))
)]
pub async fn show_application(
    app: Context,
    scope: SignedIn<RecruitmentRead, (), (WholeForm, OwnExtension)>,
    session: Option<User>,
    params: Params,
) -> Result<Json<ApplicationBody>> {
    let (whole, OwnExtension(extension)) = &scope.object;
    let viewer = ApplicationViewer {
        is_officer: scope.is_officer(),
        extended: extension.as_ref().map(|extension| extension.end),
    };
    let mut body = ApplicationBody::new(whole, viewer);
    if params.flag("own")? == Some(true)
        && let Some(user) = session
    {
        let application = &whole.form.application;
        let own = app.table.submitted_to(user.id(), application.id).await?;
        let show = |one: &Submission| OwnSubmissionBody::new(one, application, app.now().moment());
        body.my_submissions = Some(own.iter().map(show).collect());
    }
    Ok(Json(body))
}

/// Change some fields of an application.
///
/// For officers. With `PUT` every writable field must be sent, but for `confirmation`,
/// `blind_reviews`, `interview_notice_hours` and `interview_email`; with `PATCH` the others stay as
/// they are. A committee that has submissions cannot be removed.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = ApplicationInput, responses((status = 200, body = ApplicationBody))
)]
pub async fn update_application(
    app: Context,
    scope: Officer<RecruitmentWrite, (), (WholeForm, OwnExtension)>,
    mode: Mode,
    Input(input): Input<ApplicationInput>,
) -> Result<Json<ApplicationBody>> {
    save_application(&app, scope, &input, mode).await
}

async fn save_application(
    app: &Context,
    scope: Officer<RecruitmentWrite, (), (WholeForm, OwnExtension)>,
    input: &ApplicationInput,
    mode: Mode,
) -> Result<Json<ApplicationBody>> {
    let mut own = None;
    let saved = save(app, scope, input, mode, &mut own).await;
    saved.map_err(|error| match error {
        // It removed committees already. A refusal would say that it changed nothing; the client
        // repeats it, and gets the refusal then.
        error if own.is_some() && !matches!(error, ApiError::NotFound) => {
            ApiError::OutcomeUnknown(format!("committees were removed: {error:?}"))
        }
        error => error,
    })
}

/// Stores the changes. `own` is what the request itself stored when it removed committees.
async fn save(
    app: &Context,
    scope: Officer<RecruitmentWrite, (), (WholeForm, OwnExtension)>,
    input: &ApplicationInput,
    mode: Mode,
    own: &mut Option<serde_json::Value>,
) -> Result<Json<ApplicationBody>> {
    let (mut whole, OwnExtension(extension)) = scope.object;
    let viewer = ApplicationViewer::officer(extension.as_ref());
    let (club, id) = (whole.texts.club.clone(), whole.texts.application);
    let body = |whole: &WholeForm| {
        serde_json::to_value(ApplicationBody::new(whole, viewer)).unwrap_or_default()
    };
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let old = whole.form.application.clone();
        let is_own = own.as_ref().is_some_and(|own| *own == body(&whole));
        if !is_own {
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
        let now = app.now();
        if old.is_released(now) && new.release > now {
            let reason = Reason::ResultsReleased;
            return Err(ApiError::field("result_release_time", reason));
        }
        if !removed.is_empty() {
            // What may refuse the request comes first, so that a refused one removes no committee.
            check_conditions(&whole.form, &new)?;
            new.updated_at = app.now();
            let is_exceeded = |quota: ApplicationQuota| quota.is_exceeded(&scope.club, &new, false);
            if quota(&scope.user).is_some_and(is_exceeded) {
                return Err(too_many());
            }
            match remove_committees(app, &old, &removed).await? {
                // The committees are removed. Now change the other fields.
                Ok(Some(stored)) => {
                    whole.form.application = stored;
                    *own = Some(body(&whole));
                }
                Ok(None) => {
                    return Err(
                        ApiError::field("committees", Reason::CommitteeInUse).coded(Code::InUse)
                    );
                }
                Err(TableError::Refused(_)) => whole = read_again(app, &club, id).await?,
                Err(error) => return Err(error.into()),
            }
            continue;
        }
        if new == old && texts == whole.texts {
            whole.form.settle();
            return Ok(Json(ApplicationBody::new(&whole, viewer)));
        }
        new.version += 1;
        new.updated_at = app.now();
        new.note_opening(&old, new.updated_at);
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
                whole.form.settle();
                whole.texts = texts;
                return Ok(Json(ApplicationBody::new(&whole, viewer)));
            }
            Err(TableError::Refused(_)) => whole = read_again(app, &club, id).await?,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Refuses to remove committees if a question would then be for people who are not asked the one
/// that it depends on (Q9).
fn check_conditions(form: &Form, new: &Application) -> Result<()> {
    let mut form = form.clone();
    form.application.committees.clone_from(&new.committees);
    form.settle();
    if form.conditions_fit_committees() {
        return Ok(());
    }
    Err(ApiError::field("committees", Reason::CommitteesDepend).coded(Code::InUse))
}

async fn read_again(app: &Context, club: &ClubCode, id: Id<of::Application>) -> Result<WholeForm> {
    let found = app.table.whole_form(club, id).await?;
    found.ok_or(ApiError::NotFound)
}
