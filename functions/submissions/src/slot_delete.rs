//! `/clubs/{club}/applications/{application}/slots/{slot}/` (DELETE)

use shared::Context;
use shared::bookings::release_all_bookings;
use shared::db::TableError;
use shared::domain::{Application, Club, Slot};
use shared::reason::Reason;
use shared::web::scopes::RecruitmentWrite;
use shared::web::{ApiError, Code, NoBody, NoContent, Officer, Params, ReceivedAt, Result};

use crate::release::release_bookings;
use crate::slot_body::ShownSlot;

/// How many deletions one request finishes.
const FINISHED_AT_ONCE: usize = 2;

/// Delete a slot.
///
/// For officers. A slot with bookings is 400, unless `force` is true: then its places are freed,
/// and everybody who has booked it gets a mail.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/applications/{application}/slots/{slot}/",
    tag = "interviews", security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(
        ("club" = String, Path), ("application" = u64, Path), ("slot" = u64, Path),
        ("force" = Option<bool>, Query, description = "Free the places of those who have booked it")
    ),
    responses((status = 204))
)]
pub async fn delete_slot(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    scope: Officer<RecruitmentWrite, Application, Slot>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let force = params.flag("force")?.unwrap_or(false);
    let (club, application, mut slot) = (scope.club, scope.parent, scope.object);
    if !slot.deleted && (scope.if_match.is_given() || !slot.seats.is_empty()) {
        let mut shown = [ShownSlot::of(&app, slot).await?];
        release_bookings(&app, (&club, &application), &mut shown).await?;
        let [shown] = shown;
        scope.if_match.check(|| shown.body(scope.user.id()))?;
        slot = shown.slot;
    }
    let mut retries = app.table.retries();
    // An earlier deletion may have ended before it was finished.
    while !slot.deleted {
        retries.next().await?;
        if !slot.seats.is_empty() && !force {
            let why = Reason::SlotBooked;
            return Err(ApiError::rule(why).coded(Code::InUse));
        }
        match app.table.set_slot_deleted(&slot).await {
            Ok(()) => slot.deleted = true,
            Err(TableError::Refused(_)) if scope.if_match.is_given() => {
                return Err(ApiError::PreconditionFailed);
            }
            Err(TableError::Refused(_)) => {
                let current = app.table.slot(application.id, slot.id).await?;
                slot = current.ok_or(ApiError::NotFound)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let received = app.ids.received(received);
    let removed = remove(&app, (&club, &application), slot, received).await;
    removed.map_err(ApiError::after_write)?;
    Ok(NoContent)
}

/// Removes slots whose deletion ended before it was finished: gives their places back, and tells
/// those who had booked them. What fails is tried again by the next request.
pub(crate) async fn finish(
    app: &Context,
    recruitment: (&Club, &Application),
    slots: Vec<Slot>,
    received: u64,
) {
    for slot in slots.into_iter().take(FINISHED_AT_ONCE) {
        let id = slot.id;
        if let Err(error) = remove(app, recruitment, slot, received).await {
            tracing::warn!(slot = %id, ?error, "the deletion of a slot could not be finished");
        }
    }
}

/// Gives the places of a slot that is being deleted back, and removes it. Safe to repeat.
async fn remove(
    app: &Context,
    recruitment: (&Club, &Application),
    slot: Slot,
    received: u64,
) -> Result<()> {
    let Some(slot) =
        release_all_bookings(&app.table, recruitment, slot, received, app.now()).await?
    else {
        return Ok(());
    };
    match app.table.remove_slot(&slot).await {
        Ok(()) | Err(TableError::Refused(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
