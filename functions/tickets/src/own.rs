//! `/tickets/`, `/tickets/{ticket}/`, `…/qr/`, `…/transfer/`: the tickets of the caller

use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{
    Beside, Conflict, EndedCode, Sale, Ticket, TicketChange, TicketNews, TicketOrders, TicketState,
};
use shared::ids::{Id, of};
use shared::mail::tickets;
use shared::openapi::fields::SliceCount;
use shared::reason::Reason;
use shared::text::kinds::Line;
use shared::tickets::{OpenSale, mail_number, mails};
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Input, Mode, NoContent, NoInput, PathIds, Reader, Result, Slice, User,
};
use shared::{Context, limits};

use crate::body::{OwnTicket, TicketBody, own_bodies};
use crate::code::code_of;
use crate::order::{draw_of, is_drawing, shown_tickets};

/// The position in the list of own tickets: whether it is over, seconds from now, and the id.
type Position = (bool, i64, String);

fn position(ticket: &Ticket, sale: &Sale, now: Timestamp) -> Position {
    let is_past = sale.showing.end < now;
    let start = sale.showing.start.epoch_seconds();
    let order = if is_past { -start } else { start };
    (is_past, order, ticket.id.to_string())
}

/// List the tickets of the caller.
///
/// For every signed-in user. What is to come first, the soonest first; then what is over, the
/// latest first.
#[utoipa::path(
    get, path = "/api/tickets/", tag = "own tickets", security(("bearer" = [])),
    params(
        ("limit" = Option<SliceCount>, Query, description = "Largest number of tickets"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = Vec<TicketBody>))
)]
pub async fn list_tickets(app: Context, user: User, slice: Slice) -> Result<Response> {
    let orders = app.table.ticket_orders(user.id()).await?;
    let sales = orders.iter().map(|one| (one.event, one.showing)).collect();
    let ids = orders
        .iter()
        .flat_map(|one| one.tickets.iter().map(|id| (one.showing, *id)));
    let (sales, mut own) = futures::try_join!(
        app.table.sales(sales),
        app.table.tickets(ids.collect::<Vec<_>>())
    )?;
    let (now, after) = (app.now(), slice.after::<Position>()?);
    own.retain(|ticket| ticket.person == Some(user.id()));
    let sale = |ticket: &Ticket| sales.iter().find(|sale| sale.showing.id == ticket.showing);
    let placed = own
        .into_iter()
        .filter_map(|one| Some((position(&one, sale(&one)?, now), one)));
    let mut all: Vec<(Position, Ticket)> = placed.collect();
    all.retain(|(position, _)| after.as_ref().is_none_or(|after| position > after));
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    let next = slice.cut(&mut all, |(position, _)| position.clone());
    let own: Vec<Ticket> = all.into_iter().map(|(_, ticket)| ticket).collect();
    let bodies = own_bodies(&app, &own, &sales).await?;
    Ok(shared::web::with_next(Json(bodies), next))
}

async fn own(app: &Context, user: &User, path: &PathIds) -> Result<OwnTicket> {
    let found = OwnTicket::find(app, user.id(), path.text("ticket")).await?;
    found.ok_or(ApiError::NotFound)
}

/// Get a ticket of the caller.
///
/// For its holder.
#[utoipa::path(
    get, path = "/api/tickets/{ticket}/", tag = "own tickets", security(("bearer" = [])),
    params(("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")),
    responses((status = 200, body = TicketBody))
)]
pub async fn show_ticket(app: Context, user: User, path: PathIds) -> Result<Json<TicketBody>> {
    let found = own(&app, &user, &path).await?;
    Ok(Json(found.body(&app, true).await?))
}

/// Get the QR code of a ticket.
///
/// For its holder, while it is valid: an SVG image of `code`.
#[utoipa::path(
    get, path = "/api/tickets/{ticket}/qr/", tag = "own tickets", security(("bearer" = [])),
    params(("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")),
    responses((status = 200, body = String, content_type = "image/svg+xml"))
)]
pub async fn show_ticket_code(app: Context, user: User, path: PathIds) -> Result<Response> {
    let found = own(&app, &user, &path).await?;
    let is_off = found.sale.cancelled || found.club.archived;
    let is_valid = found.ticket.state == TicketState::Valid && !is_off;
    let signer = app
        .receipts()
        .filter(|_| is_valid)
        .ok_or(ApiError::NotFound)?;
    let code = shared::qr::svg(&code_of(&found.ticket, signer));
    let code = code.ok_or_else(|| ApiError::Internal("a long code".to_owned()))?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], code).into_response())
}

fn closed() -> ApiError {
    ApiError::rule(Reason::TicketsClosed).coded(Code::TicketsClosed)
}

/// Give a ticket back.
///
/// For its holder, until the showing begins and unless they were let in. Who waits first gets it.
/// Giving back what ended is 204, too.
#[utoipa::path(
    delete, path = "/api/tickets/{ticket}/", tag = "own tickets", security(("bearer" = [])),
    params(("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")),
    responses((status = 204))
)]
pub async fn return_ticket(
    app: Context,
    user: User,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let OwnTicket { ticket, sale, club } = own(&app, &user, &path).await?;
        if !ticket.counts() || sale.cancelled {
            return Ok(NoContent);
        }
        if sale.is_over(app.now()) || ticket.checked_in_at.is_some() {
            return Err(closed());
        }
        let draw = draw_of(&app, &sale).await?;
        if ticket.entry.is_some() && is_drawing(&sale, draw.as_ref(), app.clock.now()) {
            return Err(ApiError::rule(Reason::Drawing).coded(Code::Drawing));
        }
        let open_sale = OpenSale {
            table: &app.table,
            sale: &sale,
            club: &club,
            now: app.now(),
        };
        match open_sale.end(&ticket, false).await {
            Err(TableError::Refused(_)) => continue,
            done => done?,
        };
        open_sale.settle_later(limits::MOVED_UP).await;
        return Ok(NoContent);
    }
}

shared::input! {
    /// Who gets a ticket.
    pub struct TransferInput {
        /// User name of a person.
        username: Line, Required;
    }
}

/// Hand a ticket over to somebody else.
///
/// For its holder, while it is valid and the showing has not begun: at most three times a ticket,
/// and 20 in 24 hours. It gets another code, and both are told. It counts for who ordered it, too.
#[utoipa::path(
    post, path = "/api/tickets/{ticket}/transfer/", tag = "own tickets", security(("bearer" = [])),
    params(("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")),
    request_body = TransferInput, responses((status = 200, body = TicketBody))
)]
pub async fn transfer_ticket(
    app: Context,
    user: User,
    path: PathIds,
    Input(input): Input<TransferInput>,
) -> Result<Json<TicketBody>> {
    let found = own(&app, &user, &path).await?;
    let mut reader = Reader::new(Mode::Create);
    let username = reader.get(input.username).unwrap_or_default();
    reader.finish()?;
    let unknown = || ApiError::field("username", Reason::UnknownReceiver);
    let called = app.table.people_called(&username).await?;
    let to = called.first().map(|person| person.id);
    let to = to.filter(|to| *to != user.id()).ok_or_else(unknown)?;
    let mut found = found;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        match transfer(&app, &user, &found, to).await {
            Err(ApiError::Changed) => found = own(&app, &user, &path).await?,
            Ok(ticket) => {
                found.ticket = ticket;
                return Ok(Json(found.body(&app, false).await?));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Refuses a ticket that cannot be handed over now, or not so often (Y8).
fn check_transfer(found: &OwnTicket, handed: &[TicketOrders], now: Timestamp) -> Result<()> {
    let ticket = &found.ticket;
    let is_open = ticket.state == TicketState::Valid && ticket.checked_in_at.is_none();
    if !is_open || found.sale.is_over(now) {
        return Err(closed());
    }
    if ticket.code > limits::TRANSFERS_OF_A_TICKET {
        let limit = limits::TRANSFERS_OF_A_TICKET;
        return Err(ApiError::rule(Reason::TransferredOften { limit }).coded(Code::Quota));
    }
    let today = handed.iter().flat_map(|one| &one.transfers);
    let today: Vec<Timestamp> = today
        .map(|at| at.plus(DAY))
        .filter(|end| now < *end)
        .collect();
    match today.iter().min() {
        Some(first) if today.len() >= limits::TRANSFERS => {
            let wait = first.epoch_seconds() - now.epoch_seconds();
            let limit = limits::TRANSFERS;
            let why = Reason::TooManyTransfers { limit };
            Err(ApiError::RateLimited(why, wait.unsigned_abs()))
        }
        _ => Ok(()),
    }
}

/// A hand-over counts for so long.
const DAY: TimeDelta = TimeDelta::hours(24);

async fn transfer(
    app: &Context,
    user: &User,
    found: &OwnTicket,
    to: Id<of::Person>,
) -> Result<Ticket> {
    let OwnTicket { ticket, sale, club } = found;
    let now = app.now();
    let open_sale = OpenSale {
        table: &app.table,
        sale,
        club,
        now,
    };
    let (person, theirs, handed, may) = futures::try_join!(
        app.table.person(to),
        app.table.orders_of(to, sale.showing.id),
        app.table.ticket_orders(user.id()),
        open_sale.is_for(ticket.ticket_type, to)
    )?;
    check_transfer(found, &handed, now)?;
    let person = person.filter(|person| !person.erasing);
    let person = person.ok_or_else(|| ApiError::field("username", Reason::UnknownReceiver))?;
    if !may {
        return Err(ApiError::field("username", Reason::MembersOnly).coded(Code::AudienceOnly));
    }
    let ids = theirs.iter();
    let ids = ids.flat_map(|one| one.tickets.iter().map(|id| (one.showing, *id)));
    let mut have = app.table.tickets(ids.collect::<Vec<_>>()).await?;
    have.retain(|one| one.id != ticket.id);
    let count = have.iter().filter(|one| one.counts_for(to)).count();
    let limit = sale.showing.ticket_order_limit;
    if u32::try_from(count).unwrap_or(u32::MAX) >= limit {
        let why = Reason::TooManyTickets { limit };
        return Err(ApiError::field("username", why).coded(Code::Quota));
    }
    let mut after = Ticket {
        person: Some(to),
        version: ticket.version + 1,
        code: ticket.code + 1,
        ..ticket.clone()
    };
    after.ended.push(EndedCode {
        code: ticket.code,
        at: now,
        why: Conflict::TransferredSince,
    });
    let mut next = TicketOrders::after(theirs.as_ref(), to, &after);
    next.tickets.retain(|id| *id != ticket.id);
    next.tickets = shown_tickets(Some(&next), &have, std::slice::from_ref(&after));
    let old = handed.iter().find(|one| one.showing == ticket.showing);
    let mut own = TicketOrders::after(old, user.id(), &after);
    own.transfers.retain(|at| now < at.plus(DAY));
    own.transfers.push(now);
    let of = (club, sale);
    let listed = [&after];
    let number = mail_number(&after);
    let own_news = (TicketNews::TicketGiven, number);
    let others = mails([
        tickets(
            of,
            &person,
            &listed,
            (TicketNews::TicketReceived, number),
            now,
        ),
        tickets(of, user.person().await?, &listed, own_news, now),
    ])?;
    let change = TicketChange {
        before: Some(ticket),
        after: &after,
    };
    let beside = Beside {
        orders: vec![(theirs.as_ref(), next), (old, own)],
        others,
    };
    app.table.change_tickets(&[change], &[], beside).await?;
    Ok(after)
}
