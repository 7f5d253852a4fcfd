//! `/clubs/{club}/applications/{application}/extensions/`, `…/{extension}/`

use axum::Json;
use serde::Serialize;
use shared::db::Refusal;
use shared::domain::{Application, Extension, Person};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Code, Created, FieldInput, Input, Mode, NewId, NoContent, NoInput, Officer, Reader,
    Reference, Result, create, edit,
};
use shared::{Context, limits};
use utoipa::ToSchema;

/// A later end of an application for one person.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExtensionBody {
    /// Id of the extension.
    #[schema(value_type = u64)]
    id: Id<of::Extension>,
    /// User name of the person.
    username: String,
    /// User id.
    #[schema(value_type = u64)]
    person: Id<of::Person>,
    /// Last moment at which this person may submit.
    end_time: Timestamp,
}

impl From<&Extension> for ExtensionBody {
    fn from(extension: &Extension) -> Self {
        Self {
            id: extension.id,
            username: extension.username.clone(),
            person: extension.person,
            end_time: extension.end,
        }
    }
}

shared::input! {
    /// A new extension. The person is named by `person` or by `username`.
    pub struct NewExtension {
        /// User name of the person. Send this or `person`.
        username: Option<String>, Optional;
        /// User id of the person. Send this or `username`.
        person: Option<Reference>, Optional;
        /// Must be after the end of the application.
        end_time: Timestamp, Required;
    }
}

shared::input! {
    /// The field of an extension that officers change.
    pub struct ExtensionInput {
        /// Must be after the end of the application.
        end_time: Timestamp, Required;
    }
}

fn read_end(
    mode: Mode,
    sent: FieldInput<Timestamp>,
    application: &Application,
    end: &mut Timestamp,
) -> Result<()> {
    let mut reader = Reader::new(mode);
    let before = *end;
    reader.set(sent, end);
    // What was read can be sent back, also if the end of the application was moved since.
    let is_kept = mode != Mode::Create && *end == before;
    if !reader.errors.has("end_time") && !is_kept && *end <= application.end {
        reader.errors.add(
            "end_time",
            Reason::NotAfter {
                field: "application_end_time",
            },
        );
    }
    reader.finish()
}

/// List the extensions of an application.
///
/// For officers. Ordered by user name.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/extensions/", tag = "extensions",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 200, body = Vec<ExtensionBody>))
)]
pub async fn list_extensions(
    app: Context,
    scope: Officer<RecruitmentRead, Application>,
) -> Result<Json<Vec<ExtensionBody>>> {
    let mut extensions = app.table.extensions(scope.parent.id).await?;
    extensions.sort_by(|a, b| a.username.cmp(&b.username).then(a.id.cmp(&b.id)));
    Ok(Json(extensions.iter().map(ExtensionBody::from).collect()))
}

/// Give a person an extension.
///
/// For officers. A person has at most one extension of an application. It has no effect while the
/// application is not active.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/extensions/", tag = "extensions",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = NewExtension, responses((status = 201, body = ExtensionBody))
)]
pub async fn create_extension(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    new: NewId,
    Input(input): Input<NewExtension>,
) -> Result<Created<ExtensionBody>> {
    let application = &scope.parent;
    // Anybody can create a club, and an extension says who has a user name.
    if scope.club.approved != Some(true) && !scope.user.is_admin() {
        return Err(ApiError::rule(Reason::ClubNotApproved).coded(Code::ClubNotApproved));
    }
    let mut end = application.end;
    read_end(Mode::Create, input.end_time, application, &mut end)?;
    let (field, person) = named(&app, input.person, input.username).await?;
    let extension = Extension {
        id: Extension::id_of(application.id, person.id),
        application: application.id,
        club: Some(application.club.clone()),
        person: person.id,
        username: person.personal.username,
        creation: new.0,
        version: new.0,
        end,
    };
    let stored = app
        .table
        .create_extension(&extension, application, app.now())
        .await;
    let read = app.table.extension(application.id, extension.id);
    let is_own = |there: &Extension| there.creation == new.0;
    let refused = |refusal| match refusal {
        Refusal::Changed => ApiError::NotFound,
        Refusal::Erased => ApiError::field(field, Reason::UnknownPerson),
        _ => ApiError::field(field, Reason::HasExtension),
    };
    let extension = create(extension, stored, read, is_own, refused).await?;
    let location = format!(
        "/api/clubs/{}/applications/{}/extensions/{}/",
        application.club, application.id, extension.id
    );
    Ok(Created {
        location,
        body: (&extension).into(),
    })
}

/// The person whom the body names, with the name of the field that names them.
async fn named(
    app: &Context,
    person: FieldInput<Option<Reference>>,
    username: FieldInput<Option<String>>,
) -> Result<(&'static str, Person)> {
    let mut reader = Reader::new(Mode::Create);
    let id = reader.get(person).flatten().map(Reference::id);
    let name = reader.get(username).flatten();
    reader.finish()?;
    match (id, name) {
        (Some(id), _) => {
            let found = app.table.person(id).await?;
            found
                .map(|person| ("person", person))
                .ok_or_else(|| ApiError::field("person", Reason::UnknownPerson))
        }
        (None, Some(name)) => {
            let mut found = if name.len() > limits::NAME {
                vec![]
            } else {
                app.table.people_called(name.trim()).await?
            };
            let person = found.pop().filter(|_| found.is_empty());
            person
                .map(|person| ("username", person))
                .ok_or_else(|| ApiError::field("username", Reason::UnknownUsername))
        }
        (None, None) => Err(ApiError::field("username", Reason::NoPerson)),
    }
}

/// Get an extension.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
    tag = "extensions", security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("extension" = u64, Path)),
    responses((status = 200, body = ExtensionBody))
)]
pub async fn show_extension(
    scope: Officer<RecruitmentRead, Application, Extension>,
) -> Json<ExtensionBody> {
    Json((&scope.object).into())
}

/// Change the end of an extension.
///
/// For officers.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
    tag = "extensions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("extension" = u64, Path)),
    request_body = ExtensionInput, responses((status = 200, body = ExtensionBody))
)]
pub async fn update_extension(
    app: Context,
    scope: Officer<RecruitmentWrite, Application, Extension>,
    mode: Mode,
    Input(input): Input<ExtensionInput>,
) -> Result<Json<ExtensionBody>> {
    save_extension(&app, scope, input, mode).await
}

async fn save_extension(
    app: &Context,
    scope: Officer<RecruitmentWrite, Application, Extension>,
    input: ExtensionInput,
    mode: Mode,
) -> Result<Json<ExtensionBody>> {
    let (input, application, extension) = (&input, &scope.parent, scope.object);
    let first = extension.clone();
    let read = || app.table.same_extension(&first);
    let show = |extension: &Extension| ExtensionBody::from(extension);
    let saved = edit(
        app,
        &scope.if_match,
        extension,
        show,
        read,
        |old: Extension| async move {
            let mut new = old.clone();
            read_end(mode, input.end_time.clone(), application, &mut new.end)?;
            new.version = app.next_id();
            app.table
                .update_extension(&old, &new, application, app.now())
                .await?;
            Ok(new)
        },
    );
    Ok(Json(show(&saved.await?)))
}

/// Delete an extension.
///
/// For officers.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/extensions/{extension}/",
    tag = "extensions", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("extension" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_extension(
    app: Context,
    scope: Officer<RecruitmentWrite, Application, Extension>,
    _: NoInput,
) -> Result<NoContent> {
    let (app, application) = (&app, &scope.parent);
    let first = scope.object.clone();
    let read = || app.table.same_extension(&first);
    let show = |extension: &Extension| ExtensionBody::from(extension);
    edit(
        app,
        &scope.if_match,
        scope.object,
        show,
        read,
        async |old: Extension| {
            let deleted = app.table.delete_extension(&old, application, app.now());
            Ok(deleted.await?)
        },
    )
    .await?;
    Ok(NoContent)
}
