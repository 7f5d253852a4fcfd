//! Tickets as their holders and officers see them.

use std::collections::HashMap;

use serde::Serialize;
use shared::Context;
use shared::db::TableError;
use shared::domain::{Club, Person, Sale, Ticket, TicketId, TicketState};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{Cell, Result};
use utoipa::ToSchema;

use crate::code::code_of;

/// A ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct TicketBody {
    /// 16 hexadecimal digits.
    #[schema(value_type = String)]
    id: TicketId,
    /// Its state. Who still waits at the start does so no more: `cancelled`.
    state: TicketState,
    /// The type.
    #[serde(rename = "type")]
    ticket_type: TypeOfTicket,
    /// The event.
    event: EventOfTicket,
    /// The showing.
    showing: ShowingOfTicket,
    /// The club.
    club: ClubOfTicket,
    /// The position of a ticket that waits, from 1; else null. It may be a minute old.
    position: Option<usize>,
    /// When it was ordered or issued.
    created_at: Timestamp,
    /// When its holder was let in, or null.
    checked_in_at: Option<Timestamp>,
    /// What takes part in the draw (`GET …/draw/`), or null.
    entry: Option<String>,
    /// What opens the door, as text for a QR code. Only for its holder, and only while it is valid;
    /// else null.
    code: Option<String>,
}

/// The type of a ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct TypeOfTicket {
    /// Id of the type.
    #[schema(value_type = u64)]
    id: Id<of::TicketType>,
    /// Its name.
    name: String,
    /// What is paid at the door.
    price: String,
}

/// The event of a ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventOfTicket {
    /// Id of the event.
    #[schema(value_type = u64)]
    id: Id<of::Event>,
    /// Its name.
    name: String,
}

/// The showing of a ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShowingOfTicket {
    /// Id of the showing.
    #[schema(value_type = u64)]
    id: Id<of::Showing>,
    /// When it begins.
    start_time: Timestamp,
    /// When it ends.
    end_time: Timestamp,
    /// Where it is, or null.
    location: Option<String>,
}

/// The club of a ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClubOfTicket {
    /// Code of the club.
    #[schema(value_type = String)]
    code: ClubCode,
    /// Its name.
    name: String,
}

/// A ticket as officers see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShowingTicketBody {
    /// 16 hexadecimal digits.
    #[schema(value_type = String)]
    id: TicketId,
    /// Its state. Who still waits at the start does so no more: `cancelled`.
    state: TicketState,
    /// The type.
    #[serde(rename = "type")]
    ticket_type: TypeOfTicket,
    /// Who has it. Null if they were erased.
    holder: Option<HolderBody>,
    /// When it was ordered or issued.
    created_at: Timestamp,
    /// When its holder was let in, or null.
    checked_in_at: Option<Timestamp>,
    /// The version that its code names. A door knows by it, without a network, a code that was
    /// replaced when the ticket was handed over.
    code_version: u16,
}

/// Returns the word of a state.
pub(crate) fn name_of(state: TicketState) -> &'static str {
    match state {
        TicketState::Valid => "valid",
        TicketState::InQueue => "waiting",
        TicketState::Requested => "requested",
        TicketState::NotDrawn => "not_drawn",
        TicketState::Cancelled => "cancelled",
    }
}

impl ShowingTicketBody {
    pub(crate) const COLUMNS: [&'static str; 8] = [
        "id",
        "state",
        "type",
        "name",
        "username",
        "email",
        "created_at",
        "checked_in_at",
    ];

    pub(crate) fn row(&self) -> Vec<Cell> {
        let holder = self.holder.as_ref();
        let text = |of: fn(&HolderBody) -> &str| holder.map_or("", of);
        let time = |at: Option<Timestamp>| at.into();
        vec![
            self.id.to_string().into(),
            name_of(self.state).into(),
            self.ticket_type.name.as_str().into(),
            text(|one| &one.name).into(),
            text(|one| &one.username).into(),
            text(|one| one.email.as_deref().unwrap_or_default()).into(),
            Cell::Time(self.created_at),
            time(self.checked_in_at),
        ]
    }
}

/// Who has a ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct HolderBody {
    /// Id of the person.
    #[schema(value_type = u64)]
    pub(crate) id: Id<of::Person>,
    /// User name.
    pub(crate) username: String,
    /// Name.
    pub(crate) name: String,
    /// E-mail address. Null if officers issued the ticket: then the person has not agreed.
    pub(crate) email: Option<String>,
}

/// What tickets are shown with.
pub(crate) struct Shown<'a> {
    pub(crate) sale: &'a Sale,
    pub(crate) club: &'a str,
    pub(crate) is_archived: bool,
    pub(crate) now: Timestamp,
}

impl Shown<'_> {
    /// Returns the state of a ticket, as far as it follows from the showing.
    pub(crate) fn state(&self, ticket: &Ticket) -> TicketState {
        let has_begun = self.sale.showing.start <= self.now;
        let waits = matches!(ticket.state, TicketState::InQueue | TicketState::Requested);
        let is_off = self.sale.cancelled || (self.is_archived && !has_begun);
        if is_off || (has_begun && waits) {
            TicketState::Cancelled
        } else {
            ticket.state
        }
    }

    fn ticket_type(&self, ticket: &Ticket) -> TypeOfTicket {
        let found = self.sale.ticket_type(ticket.ticket_type);
        TypeOfTicket {
            id: ticket.ticket_type,
            name: found.map_or_else(String::new, |one| one.name.clone()),
            price: found.map_or_else(String::new, |one| one.price.clone()),
        }
    }

    /// The ticket as its holder sees it.
    pub(crate) fn own(
        &self,
        app: &Context,
        ticket: &Ticket,
        position: Option<usize>,
        has_code: bool,
    ) -> TicketBody {
        let (sale, state) = (self.sale, self.state(ticket));
        let is_valid = state == TicketState::Valid;
        let signer = app.receipts().filter(|_| is_valid && has_code);
        TicketBody {
            id: ticket.id,
            state,
            ticket_type: self.ticket_type(ticket),
            event: EventOfTicket {
                id: sale.event,
                name: sale.event_name.clone(),
            },
            showing: ShowingOfTicket {
                id: sale.showing.id,
                start_time: sale.showing.start,
                end_time: sale.showing.end,
                location: sale.showing.location.clone(),
            },
            club: ClubOfTicket {
                code: sale.club.clone(),
                name: self.club.to_owned(),
            },
            position: position.filter(|_| state == TicketState::InQueue),
            created_at: ticket.created_at,
            checked_in_at: ticket.checked_in_at,
            entry: ticket.entry.clone(),
            code: signer.map(|signer| code_of(ticket, signer)),
        }
    }

    /// The ticket as officers see it.
    pub(crate) fn of_showing(
        &self,
        ticket: &Ticket,
        people: &HashMap<Id<of::Person>, Person>,
    ) -> ShowingTicketBody {
        let holder = ticket.person.and_then(|person| people.get(&person));
        let holder = holder.map(|person| HolderBody {
            id: person.id,
            username: person.personal.username.clone(),
            name: person.personal.name.clone(),
            email: (ticket.buyer.is_some()).then(|| person.personal.email.to_string()),
        });
        ShowingTicketBody {
            id: ticket.id,
            state: self.state(ticket),
            ticket_type: self.ticket_type(ticket),
            holder,
            created_at: ticket.created_at,
            checked_in_at: ticket.checked_in_at,
            code_version: ticket.code,
        }
    }
}

/// Returns the positions of tickets that wait: those of one order and type stand behind each other.
/// A position that cannot be read is none, because the tickets may have been stored just now.
pub(crate) async fn positions(app: &Context, tickets: &[Ticket]) -> Vec<Option<usize>> {
    let key = |ticket: &Ticket| (ticket.id.order(), ticket.ticket_type);
    let mut first: HashMap<_, usize> = HashMap::new();
    let mut positions = Vec::with_capacity(tickets.len());
    for ticket in tickets {
        let waits = ticket.state == TicketState::InQueue;
        let before = first.get(&key(ticket)).copied();
        let position = match (waits, before) {
            (false, _) => None,
            (true, Some(before)) => Some(before + 1),
            (true, None) => app.table.position(ticket).await.ok().flatten(),
        };
        if let Some(position) = position {
            first.insert(key(ticket), position);
        }
        positions.push(position);
    }
    positions
}

/// Tickets of one person as they see them: 1 read of the catalogue, and 4 queries for each ticket
/// that waits.
pub(crate) async fn own_bodies(
    app: &Context,
    tickets: &[Ticket],
    sales: &[Sale],
) -> Result<Vec<TicketBody>> {
    let versions = app.table.versions().await?;
    let clubs = app.all_clubs(&versions).await?;
    let positions = positions(app, tickets).await;
    let mut bodies = Vec::with_capacity(tickets.len());
    for (ticket, position) in tickets.iter().zip(positions) {
        let Some(sale) = sales.iter().find(|sale| sale.showing.id == ticket.showing) else {
            continue;
        };
        let club = clubs.get(&sale.club).map(|listed| &listed.club);
        let shown = Shown {
            sale,
            club: club.map_or("", |club| &club.profile.name),
            is_archived: club.is_none_or(|club| club.archived),
            now: app.now(),
        };
        bodies.push(shown.own(app, ticket, position, true));
    }
    Ok(bodies)
}

/// What a request about a ticket of the caller needs.
pub(crate) struct OwnTicket {
    pub(crate) ticket: Ticket,
    pub(crate) sale: Sale,
    pub(crate) club: Club,
}

impl OwnTicket {
    /// Finds a ticket of a person by its id: 1 query, 1 batch read, 1 read.
    pub(crate) async fn find(
        app: &Context,
        person: Id<of::Person>,
        id: &str,
    ) -> std::result::Result<Option<Self>, TableError> {
        let Ok(id) = id.parse::<TicketId>() else {
            return Ok(None);
        };
        let orders = app.table.ticket_orders(person).await?;
        let Some(orders) = orders.into_iter().find(|one| one.tickets.contains(&id)) else {
            return Ok(None);
        };
        let (sale, ticket) = futures::try_join!(
            app.table.sale(orders.event, orders.showing),
            app.table.ticket(orders.showing, id)
        )?;
        let Some((sale, ticket)) = sale.zip(ticket.filter(|one| one.person == Some(person))) else {
            return Ok(None);
        };
        let club = app.table.club(&sale.club).await?;
        Ok(club.map(|club| Self { ticket, sale, club }))
    }

    /// The ticket as its holder sees it.
    pub(crate) async fn body(&self, app: &Context, has_code: bool) -> Result<TicketBody> {
        let position = app.table.position(&self.ticket).await?;
        let shown = Shown {
            sale: &self.sale,
            club: &self.club.profile.name,
            is_archived: self.club.archived,
            now: app.now(),
        };
        Ok(shown.own(app, &self.ticket, position, has_code))
    }
}
