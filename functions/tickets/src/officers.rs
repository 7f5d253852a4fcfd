//! `/clubs/{club}/events/{event}/showings/{showing}/tickets/`, `…/{ticket}/`: the tickets of a
//! showing, for officers

use std::collections::{HashMap, HashSet};

use axum::Json;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use shared::db::{Refusal, TableError};
use shared::domain::{
    Beside, InvitationLog, Person, Sale, Ticket, TicketChange, TicketId, TicketNews, TicketOrders,
    TicketState, logged,
};
use shared::ids::{Id, of};
use shared::mail::tickets;
use shared::openapi::fields::SliceCount;
use shared::reason::Reason;
use shared::text::kinds::List;
use shared::text::{Word, searchable};
use shared::tickets::{OpenSale, mail_number, mails};
use shared::web::scopes::{EventsWrite, MembersRead};
use shared::web::{
    ApiError, ChangedNothing, Code, Created, ExportFile, ExportFormat, Input, Load, Mode, NewId,
    NoContent, NoInput, Officer, Params, PathIds, Reader, Reference, Result, Slice, User,
    accepts_csv, with_next,
};
use shared::{Context, limits};

use crate::body::{ShowingTicketBody, Shown, name_of};
use crate::order::{draw_of, is_drawing};

/// The types of the showing in the path. 404 if it has none.
#[derive(Debug)]
pub struct SaleOfPath(pub Sale);

impl Load for SaleOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>> {
        let Some((event, showing)) = path.id("event").zip(path.id("showing")) else {
            return Ok(None);
        };
        let sale = app.table.sale(event, showing).await?;
        let own = sale.filter(|sale| sale.club == *path.club() && !sale.types.is_empty());
        Ok(own.map(Self))
    }
}

/// Which tickets a list has.
struct Filter {
    state: Option<String>,
    ticket_type: Option<Id<of::TicketType>>,
    checked_in: Option<bool>,
    words: Vec<Word>,
}

impl Filter {
    fn read(params: &Params) -> Result<Self> {
        let states = ["valid", "waiting", "requested", "not_drawn", "cancelled"];
        let state = params.text("state").map(str::to_owned);
        if state
            .as_ref()
            .is_some_and(|state| !states.contains(&state.as_str()))
        {
            return Err(ApiError::field("state", Reason::not_one_of(states)));
        }
        Ok(Self {
            state,
            ticket_type: params.id("type")?,
            checked_in: params.flag("checked_in")?,
            words: params.search()?,
        })
    }

    fn takes(&self, ticket: &Ticket, state: TicketState) -> bool {
        self.state
            .as_ref()
            .is_none_or(|name| name == name_of(state))
            && self.ticket_type.is_none_or(|id| id == ticket.ticket_type)
            && self
                .checked_in
                .is_none_or(|one| one == ticket.checked_in_at.is_some())
    }

    fn names(&self, person: Option<&Person>) -> bool {
        let text = person.map_or_else(String::new, |person| {
            let personal = &person.personal;
            searchable(&format!(
                "{} {} {}",
                personal.name, personal.username, &*personal.email
            ))
        });
        self.words.iter().all(|word| word.is_in(&text))
    }
}

/// So many tickets are read at a time.
const CHUNK: usize = 200;

/// Returns the tickets that a filter takes, one more than the limit if there are so many, with the
/// people who have them.
async fn find(
    app: &Context,
    shown: &Shown<'_>,
    filter: &Filter,
    slice: &Slice,
) -> Result<(Vec<Ticket>, HashMap<Id<of::Person>, Person>)> {
    let showing = shown.sale.showing.id;
    let (mut found, mut people) = (Vec::new(), HashMap::new());
    let mut after: Option<TicketId> = slice.after()?;
    loop {
        let mut chunk = app.table.tickets_after(showing, after, CHUNK).await?;
        let is_last = chunk.len() < CHUNK;
        chunk.truncate(CHUNK);
        after = chunk.last().map(|ticket| ticket.id);
        chunk.retain(|ticket| filter.takes(ticket, shown.state(ticket)));
        people.extend(
            app.table
                .people(chunk.iter().filter_map(|one| one.person))
                .await?,
        );
        let person = |ticket: &Ticket| ticket.person.and_then(|id| people.get(&id));
        chunk.retain(|ticket| filter.names(person(ticket)));
        found.extend(chunk);
        if is_last || slice.limit().is_some_and(|limit| found.len() > limit) {
            return Ok((found, people));
        }
    }
}

/// List the tickets of a showing.
///
/// For officers, in the order in which they were ordered. The header `Accept: text/csv` returns CSV.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/showings/{showing}/tickets/", tag = "tickets",
    security(("bearer" = []), ("token" = ["members:read"])),
    params(
        ("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path),
        ("state" = Option<TicketState>, Query, description = "Only tickets in this state"),
        ("type" = Option<u64>, Query, description = "Only tickets of the type with this id"),
        ("checked_in" = Option<bool>, Query, description = "Only tickets whose holder was let in, \
            or was not"),
        ("search" = Option<String>, Query, description = "Every word must begin a word of the name, \
            user name or address of the holder"),
        ("limit" = Option<SliceCount>, Query, description = "Largest number of tickets"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, content(
        (Vec<ShowingTicketBody> = "application/json"),
        (String = "text/csv")
    )))
)]
pub async fn list_showing_tickets(
    app: Context,
    headers: HeaderMap,
    params: Params,
    scope: Officer<MembersRead, (), SaleOfPath>,
    slice: Slice,
) -> Result<Response> {
    let shown = Shown {
        sale: &scope.object.0,
        club: &scope.club.profile.name,
        is_archived: false,
        now: app.now(),
    };
    let filter = Filter::read(&params)?;
    let (mut found, people) = find(&app, &shown, &filter, &slice).await?;
    let next = slice.cut(&mut found, |ticket| ticket.id);
    let bodies: Vec<_> = found
        .iter()
        .map(|ticket| shown.of_showing(ticket, &people))
        .collect();
    if accepts_csv(&headers) {
        let columns = ShowingTicketBody::COLUMNS.map(str::to_owned);
        let mut file = ExportFile::new(&app, ExportFormat::csv(&params)?, &columns)?;
        for body in &bodies {
            file.row(body.row())?;
        }
        return file.response(&format!("tickets-{}", shown.sale.showing.id), next);
    }
    Ok(with_next(Json(bodies), next))
}

shared::input! {
    /// Who gets tickets.
    pub struct IssueInput {
        /// Ids of people, at most 100. Each gets one.
        people: List<Reference, { limits::ISSUED }, 1>, Required;
        /// Id of the type.
        ticket_type as "type": Reference, Required;
        /// Whether more than the capacity may be issued.
        over: bool, Free = false;
    }
}

/// Issue tickets.
///
/// For officers: one to each of at most 100 people, all or nothing, until the showing ends. Limits,
/// audience and times of the sale do not matter; the capacity does, unless `over` is true. A club
/// issues at most 300 tickets in 24 hours, together with the people that it invites and adds.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/showings/{showing}/tickets/", tag = "tickets",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    request_body = IssueInput, responses((status = 201, body = Vec<ShowingTicketBody>))
)]
pub async fn issue_tickets(
    app: Context,
    scope: Officer<EventsWrite, (), SaleOfPath>,
    NewId(id): NewId,
    Input(input): Input<IssueInput>,
) -> Result<Response> {
    let sale = &scope.object.0;
    let mut reader = Reader::new(Mode::Create);
    let people = reader.get(input.people).unwrap_or_default();
    let ticket_type: Option<Id<of::TicketType>> = reader.get(input.ticket_type).map(Reference::id);
    let over = reader.get(input.over).unwrap_or_default();
    if people.is_empty() && reader.errors.is_empty() {
        reader.errors.add("people", Reason::TooFew { minimum: 1 });
    }
    if people.len() > limits::ISSUED {
        reader.errors.add(
            "people",
            Reason::TooMany {
                limit: limits::ISSUED,
            },
        );
    }
    if ticket_type.is_some_and(|id| sale.ticket_type(id).is_none()) {
        reader.errors.add("type", Reason::unknown("ticket type"));
    }
    reader.finish()?;
    let mut seen = HashSet::new();
    let mut ids: Vec<Id<of::Person>> = people.into_iter().map(Reference::id).collect();
    ids.retain(|id| seen.insert(*id));
    let found = app.table.people(ids.iter().copied()).await?;
    let found: HashMap<_, _> = found
        .into_iter()
        .filter(|(_, person)| !person.erasing)
        .collect();
    if let Some(n) = ids.iter().position(|id| !found.contains_key(id)) {
        return Err(ApiError::field(
            format!("people.{n}"),
            Reason::UnknownPerson,
        ));
    }
    if sale.cancelled || sale.showing.end <= app.now() {
        return Err(ApiError::rule(Reason::TicketsClosed).coded(Code::TicketsClosed));
    }
    if is_drawing(sale, draw_of(&app, sale).await?.as_ref(), app.clock.now()) {
        return Err(ApiError::rule(Reason::Drawing).coded(Code::Drawing));
    }
    let issue = Issue {
        app: &app,
        scope: &scope,
        id,
        ticket_type: ticket_type.ok_or(ApiError::NotFound)?,
        people: ids.iter().filter_map(|id| found.get(id)).collect(),
        over,
    };
    let issued = issue.all().await?;
    let shown = Shown {
        sale,
        club: &scope.club.profile.name,
        is_archived: false,
        now: app.now(),
    };
    let bodies: Vec<_> = issued
        .iter()
        .map(|ticket| shown.of_showing(ticket, &found))
        .collect();
    let (event, showing) = (sale.event, sale.showing.id);
    let location = format!(
        "/api/clubs/{}/events/{event}/showings/{showing}/tickets/",
        sale.club
    );
    let created = Created {
        location,
        body: bodies,
    };
    let mut response = created.into_response();
    response.extensions_mut().insert(ChangedNothing);
    Ok(response)
}

/// So many people get tickets in one transaction: each has five writes, and a part that counts.
const AT_ONCE: usize = 16;

struct Issue<'a> {
    app: &'a Context,
    scope: &'a Officer<EventsWrite, (), SaleOfPath>,
    id: u64,
    ticket_type: Id<of::TicketType>,
    people: Vec<&'a Person>,
    over: bool,
}

impl Issue<'_> {
    /// Issues to all, some at a time; if others took what the rest needs, those before end again. A
    /// repeat goes on where an attempt was interrupted.
    async fn all(&self) -> Result<Vec<Ticket>> {
        let (app, sale) = (self.app, &self.scope.object.0);
        let showing = sale.showing.id;
        let all: Vec<(TicketId, &Person)> = (0..)
            .zip(&self.people)
            .map(|(n, person)| (TicketId::of_order(self.id, n), *person))
            .collect();
        let ids = all.iter().map(|(id, _)| (showing, *id));
        let mut issued = app.table.tickets(ids.collect::<Vec<_>>()).await?;
        let there: HashSet<TicketId> = issued.iter().map(|one| one.id).collect();
        let missing: Vec<_> = all
            .into_iter()
            .filter(|(id, _)| !there.contains(id))
            .collect();
        let mut rest = missing.len();
        for chunk in missing.chunks(AT_ONCE) {
            match self.some(chunk, rest).await {
                Ok(new) => issued.extend(new),
                Err(error) => {
                    self.undo(&issued).await?;
                    return Err(error);
                }
            }
            rest -= chunk.len();
        }
        issued.sort_by_key(|ticket| ticket.id);
        Ok(issued)
    }

    /// Issues tickets in one transaction. `rest` are those that are not issued yet, with these.
    async fn some(&self, chunk: &[(TicketId, &Person)], rest: usize) -> Result<Vec<Ticket>> {
        let (app, sale, club) = (self.app, &self.scope.object.0, &self.scope.club);
        let mut retries = app.table.retries();
        loop {
            retries.next().await?;
            let orders = chunk
                .iter()
                .map(|(_, one)| app.table.orders_of(one.id, sale.showing.id));
            let (counts, log, orders) = futures::try_join!(
                app.table.availability(sale, true),
                app.table.invitation_log(&club.code),
                futures::future::try_join_all(orders)
            )?;
            let wait = log.wait_for(rest, app.now());
            if wait > 0 {
                let limit = InvitationLog::DAILY;
                return Err(ApiError::RateLimited(Reason::TooManyAdded { limit }, wait));
            }
            let counts_of = counts.iter().find(|one| one.is_of(self.ticket_type));
            let is_over = sale.is_over(app.now());
            let free = counts_of.filter(|one| is_over || !one.has_queue());
            let free = free.map_or_else(Vec::new, |one| {
                one.choose(u32::try_from(rest).unwrap_or(u32::MAX), self.id)
            });
            if free.len() < rest && !self.over {
                return Err(ApiError::rule(Reason::SoldOut).coded(Code::SoldOut));
            }
            let new: Vec<Ticket> = chunk
                .iter()
                .enumerate()
                .map(|(n, (id, person))| self.ticket(*id, person, free.get(n).copied()))
                .collect();
            let ids: Vec<String> = new.iter().map(|one| one.id.to_string()).collect();
            let ids = ids.iter().map(String::as_str);
            let after = log.with(&club.code, ids, app.next_id(), app.now());
            let orders = orders.iter().zip(&new).map(|(old, ticket)| {
                let listed = old.iter().flat_map(|old| old.tickets.iter().copied());
                let listed = listed.chain([ticket.id]).collect();
                let person = ticket.person.unwrap_or_else(|| Id::new(0));
                let next = TicketOrders {
                    tickets: listed,
                    ..TicketOrders::after(old.as_ref(), person, ticket)
                };
                (old.as_ref(), next)
            });
            let mail = |((_, person), ticket): (&(TicketId, &Person), &Ticket)| {
                let number = (TicketNews::TicketsOrdered, mail_number(ticket));
                tickets((club, sale), person, &[ticket], number, app.now())
            };
            let mut others = mails(chunk.iter().zip(&new).map(mail))?;
            others.push(logged(&log, &after)?);
            let beside = Beside {
                orders: orders.collect(),
                others,
            };
            let changes: Vec<_> = new
                .iter()
                .map(|after| TicketChange {
                    before: None,
                    after,
                })
                .collect();
            match app.table.change_tickets(&changes, &counts, beside).await {
                Ok(()) => return Ok(new),
                Err(TableError::Refused(Refusal::Changed)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn ticket(&self, id: TicketId, person: &Person, part: Option<u8>) -> Ticket {
        let sale = &self.scope.object.0;
        Ticket {
            id,
            event: sale.event,
            showing: sale.showing.id,
            club: sale.club.clone(),
            ticket_type: self.ticket_type,
            person: Some(person.id),
            buyer: None,
            state: TicketState::Valid,
            part: part.unwrap_or_else(|| id.part()),
            queue: part.is_none().then(|| format!("0#{id}")),
            version: 1,
            code: 1,
            created_at: self.app.now(),
            checked_in_at: None,
            checked_out_at: None,
            entry: None,
            ended: vec![],
        }
    }

    /// Ends tickets that were issued, because others could not be.
    async fn undo(&self, issued: &[Ticket]) -> Result<()> {
        let open_sale = OpenSale {
            table: &self.app.table,
            sale: &self.scope.object.0,
            club: &self.scope.club,
            now: self.app.now(),
        };
        for ticket in issued {
            let ended = open_sale.end(ticket, true).await;
            ended.map_err(TableError::after_write)?;
        }
        Ok(())
    }
}

/// Cancel a ticket.
///
/// For officers. Its holder is told, and who waits first gets it. Cancelling again is 204, too.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/events/{event}/showings/{showing}/tickets/{ticket}/",
    tag = "tickets", security(("bearer" = []), ("token" = ["events:write"])),
    params(
        ("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path),
        ("ticket" = String, Path, description = "Id of the ticket, 16 hexadecimal digits")
    ),
    responses((status = 204))
)]
pub async fn cancel_ticket(
    app: Context,
    scope: Officer<EventsWrite, (), SaleOfPath>,
    path: PathIds,
    _: NoInput,
) -> Result<NoContent> {
    let sale = &scope.object.0;
    let id: TicketId = path
        .text("ticket")
        .parse()
        .map_err(|()| ApiError::NotFound)?;
    let open_sale = OpenSale {
        table: &app.table,
        sale,
        club: &scope.club,
        now: app.now(),
    };
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let ticket = app
            .table
            .ticket(sale.showing.id, id)
            .await?
            .ok_or(ApiError::NotFound)?;
        if !ticket.counts() {
            return Ok(NoContent);
        }
        let draw = draw_of(&app, sale).await?;
        if ticket.entry.is_some() && is_drawing(sale, draw.as_ref(), app.clock.now()) {
            return Err(ApiError::rule(Reason::Drawing).coded(Code::Drawing));
        }
        match open_sale.end(&ticket, true).await {
            Err(TableError::Refused(_)) => continue,
            done => done?,
        };
        open_sale.settle_later(limits::MOVED_UP).await;
        return Ok(NoContent);
    }
}
