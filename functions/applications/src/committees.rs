//! Committees that are removed from an application.

use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{Application, Committee};
use shared::ids::{Id, of};
use shared::web::{ApiError, Result};
use shared::{Context, limits};

/// Waits until submissions that began before the change are stored (X14). A submission writes no
/// item that the application shares, so no condition can detect them. A submission that takes
/// longer than half of this wait reads the application again (X15).
pub(crate) async fn wait_for_running_submissions(app: &Context, application: &Application) {
    let now = app.now();
    let changed_recently = now < application.updated_at.plus(TimeDelta::minutes(1));
    if changed_recently || (application.is_active && application.start <= now) {
        tokio::time::sleep(limits::DELETION_GRACE).await;
    }
}

/// Removes committees without submissions and slots, and changes nothing else, because the other
/// changes may still be refused. Returns `None` if a committee has a submission or a slot; then no
/// committee is removed (A6). Returns `Refused` if the stored version is not that of `old`.
pub(crate) async fn remove_committees(
    app: &Context,
    old: &Application,
    removed: &[Committee],
) -> Result<std::result::Result<Option<Application>, TableError>> {
    let is_used = async || {
        let (mut used, slots) = futures::try_join!(
            app.table.committees_in_use(old.id),
            app.table.all_slots(old.id)
        )?;
        used.extend(slots.into_iter().filter_map(|slot| slot.committee));
        let is_removed = |id: &Id<of::Committee>| removed.iter().any(|lost| lost.id == *id);
        Ok::<_, TableError>(used.iter().any(is_removed))
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
    app: &Context,
    old: &Application,
    removed: &[Committee],
) -> Result<Option<Application>> {
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let mut current = app
            .table
            .application(&old.club, old.id)
            .await?
            .ok_or(ApiError::NotFound)?;
        let read_version = current.version;
        let missing: Vec<Committee> = removed
            .iter()
            .filter(|lost| current.committee(lost.id).is_none())
            .cloned()
            .collect();
        current.committees.extend(missing);
        current.version += 1;
        let restored = app
            .table
            .update_application(&current, read_version, None, None);
        match restored.await {
            Err(TableError::Refused(_)) => {}
            done => return Ok(done.map(|()| None)?),
        }
    }
}
