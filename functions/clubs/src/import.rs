//! `/clubs/import/`

use std::collections::HashMap;
use std::time::Duration;

use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, InvitationLog, Membership, Role};
use shared::mail::joined;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::web::{Admin, ApiError, ImportBody, ImportRows, Mode, NewId, Params, Result};

use crate::body::TagsAndBadges;
use crate::import_owner::{add_owner, invite_owner};
use crate::import_rows::{COLUMNS, ClubRow, RequestedClub, RequestedOwner, empty, read_rows};

/// No row is begun after this time in a request, so that the function answers in time.
const IMPORT_WITHIN: Duration = Duration::from_secs(18);

/// What happened to a row, or would happen.
#[derive(Default)]
struct Outcome {
    is_created: bool,
    is_updated: bool,
    is_invited: bool,
}

/// Import clubs.
///
/// For admins. Rows as CSV with a header line, or as a JSON array, at most 1,000. A club is found
/// by its code, or by the code that its name gives; it is created if it is not there. New clubs are
/// approved. Rows with errors are left out. Sending the same file again changes nothing more.
#[utoipa::path(
    post, path = "/api/clubs/import/", tag = "clubs", security(("bearer" = [])),
    params(("dry_run" = Option<bool>, Query, description = "Only tells what would happen")),
    request_body(content((Vec<ClubRow> = "application/json"), (String = "text/csv"))),
    responses((status = 200, body = ImportBody))
)]
pub async fn import_clubs(
    app: Context,
    params: Params,
    _: Admin,
    NewId(creation): NewId,
    rows: ImportRows,
) -> Result<ImportBody> {
    params.only(&["dry_run"])?;
    let rows = rows.with_columns(&COLUMNS)?;
    let mut body = ImportBody {
        dry_run: params.flag("dry_run")?.unwrap_or(false),
        ..ImportBody::default()
    };
    let versions = app.table.versions().await?;
    let labels = TagsAndBadges::at(&app, &versions).await?;
    let requested = read_rows(&app, &rows, &labels, &mut body).await?;
    let codes: Vec<ClubCode> = requested
        .iter()
        .map(|requested| requested.code.clone())
        .collect();
    let mut clubs: HashMap<ClubCode, Club> = app.table.clubs(&codes).await?;
    for requested in requested {
        if app.table.request_age() > IMPORT_WITHIN {
            let why = Reason::NoTimeLeft;
            body.error(requested.row, "code", why);
            continue;
        }
        let club = clubs.remove(&requested.code);
        let done = import(&app, &requested, club, &labels, creation, body.dry_run);
        match Box::pin(done).await {
            Ok(Ok(outcome)) => {
                body.created += usize::from(outcome.is_created);
                body.updated += usize::from(outcome.is_updated);
                body.invited += usize::from(outcome.is_invited);
                let is_same = !outcome.is_created && !outcome.is_updated && !outcome.is_invited;
                body.skipped += usize::from(is_same);
            }
            Ok(Err(wrong)) => {
                for (field, reason) in wrong {
                    body.error(requested.row, &field, reason);
                }
            }
            Err(error) if body.created + body.updated + body.invited > 0 => {
                return Err(error.after_write());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(body)
}

type RowResult = std::result::Result<Outcome, Vec<(String, Reason)>>;

fn wrong(field: &str, reason: Reason) -> RowResult {
    Err(vec![(field.to_owned(), reason)])
}

/// Creates or changes one club, and adds or invites its owner.
async fn import(
    app: &Context,
    requested: &RequestedClub,
    club: Option<Club>,
    labels: &TagsAndBadges,
    creation: u64,
    dry_run: bool,
) -> Result<RowResult> {
    let now = app.now();
    if club.as_ref().is_some_and(|club| club.archived) {
        return Ok(wrong("code", Reason::CodeOfDeletedClub));
    }
    let is_new = club.is_none();
    // Lists hold only the beginning of a long description.
    let mut whole = club.clone();
    if club.as_ref().is_some_and(|club| club.profile.has_more) {
        whole = app.table.club_page(&requested.code, None).await?.club;
    }
    let mut new = whole
        .clone()
        .unwrap_or_else(|| empty(&requested.code, creation, now));
    let mode = if is_new { Mode::Create } else { Mode::Update };
    match requested.input.clone().apply(mode, &mut new, labels, false) {
        Err(ApiError::Invalid(_, errors)) => return Ok(Err(errors.into_reasons().collect())),
        done => done?,
    }
    let mut outcome = Outcome::default();
    // A row whose owner cannot be added or invited is left out as a whole.
    let mut owner_found = None;
    match &requested.owner {
        Some(RequestedOwner::Present(id)) => {
            owner_found = app.table.person(*id).await?.filter(|one| !one.erasing);
            if owner_found.is_none() {
                return Ok(wrong("owner", Reason::UnknownPerson));
            }
        }
        Some(RequestedOwner::Stranger(email)) => {
            if let Err(why) = Box::pin(invite_owner(app, &new, email, true)).await? {
                return Ok(wrong("owner", why));
            }
        }
        None => {}
    }
    if is_new {
        outcome.is_created = true;
        let owner = owner_found
            .as_ref()
            .map(|person| Membership::new(&new.code, person, Role::Owner, creation, now));
        new.without_owner = owner.is_none();
        if owner.is_some() {
            (new.members, new.owners) = (1, 1);
        }
        if !dry_run && let Err((field, why)) = create(app, &new, owner.as_ref(), creation).await? {
            return Ok(wrong(field, why));
        }
    } else if whole.as_ref().is_some_and(|old| old.profile != new.profile) {
        outcome.is_updated = true;
        if let Some(old) = whole.as_ref().filter(|_| !dry_run) {
            new.version += 1;
            match app.table.update_club(old, &new, None, app.now()).await {
                Ok(()) => {}
                Err(TableError::Refused(_)) => {
                    let why = Reason::Changed;
                    return Ok(wrong("code", why));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    match (&requested.owner, owner_found) {
        (Some(RequestedOwner::Present(_)), Some(person)) if !is_new => {
            let added = Box::pin(add_owner(app, &new, &person, creation, dry_run)).await;
            match added.map_err(ApiError::after_write)? {
                Ok(is_updated) => outcome.is_updated |= is_updated,
                Err(why) => return Ok(wrong("owner", why)),
            }
        }
        (Some(RequestedOwner::Stranger(email)), _) => {
            let invited = Box::pin(invite_owner(app, &new, email, dry_run)).await;
            match invited.map_err(ApiError::after_write)? {
                Ok(is_invited) => outcome.is_invited = is_invited,
                Err(why) => return Ok(wrong("owner", why)),
            }
        }
        _ => {}
    }
    Ok(Ok(outcome))
}

/// Stores a new club with its owner, who gets a mail. Returns why it cannot be stored.
async fn create(
    app: &Context,
    club: &Club,
    owner: Option<&Membership>,
    creation: u64,
) -> Result<Result<(), (&'static str, Reason)>> {
    let site = app.settings.addresses.site_url.as_str();
    let mail = owner
        .filter(|owner| !owner.personal.email.is_empty())
        .map(|owner| joined((club, site), None, owner, false, creation));
    let key = owner.map(|owner| owner.id.to_string());
    let log = InvitationLog::default().with(
        &club.code,
        key.as_deref().into_iter(),
        app.next_id(),
        app.now(),
    );
    let mail = mail.as_ref().map(|mail| (mail, &log));
    Ok(match app.table.import_club(club, owner, mail).await {
        Ok(()) => Ok(()),
        Err(TableError::Refused(Refusal::Exists)) => Err(("code", Reason::Changed)),
        Err(TableError::Refused(Refusal::Erased)) => Err(("owner", Reason::UnknownPerson)),
        Err(TableError::Refused(_)) => Err(("tags", Reason::TagDeleted)),
        Err(error) => return Err(error.into()),
    })
}
