//! `/clubs/{club}/applications/{application}/` (DELETE)

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use shared::domain::{Application, Club};
use shared::endings::tell_applicants;
use shared::mail::ApplicationEnd;
use shared::reason::Reason;
use shared::time::RequestTime;
use shared::web::scopes::RecruitmentWrite;
use shared::web::{
    ApiError, Code, Load, NoBody, NoContent, Officer, Params, PathIds, Result, User,
};
use shared::{Context, bookings};

use crate::applications::OwnExtension;
use crate::committees::wait_for_running_submissions;
use crate::form::{ApplicationBody, ApplicationViewer};

/// An application, also one whose deletion was interrupted (X15).
pub struct Deletable(Application);

impl Load for Deletable {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>, ApiError> {
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

/// What is read before the deletion.
type ToDelete = (Deletable, OwnExtension);

/// Delete an application.
///
/// For officers. Its questions, committees and extensions are deleted too. An application with
/// submissions is 400, unless `force` is true.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(
        ("club" = String, Path),
        ("application" = u64, Path),
        ("force" = Option<bool>, Query,
            description = "Delete the submissions of the application too")
    ),
    responses((status = 204))
)]
pub async fn delete_application(
    app: Context,
    scope: Officer<RecruitmentWrite, (), ToDelete>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let (Deletable(mut application), OwnExtension(extension)) = scope.object;
    // The form of one whose deletion was interrupted may be incomplete.
    let whole = if application.deleted.is_none() {
        app.table
            .whole_form(&scope.club.code, application.id)
            .await?
    } else {
        None
    };
    if let Some(whole) = whole {
        let viewer = ApplicationViewer::officer(extension.as_ref());
        scope
            .if_match
            .check(|| ApplicationBody::new(&whole, viewer))?;
        // The writes below require this version.
        application = whole.form.application;
    }
    let force = params.flag("force")?.unwrap_or(false);
    let refused = || ApiError::rule(Reason::HasSubmissions).coded(Code::InUse);
    if application.deleted.is_none() && !force && app.table.has_submissions(application.id).await? {
        return Err(refused());
    }
    let mut retries = app.table.retries();
    let forced = loop {
        retries.next().await?;
        let forced = force || application.deleted == Some(true);
        if application.deleted == Some(forced) {
            break forced;
        }
        match set_deleted(&app, &mut application, Some(forced)).await {
            // Somebody else changed the application at the same moment.
            Err(ApiError::Changed) if scope.if_match.is_given() => {
                return Err(ApiError::PreconditionFailed);
            }
            Err(ApiError::Changed) => {
                let again = app
                    .table
                    .application_even_deleted(&scope.club.code, application.id);
                application = again.await?.ok_or(ApiError::NotFound)?;
            }
            marked => {
                marked?;
                break forced;
            }
        }
    };
    // Somebody may have submitted since the check (X14).
    wait_for_running_submissions(&app, &application).await;
    if Box::pin(remove_deleted(&app, &scope.club, application, forced))
        .await
        .map_err(ApiError::after_write)?
    {
        Ok(NoContent)
    } else {
        Err(refused())
    }
}

/// How many slots are closed at the same time.
const SLOTS_AT_ONCE: usize = 16;

/// Removes an application that is marked as deleted. If it has submissions and `forced` is false,
/// removes the mark instead and returns false.
async fn remove_deleted(
    app: &Context,
    club: &Club,
    mut application: Application,
    forced: bool,
) -> Result<bool> {
    if !forced && app.table.has_submissions(application.id).await? {
        set_deleted(app, &mut application, None).await?;
        return Ok(false);
    }
    let when = RequestTime {
        received: app.ids.received(app.clock.now()),
        at: app.now(),
    };
    let recruitment = (club, &application);
    let slots = stream::iter(app.table.all_slots(application.id).await?);
    let released = slots.map(async |slot| {
        // Nobody books it from now on.
        match bookings::closed(&app.table, slot).await? {
            Some(slot) => {
                bookings::release_all_bookings(
                    &app.table,
                    recruitment,
                    slot,
                    when.received,
                    when.at,
                )
                .await
            }
            None => Ok(None),
        }
    });
    let released = released.buffer_unordered(SLOTS_AT_ONCE);
    released.try_for_each(async |_| Ok(())).await?;
    if forced {
        // Before the submissions are gone.
        tell_applicants(&app.table, recruitment, ApplicationEnd::Deleted, when.at).await?;
    }
    app.table
        .remove_application(&application, forced, when)
        .await?;
    Ok(true)
}

async fn set_deleted(
    app: &Context,
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
