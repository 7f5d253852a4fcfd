//! `/clubs/{club}/members/import/`

use std::time::Duration;

use futures::stream::{self, StreamExt};
use serde::Deserialize;
use shared::db::{PARALLEL, Refusal, Table, TableError};
use shared::domain::{
    Additions, Mail, Membership, MembershipRequest, NewMembership, Personal, Role,
};
use shared::reason::Reason;
use shared::text::kinds::{Address, Line};
use shared::web::scopes::MembersWrite;
use shared::web::{ApiError, ImportBody, ImportRows, NewId, Officer, Params, Result};
use shared::{Context, mail};
use utoipa::ToSchema;

use crate::import_people::{RequestedMember, read};
use crate::import_plan::{Addition, plan};
use crate::invitations::{Addressee, invite_addressees};
use crate::members::{named_adder, owned_limit, owns_too_many, too_many_added};

/// A person to be a member. `email` or `username` tells who.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MemberRow {
    /// Address of the person. Unknown addresses are invited.
    #[schema(value_type = Option<Address>)]
    #[expect(dead_code, reason = "rows are read by the names of their columns")]
    email: Option<String>,
    /// User name of the person.
    #[schema(value_type = Option<Line>)]
    #[expect(dead_code, reason = "rows are read by the names of their columns")]
    username: Option<String>,
    /// 0 owner, 10 officer, 20 member. A new member without one has 20; of a present member it
    /// stays as it is.
    #[expect(dead_code, reason = "rows are read by the names of their columns")]
    role: Option<Role>,
    /// One line. Of a present member it stays as it is if it is empty.
    #[schema(value_type = Option<Line>)]
    #[expect(dead_code, reason = "rows are read by the names of their columns")]
    title: Option<String>,
}

const COLUMNS: [&str; 4] = ["email", "username", "role", "title"];
/// No transaction begins after this time in a request, so that the function answers in time.
const IMPORT_WITHIN: Duration = Duration::from_secs(7);

/// Import members.
///
/// For officers. Rows as CSV with a header line, or as a JSON array, at most 1,000. People who are
/// known become members, and get a mail; unknown addresses are invited. Of present members the
/// title changes, and the role if it is below that of the caller; owners are never changed. Rows
/// with errors are left out. Sending the same file again changes nothing more.
#[utoipa::path(
    post, path = "/api/clubs/{club}/members/import/", tag = "members",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(
        ("club" = String, Path),
        ("dry_run" = Option<bool>, Query, description = "Only tells what would happen"),
        ("planned" = Option<u32>, Query,
            description = "How many people earlier parts of a check would add or invite: they count \
                for the limit of a day")
    ),
    request_body(content((Vec<MemberRow> = "application/json"), (String = "text/csv"))),
    responses((status = 200, body = ImportBody))
)]
pub async fn import_members(
    app: Context,
    params: Params,
    scope: Officer<MembersWrite>,
    new: NewId,
    rows: ImportRows,
) -> Result<ImportBody> {
    params.only(&["dry_run", "planned"])?;
    let planned = params.number("planned", 0, u32::MAX.into())?;
    let planned = usize::try_from(planned.unwrap_or(0)).unwrap_or(usize::MAX);
    let (rows, ignored) = rows.of_roster(&COLUMNS)?;
    let mut body = ImportBody {
        dry_run: params.flag("dry_run")?.unwrap_or(false),
        ignored_columns: ignored,
        ..ImportBody::default()
    };
    let requested: Vec<RequestedMember> = rows
        .iter()
        .filter_map(|row| read(&scope, row, &mut body))
        .collect();
    let planned = if body.dry_run { planned } else { 0 };
    let plan = plan(&app, &scope, requested, (new.0, planned), &mut body).await?;
    if body.dry_run {
        body.created = plan.add.len();
        body.updated = plan.change.len();
        body.invited = plan.invite.len();
    } else {
        Box::pin(add(&app, &scope, plan.add, new.0, &mut body)).await?;
        change(&app, &scope, plan.change, &mut body).await?;
        Box::pin(invite(&app, &scope, plan.invite, new, &mut body)).await?;
    }
    Ok(body)
}

async fn add(
    app: &Context,
    scope: &Officer<MembersWrite>,
    all: Vec<Addition>,
    creation: u64,
    body: &mut ImportBody,
) -> Result<()> {
    let by = named_adder(scope).await?;
    for (n, chunk) in all.chunks(Table::ADDED).enumerate() {
        // Something is done also if it took long to find the people.
        if n > 0 && app.table.request_age() > IMPORT_WITHIN {
            for addition in chunk {
                body.error(addition.row, addition.named_by, Reason::NoTimeLeft);
            }
            continue;
        }
        match add_chunk(app, scope, chunk, by, creation).await {
            Ok(()) => body.created += chunk.len(),
            // Those before are members, so the answer tells of them (H35).
            Err(TableError::Refused(Refusal::Authority)) if body.created > 0 => {
                for addition in chunk {
                    body.error(addition.row, addition.named_by, Reason::NoOfficer);
                }
            }
            Err(TableError::Refused(Refusal::Authority)) => return Err(ApiError::Forbidden),
            // One of them cannot be added. The others can.
            Err(TableError::Refused(_)) => {
                for addition in chunk {
                    let one = std::slice::from_ref(addition);
                    match add_chunk(app, scope, one, by, creation).await {
                        Ok(()) => body.created += 1,
                        Err(TableError::Refused(refusal)) => refused(app, addition, refusal, body)?,
                        Err(error) => return Err(error.after_write().into()),
                    }
                }
            }
            Err(error) if body.created > 0 => return Err(error.after_write().into()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Tells why somebody could not be added.
fn refused(
    app: &Context,
    addition: &Addition,
    refusal: Refusal,
    body: &mut ImportBody,
) -> Result<()> {
    let (row, named_by) = (addition.row, addition.named_by);
    match refusal {
        Refusal::AlreadyMember => body.skipped += 1,
        Refusal::Daily => body.error(row, named_by, too_many_added()),
        Refusal::Erased => body.error(row, named_by, Reason::UnknownPerson),
        Refusal::Quota => body.error(row, "role", owns_too_many(app)),
        Refusal::Authority if body.created > 0 => body.error(row, named_by, Reason::NoOfficer),
        Refusal::Authority => return Err(ApiError::Forbidden),
        _ => body.error(row, named_by, Reason::Changed),
    }
    Ok(())
}

async fn add_chunk(
    app: &Context,
    scope: &Officer<MembersWrite>,
    chunk: &[Addition],
    by: Option<&Personal>,
    creation: u64,
) -> Result<(), TableError> {
    let (club, code) = (&scope.club, &scope.club.code);
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let people = chunk.iter().map(|addition| addition.membership.person);
        let (requests, log) = futures::try_join!(
            app.table.requests_among(code, people),
            app.table.invitation_log(code)
        )?;
        let request = |addition: &Addition| -> Option<&MembershipRequest> {
            let person = addition.membership.person;
            requests.iter().find(|request| request.person == person)
        };
        let (now, site) = (app.now(), app.settings.addresses.site_url.as_str());
        let mailed: Vec<Option<Mail>> = chunk
            .iter()
            .map(|addition| {
                let asked = request(addition).is_some();
                let member = &addition.membership;
                let id = member.id.to_string();
                (addition.is_mailed && log.wait_for_resend(&id, now) == 0)
                    .then(|| mail::joined((club, site), by, member, asked, creation))
            })
            .collect();
        // Who asked does not count.
        let ids: Vec<String> = chunk
            .iter()
            .filter(|addition| request(addition).is_none())
            .map(|addition| addition.membership.id.to_string())
            .collect();
        if ids.len() > log.allowed(now) {
            // Others of the club have added or invited people at the same moment.
            return Err(TableError::Refused(Refusal::Daily));
        }
        let sent = log.with(code, ids.iter().map(String::as_str), app.next_id(), now);
        let new: Vec<NewMembership<'_>> = chunk
            .iter()
            .zip(&mailed)
            .map(|(addition, mail)| NewMembership {
                membership: &addition.membership,
                request: request(addition),
                mail: mail.as_ref(),
            })
            .collect();
        let additions = Additions {
            by: scope.authority(),
            log: (!ids.is_empty()).then_some((&log, &sent)),
            limit: owned_limit(app, scope.user.is_admin()),
        };
        match app.table.add_members(&new, additions).await {
            Err(TableError::Refused(Refusal::Changed)) => {}
            done => return done,
        }
    }
}

async fn change(
    app: &Context,
    scope: &Officer<MembersWrite>,
    all: Vec<(usize, Membership, Membership)>,
    body: &mut ImportBody,
) -> Result<()> {
    let limit = owned_limit(app, scope.user.is_admin());
    let done = stream::iter(all).map(async |(row, old, new)| {
        if app.table.request_age() > IMPORT_WITHIN {
            return (row, None);
        }
        // Who changes their own row needs no check of their own role, which would be a second
        // operation on the same item.
        let by = scope.authority().filter(|by| by.id != old.id);
        let update = app.table.update_member(&old, &new, by, limit);
        (row, Some(update.await))
    });
    let done: Vec<_> = done.buffered(PARALLEL / 4).collect().await;
    let is_stored = |done: &Option<Result<(), TableError>>| matches!(done, Some(Ok(())));
    let is_begun = body.created > 0 || done.iter().any(|(_, done)| is_stored(done));
    for (row, done) in done {
        match done {
            None => body.error(row, "title", Reason::NoTimeLeft),
            Some(Ok(())) => body.updated += 1,
            Some(Err(TableError::Refused(Refusal::Authority))) if !is_begun => {
                return Err(ApiError::Forbidden);
            }
            Some(Err(TableError::Refused(Refusal::Authority))) => {
                body.error(row, "title", Reason::NoOfficer);
            }
            Some(Err(TableError::Refused(Refusal::Quota))) => {
                body.error(row, "role", owns_too_many(app));
            }
            Some(Err(TableError::Refused(_))) => body.error(row, "title", Reason::Changed),
            Some(Err(error)) => return Err(error.after_write().into()),
        }
    }
    Ok(())
}

async fn invite(
    app: &Context,
    scope: &Officer<MembersWrite>,
    all: Vec<(usize, Addressee)>,
    new: NewId,
    body: &mut ImportBody,
) -> Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let (rows, addressees): (Vec<usize>, Vec<Addressee>) = all.into_iter().unzip();
    let is_begun = body.created + body.updated > 0;
    let done = if is_begun && app.table.request_age() > IMPORT_WITHIN {
        vec![]
    } else {
        match invite_addressees(app, scope, new, &addressees).await {
            Ok(done) => done.invited,
            // 429 would mean that nothing was stored (X12).
            Err(
                ApiError::RateLimited(..)
                | ApiError::Busy
                | ApiError::Changed
                | ApiError::Forbidden,
            ) if is_begun => vec![],
            Err(error) => return Err(error),
        }
    };
    for (row, addressee) in rows.into_iter().zip(&addressees) {
        if done.iter().any(|invite| invite.email == addressee.email) {
            body.invited += 1;
        } else {
            body.error(row, "email", Reason::NotInvited);
        }
    }
    Ok(())
}
