//! `/clubs/{club}/events/{event}/showings/{showing}/checkins/`, `…/{ticket}/`: the door

use axum::Json;
use chrono::TimeDelta;
use serde::Serialize;
use shared::Context;
use shared::domain::{Conflict, Ticket, TicketId, TicketState};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{Line, ReceiptText};
use shared::time::Timestamp;
use shared::web::scopes::EventsWrite;
use shared::web::{ApiError, Input, Mode, NoContent, NoInput, Officer, PathIds, Reader, Result};
use utoipa::ToSchema;

use crate::code::Code;
use crate::officers::SaleOfPath;

shared::input! {
    /// Somebody at the door: a code or a ticket.
    pub struct CheckInInput {
        /// The text of the code.
        code: Option<ReceiptText>, Free;
        /// Id of the ticket.
        ticket: Option<Line>, Free;
        /// When it was scanned, at most 24 hours ago. Missing: now.
        at: Option<Timestamp>, Free;
    }
}

/// Somebody was let in.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckInBody {
    /// Id of the ticket.
    #[schema(value_type = String)]
    ticket: TicketId,
    /// Who has it. Null if they were erased.
    holder: Option<DoorHolder>,
    /// Id of the type.
    #[serde(rename = "type")]
    #[schema(value_type = u64)]
    ticket_type: Id<of::TicketType>,
    /// When its holder was let in first. Null if that was taken back after the scan.
    checked_in_at: Option<Timestamp>,
    /// Whether it was scanned before. The same scan sent again does not count.
    again: bool,
    /// What happened to the ticket after the scan. Missing if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<Conflict>,
}

/// Who has a ticket, as the door sees them.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoorHolder {
    /// Name.
    name: String,
    /// User name.
    username: String,
}

/// How old a scan may be.
const OLDEST: TimeDelta = TimeDelta::hours(24);
/// How far a clock may be ahead.
const AHEAD: TimeDelta = TimeDelta::minutes(5);

fn unusable() -> ApiError {
    ApiError::rule(Reason::TicketUnusable).coded(shared::web::Code::TicketUnusable)
}

/// Let somebody in.
///
/// For officers. The earliest scan counts. If the code was valid when it was scanned, and the
/// ticket was cancelled or handed over since, `conflict` says so.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/showings/{showing}/checkins/", tag = "tickets",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    request_body = CheckInInput, responses((status = 200, body = CheckInBody))
)]
pub async fn check_in(
    app: Context,
    scope: Officer<EventsWrite, (), SaleOfPath>,
    Input(input): Input<CheckInInput>,
) -> Result<Json<CheckInBody>> {
    let (sale, now) = (&scope.object.0, app.now());
    let mut reader = Reader::new(Mode::Create);
    let code = reader.get(input.code).flatten();
    let ticket = reader.get(input.ticket).flatten();
    let at = reader.get(input.at).flatten().unwrap_or(now);
    if at < now.plus(-OLDEST) || at > now.plus(AHEAD) {
        reader.errors.add("at", Reason::ScanTime);
    }
    reader.finish()?;
    if code.is_some() == ticket.is_some() {
        return Err(ApiError::rule(Reason::CodeOrTicket));
    }
    let (id, version) = match (code, ticket) {
        (Some(code), _) => {
            let keys = app.receipts().map(shared::receipts::Receipts::public_keys);
            let read = keys.and_then(|keys| Code::read(&code, keys));
            let read = read
                .filter(|code| code.showing == sale.showing.id)
                .ok_or_else(unusable)?;
            (read.ticket, Some(read.version))
        }
        (_, ticket) => {
            let id = ticket
                .unwrap_or_default()
                .parse()
                .map_err(|()| unusable())?;
            (id, None)
        }
    };
    if sale.cancelled {
        return Err(unusable());
    }
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let (is_new, ticket) = app
            .table
            .check_in((sale.showing.id, id), version, at)
            .await?;
        let ticket = ticket.ok_or_else(unusable)?;
        if is_new {
            return respond(&app, &ticket, Some(at), false, None).await;
        }
        let conflict = conflict(&ticket, version, at)?;
        if ticket.checked_out_at.is_some_and(|out| at <= out) {
            return respond(&app, &ticket, ticket.checked_in_at, false, conflict).await;
        }
        let earliest = ticket.checked_in_at.map_or(at, |first| first.min(at));
        if Some(earliest) != ticket.checked_in_at
            && !app
                .table
                .set_checked_in(&ticket, Some(earliest), None)
                .await?
        {
            continue;
        }
        let again = ticket.checked_in_at.is_some_and(|first| first != at);
        return respond(&app, &ticket, Some(earliest), again, conflict).await;
    }
}

/// Returns what happened to a ticket after a scan. It is 400 if it was not valid then.
fn conflict(ticket: &Ticket, version: Option<u16>, at: Timestamp) -> Result<Option<Conflict>> {
    let version = version.unwrap_or(ticket.code);
    if ticket.state == TicketState::Valid && version == ticket.code {
        return Ok(None);
    }
    let ended = ticket
        .ended
        .iter()
        .find(|one| one.code == version && at < one.at);
    ended.map(|one| Some(one.why)).ok_or_else(unusable)
}

async fn respond(
    app: &Context,
    ticket: &Ticket,
    checked_in_at: Option<Timestamp>,
    again: bool,
    conflict: Option<Conflict>,
) -> Result<Json<CheckInBody>> {
    let person = match ticket.person {
        Some(person) => app.table.person(person).await?,
        None => None,
    };
    Ok(Json(CheckInBody {
        ticket: ticket.id,
        holder: person.map(|person| DoorHolder {
            name: person.personal.name,
            username: person.personal.username,
        }),
        ticket_type: ticket.ticket_type,
        checked_in_at,
        again,
        conflict,
    }))
}

/// Take back that somebody was let in.
///
/// For officers. Scans up to now do not count any more.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/events/{event}/showings/{showing}/checkins/{ticket}/",
    tag = "tickets", security(("bearer" = []), ("token" = ["events:write"])),
    params(
        ("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path),
        ("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")
    ),
    responses((status = 204))
)]
pub async fn take_back_checkin(
    app: Context,
    scope: Officer<EventsWrite, (), SaleOfPath>,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let showing = scope.object.0.showing.id;
    let id: TicketId = path
        .text("ticket")
        .parse()
        .map_err(|()| ApiError::NotFound)?;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let ticket = app
            .table
            .ticket(showing, id)
            .await?
            .ok_or(ApiError::NotFound)?;
        // Also if nobody is in yet: the scan may be on its way.
        let now = app.now();
        if app.table.set_checked_in(&ticket, None, Some(now)).await? {
            return Ok(NoContent);
        }
    }
}
