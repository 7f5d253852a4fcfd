//! `/clubs/{club}/applications/{application}/slots/`, `…/{slot}/`

use axum::Json;
use shared::Context;
use shared::db::TableError;
use shared::domain::{Application, Slot};
use shared::ids::of;
use shared::web::scopes::{RecruitmentRead, RecruitmentWrite};
use shared::web::{
    ApiError, Created, Input, Mode, NewId, Officer, Params, Reader, ReceivedAt, Result,
};

use crate::release::release_bookings;
use crate::slot_body::{ShownSlot, SlotBody, SlotInput};
use crate::slot_change::change;
use crate::slot_delete::finish;
use crate::slot_store::{new_slot, store};

/// List the slots of an application.
///
/// For officers. The earliest comes first.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/slots/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(
        ("club" = String, Path), ("application" = u64, Path),
        ("series" = Option<u64>, Query,
            description = "Only the slots of one series: from the header `Location` of its answer")
    ),
    responses((status = 200, body = Vec<SlotBody>))
)]
pub async fn list_slots(
    app: Context,
    params: Params,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentRead, Application>,
) -> Result<Json<Vec<SlotBody>>> {
    let series = params.id::<of::Slot>("series")?;
    let slots = app.table.all_slots(scope.parent.id).await?;
    let (deleted, mut slots) = slots.into_iter().partition(|slot| slot.deleted);
    let received = app.ids.received(received);
    finish(&app, (&scope.club, &scope.parent), deleted, received).await;
    slots.sort_by_key(Slot::sort_key);
    slots.retain(|slot| series.is_none_or(|series| slot.creation == series.get()));
    let recruitment = (&scope.club.code, scope.parent.id);
    let mut shown = ShownSlot::all_of(&app, recruitment, slots).await?;
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let officer = scope.user.id();
    Ok(Json(shown.iter().map(|slot| slot.body(officer)).collect()))
}

/// Create a slot.
///
/// For officers. Slots in the past may be made. An application has at most 1,000 slots.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/slots/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    request_body = SlotInput, responses((status = 201, body = SlotBody))
)]
pub async fn create_slot(
    app: Context,
    scope: Officer<RecruitmentWrite, Application>,
    new: NewId,
    Input(input): Input<SlotInput>,
) -> Result<Created<SlotBody>> {
    let mut slot = new_slot(&scope.parent, new.0, new.0);
    let mut reader = Reader::new(Mode::Create);
    let requested = input.read(&mut reader, &scope.parent, &mut slot);
    reader.finish()?;
    let shown = store(&app, scope.parent, vec![slot], requested).await?;
    let shown = shown.into_iter().next().ok_or(ApiError::NotFound)?;
    let Slot {
        club,
        application,
        id,
        ..
    } = &shown.slot;
    Ok(Created {
        location: format!("/api/clubs/{club}/applications/{application}/slots/{id}/"),
        body: shown.body(scope.user.id()),
    })
}

/// A slot that is not being deleted.
pub(crate) fn visible(slot: Slot) -> Result<Slot> {
    Some(slot)
        .filter(|slot| !slot.deleted)
        .ok_or(ApiError::NotFound)
}

/// Get a slot.
///
/// For officers.
#[utoipa::path(
    get, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:read"])),
    params(("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path)),
    responses((status = 200, body = SlotBody))
)]
pub async fn show_slot(
    app: Context,
    scope: Officer<RecruitmentRead, Application, Slot>,
) -> Result<Json<SlotBody>> {
    let shown = ShownSlot::of(&app, visible(scope.object)?).await?;
    let mut shown = [shown];
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let [shown] = shown;
    Ok(Json(shown.body(scope.user.id())))
}

/// Change a slot.
///
/// For officers. Fields that are not sent stay as they are. If its time or its place changes,
/// everybody who has booked it gets a mail.
#[utoipa::path(
    patch, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/", tag = "interviews",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path)),
    request_body = SlotInput, responses((status = 200, body = SlotBody))
)]
pub async fn update_slot(
    app: Context,
    scope: Officer<RecruitmentWrite, Application, Slot>,
    Input(input): Input<SlotInput>,
) -> Result<Json<SlotBody>> {
    let mut shown = [ShownSlot::of(&app, visible(scope.object)?).await?];
    release_bookings(&app, (&scope.club, &scope.parent), &mut shown).await?;
    let [shown] = shown;
    let (application, slot) = (scope.parent.id, shown.slot.id);
    let read = async || match app.table.slot(application, slot).await? {
        Some(slot) if !slot.deleted => ShownSlot::of(&app, slot)
            .await
            .map(Some)
            .map_err(|_| TableError::Busy("the slot could not be read".into())),
        _ => Ok(None),
    };
    let body = |shown: &ShownSlot| shown.body(scope.user.id());
    let saved = shared::web::edit(&app, &scope.if_match, shown, body, read, |old| {
        change(&app, (&scope.club, &scope.parent), old, input.clone())
    });
    let saved = saved.await?;
    Ok(Json(body(&saved)))
}
