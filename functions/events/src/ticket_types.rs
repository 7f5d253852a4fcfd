//! The types of tickets of a showing: how officers write them, and how they are stored (Y1, Y2).

use std::collections::{HashMap, HashSet};

use futures::future::try_join_all;
use serde::Serialize;
use shared::db::{TableError, Write};
use shared::domain::{
    Audience, Availability, Club, Event, LOOKS_AFTER, Sale, Showing, TicketSale, TicketType,
};
use shared::draws::start_draw;
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::{Capacity, List, Name, PriceText, TicketText};
use shared::tickets::OpenSale;
use shared::time::Timestamp;
use shared::web::{ApiError, Code, Load, Mode, PathIds, Reader, Result, User};
use shared::{Context, limits};
use utoipa::ToSchema;

shared::input! {
    /// A type of ticket. One with its id, or with its name, stays the same.
    pub struct TicketTypeInput {
        /// Id of a type that is there.
        id: Option<Id<of::TicketType>>, Free;
        /// One line, unique in the showing.
        name: Name, Required;
        /// Plain text, at most 1,000 characters.
        description: TicketText, Free = String::new();
        /// How many there are, from 1 to 5,000. Null, or missing: no limit.
        capacity: Option<Capacity>, Free = None;
        /// For whom it is: for `everybody` (default), or for `members`.
        audience: Audience, Free = Audience::Everybody;
        /// What is paid at the door, plain text. The service takes no money.
        price: PriceText, Free = String::new();
    }
}

/// A type of ticket.
#[derive(Debug, Serialize, ToSchema)]
pub struct TicketTypeBody {
    /// Id of the type.
    #[schema(value_type = u64)]
    id: Id<of::TicketType>,
    /// One line.
    name: String,
    /// Plain text.
    description: String,
    /// How many there are. Null: no limit.
    capacity: Option<u32>,
    /// For whom it is.
    audience: Audience,
    /// What is paid at the door.
    price: String,
    /// How many can be taken. Null: no limit.
    available: Option<u32>,
    /// Whether no order gets one at the moment.
    sold_out: bool,
    /// How many are valid. Missing if the caller is no officer.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<u32>,
    /// How many wait for one. Missing if the caller is no officer.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u32>,
}

impl TicketTypeBody {
    pub(crate) fn new(
        one: &TicketType,
        counts: &Availability,
        (is_officer, has_begun): (bool, bool),
    ) -> Self {
        Self {
            id: one.id,
            name: one.name.clone(),
            description: one.description.clone(),
            capacity: one.capacity,
            audience: one.audience,
            price: one.price.clone(),
            available: counts.available(),
            sold_out: if has_begun {
                counts.available() == Some(0)
            } else {
                counts.is_sold_out()
            },
            taken: is_officer.then(|| counts.taken()),
            waiting: is_officer.then(|| counts.waiting()),
        }
    }
}

/// Reads the new set of types, as committees of an application are read (A5).
pub(crate) fn merge_types(
    reader: &mut Reader,
    sent: Vec<TicketTypeInput>,
    old: &[TicketType],
    next_id: impl Fn() -> u64,
) -> Vec<TicketType> {
    if sent.len() > limits::TICKET_TYPES {
        let limit = limits::TICKET_TYPES;
        reader.errors.add("ticket_types", Reason::TooMany { limit });
        return vec![];
    }
    let by_id: HashSet<_> = sent
        .iter()
        .filter_map(|one| one.id.sent().copied())
        .collect();
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    let mut merged = Vec::with_capacity(sent.len());
    for (i, one) in sent.into_iter().enumerate() {
        let field = format!("ticket_types.{i}");
        // Each is whole, also with PATCH.
        let mut part = Reader::new(Mode::Create);
        let id = part.get(one.id).flatten();
        let name = part.get(one.name).unwrap_or_default();
        let folded = name.to_lowercase();
        let mut existing = old.iter().filter(|old| match id {
            Some(id) => old.id == id,
            None => !by_id.contains(&old.id) && old.name.to_lowercase() == folded,
        });
        let existing = existing.next();
        let new = TicketType {
            id: existing.map_or_else(|| Id::new(next_id()), |existing| existing.id),
            name,
            description: part.get(one.description).unwrap_or_default(),
            capacity: part.get(one.capacity).flatten(),
            audience: part.get(one.audience).unwrap_or(Audience::Everybody),
            price: part.get(one.price).unwrap_or_default(),
        };
        if let Err(ApiError::Invalid(_, errors)) = part.finish() {
            reader.errors.extend(&field, errors);
        }
        if !new.name.is_empty() && !names.insert(folded) {
            reader.errors.add(format!("{field}.name"), Reason::Taken);
        }
        if id.is_some() && existing.is_none() {
            reader
                .errors
                .add(format!("{field}.id"), Reason::unknown("ticket type"));
        }
        if !ids.insert(new.id) {
            reader.errors.add(field, Reason::Twice);
        }
        merged.push(new);
    }
    merged
}

/// Checks the times and the limit of a showing that has types (Y2).
pub(crate) fn check_rules(reader: &mut Reader, showing: &Showing) {
    let rules = &showing.tickets;
    if !rules.has_types {
        return;
    }
    let mut after = |(earlier, from): (&'static str, Option<Timestamp>),
                     (later, to): (&str, Timestamp)| {
        if from.is_some_and(|from| to <= from) && !reader.errors.has(later) {
            reader
                .errors
                .add(later, Reason::NotAfter { field: earlier });
        }
    };
    let drop = ("ticket_drop_time", showing.ticket_drop);
    let end = rules.end.unwrap_or(showing.start);
    after(drop, ("ticket_end_time", end));
    if let Some(draw) = rules.draw.filter(|_| rules.sale == TicketSale::Draw) {
        after(drop, ("ticket_draw_time", draw));
    }
    if end > showing.end {
        reader
            .errors
            .add("ticket_end_time", Reason::After { field: "end_time" });
    }
    if rules.sale == TicketSale::Draw {
        match rules.draw {
            None => reader.errors.add("ticket_draw_time", Reason::Required),
            Some(draw) if draw > end => {
                reader.errors.add(
                    "ticket_draw_time",
                    Reason::After {
                        field: "ticket_end_time",
                    },
                );
            }
            Some(draw) if draw > showing.start.plus(-limits::DRAW_BEFORE) => {
                reader.errors.add("ticket_draw_time", Reason::DrawTooLate);
            }
            Some(_) => {}
        }
    }
    if showing.ticket_order_limit > limits::TICKETS_A_PERSON {
        let limit = i64::from(limits::TICKETS_A_PERSON);
        let why = Reason::OutOfRange { minimum: 1, limit };
        reader.errors.add("ticket_order_limit", why);
    }
}

/// The types of a showing, as they were and as they shall be.
pub(crate) struct SaleChange {
    old: Option<Sale>,
    pub(crate) new: Sale,
}

fn sale_of(event: &Event, showing: &Showing) -> Option<Sale> {
    let types = showing.types.clone().filter(|types| !types.is_empty())?;
    Some(Sale {
        event: event.id,
        club: event.club.clone(),
        showing: Showing {
            types: None,
            ..showing.clone()
        },
        types,
        event_name: event.name.clone(),
        version: event.version,
        reminded_of: None,
        change_at: None,
        changes: vec![],
        cancelled: false,
    })
}

/// Returns the types that a change of an event writes: those of showings that were read with them.
pub(crate) fn changes(old: &Event, new: &Event) -> Vec<SaleChange> {
    let before = |id| {
        let showing = old.showings.iter().find(|one| one.id == id)?;
        sale_of(old, showing)
    };
    let changes = new.showings.iter().filter_map(|showing| {
        let (old, new) = (before(showing.id), sale_of(new, showing));
        let new = match (new, &old) {
            (Some(new), _) => new,
            // All types were removed.
            (None, Some(old)) if showing.types.is_some() => Sale {
                types: vec![],
                ..old.clone()
            },
            _ => return None,
        };
        let is_new = old.as_ref().is_none_or(|old| {
            (&old.showing, &old.types, &old.event_name)
                != (&new.showing, &new.types, &new.event_name)
        });
        is_new.then_some(SaleChange { old, new })
    });
    changes.collect()
}

/// Stores the types of new showings, and starts their draws: 2 transactions for each that has some,
/// ten at a time. What is there already stays.
pub(crate) async fn create_sales(app: &Context, event: &Event, showings: &[Showing]) -> Result<()> {
    let new: Vec<SaleChange> = showings
        .iter()
        .filter_map(|showing| sale_of(event, showing))
        .map(|new| SaleChange { old: None, new })
        .collect();
    for some in new.chunks(10) {
        try_join_all(some.iter().map(|change| change.create(app))).await?;
    }
    Ok(())
}

/// While a draw is held, nothing changes of its showing; afterwards its time stays (Y14).
async fn check_draw(app: &Context, old: &Sale, new: &Sale) -> Result<()> {
    let time = |sale: &Sale| {
        sale.showing
            .tickets
            .draw
            .filter(|_| sale.draw_begins_at().is_some())
    };
    let (now, before, after) = (app.now(), time(old), time(new));
    if before.is_some_and(|at| at <= now) {
        let draw = app.table.draw(old).await?;
        if draw.is_none_or(|draw| draw.drawn_at.is_none()) {
            return Err(ApiError::rule(Reason::Drawing).coded(Code::Drawing));
        }
        if after != before {
            return Err(ApiError::field("ticket_draw_time", Reason::HasTickets).coded(Code::InUse));
        }
    } else if after != before && after.is_some_and(|at| at <= now) {
        return Err(ApiError::field("ticket_draw_time", Reason::DrawInThePast));
    }
    Ok(())
}

impl SaleChange {
    fn old_type(&self, id: Id<of::TicketType>) -> Option<&TicketType> {
        self.old.as_ref()?.ticket_type(id)
    }

    /// Refuses what tickets forbid, and makes the parts allow no more than the new capacity. If it
    /// is interrupted, the timer makes them allow what is stored.
    pub(crate) async fn prepare(&mut self, app: &Context) -> Result<Vec<Write>> {
        if let Some(old) = &self.old {
            let in_use =
                |field: String| Err(ApiError::field(field, Reason::HasTickets).coded(Code::InUse));
            let counts = app.table.availability(old, true).await?;
            let stored = app.table.sale(old.event, old.showing.id).await?;
            if let Some(stored) = &stored {
                // Another officer was faster: it is read again.
                if stored.types != old.types {
                    return Err(ApiError::Changed);
                }
                self.new
                    .carry(stored, counts.iter().any(Availability::is_used), app.now());
            }
            check_draw(app, old, &self.new).await?;
            let rules = |sale: &Sale| sale.showing.tickets.sale;
            if rules(old) != rules(&self.new) && counts.iter().any(Availability::is_used) {
                return in_use("ticket_sale".into());
            }
            let smaller = old.types.iter().zip(&counts).filter_map(|(one, counts)| {
                let new = self.new.ticket_type(one.id);
                let capacity = new.map_or(Some(0), |new| new.capacity);
                let is_smaller =
                    capacity.is_some_and(|new| one.capacity.is_none_or(|old| new < old));
                is_smaller.then_some((one, new, capacity, counts))
            });
            let smaller: Vec<_> = smaller.collect();
            if !smaller.is_empty() {
                // If this is interrupted, the timer makes the parts allow what is stored.
                let now = app.now();
                app.table
                    .file_task(&old.task_at(now.plus(LOOKS_AFTER), now))
                    .await?;
            }
            for (one, new, capacity, counts) in smaller {
                let field = match self.new.types.iter().position(|there| there.id == one.id) {
                    Some(n) => format!("ticket_types.{n}.capacity"),
                    None => "ticket_types".to_owned(),
                };
                let too_many = |counts: &Availability| match new {
                    Some(_) => capacity.is_some_and(|capacity| capacity < counts.taken()),
                    None => counts.is_used(),
                };
                if too_many(counts) {
                    return in_use(field);
                }
                let fits = app.table.fit_capacity(old, one.id, capacity).await?;
                let counts = app.table.availability(old, true).await?;
                let counts = counts.iter().find(|counts| counts.is_of(one.id));
                if !fits || counts.is_some_and(too_many) {
                    app.table.fit_capacity(old, one.id, one.capacity).await?;
                    return in_use(field);
                }
            }
        }
        let now = app.now();
        let mut writes = vec![self.new.saved()?];
        let at = self.new.change_at.filter(|at| *at <= now);
        let at = at.unwrap_or(now.plus(LOOKS_AFTER));
        writes.push(Write::put(&self.new.task_at(at, now))?);
        Ok(writes)
    }

    /// Stores the types of a new showing, and starts its draw.
    async fn create(&self, app: &Context) -> Result<()> {
        let created = app.table.create_sale(&self.new, app.now()).await;
        created.map_err(TableError::after_write)?;
        self.start_draw(app).await
    }

    /// Starts the draw of a showing that has one. If this is interrupted, the timer starts it.
    async fn start_draw(&self, app: &Context) -> Result<()> {
        let secret = &app.settings.secrets.invite;
        let started = start_draw(&app.table, secret, &self.new).await;
        Ok(started.map_err(TableError::after_write)?)
    }

    /// Makes the parts allow the new capacity, and gives what is free to those who wait.
    pub(crate) async fn finish(&self, app: &Context, club: &Club) -> Result<()> {
        self.start_draw(app).await?;
        let is_larger = |one: &TicketType| {
            let old = self.old_type(one.id).map(|old| old.capacity);
            old.is_some_and(|old| old != one.capacity)
        };
        if self.new.types.iter().any(is_larger) {
            let open_sale = OpenSale {
                table: &app.table,
                sale: &self.new,
                club,
                now: app.now(),
            };
            open_sale
                .settle(limits::MOVED_UP)
                .await
                .map_err(TableError::after_write)?;
        }
        Ok(())
    }
}

/// Returns these types as cancelled, with their showings. It is 400 if there are tickets for what
/// has not begun, unless that is wanted (Y7).
pub(crate) async fn cancelled(app: &Context, sales: &[Sale], force: bool) -> Result<Vec<Sale>> {
    let now = app.now();
    let open = sales
        .iter()
        .filter(|sale| !sale.cancelled && !force && sale.showing.start > now);
    let counts = open.map(|sale| app.table.availability(sale, true));
    for counts in try_join_all(counts).await? {
        if counts.iter().any(Availability::is_used) {
            return Err(ApiError::rule(Reason::CancelsTickets).coded(Code::InUse));
        }
    }
    let cancelled = |sale: &Sale| Sale {
        cancelled: true,
        ..sale.clone()
    };
    Ok(sales.iter().map(cancelled).collect())
}

/// The types of a showing with their counts, and when they were read.
pub(crate) type SaleCounts = (Sale, Vec<Availability>, Timestamp);

/// Returns the types of an event's showings with their counts; of one of them, if there is an id.
pub(crate) async fn counted(
    app: &Context,
    event: &Event,
    showing: Option<Id<of::Showing>>,
) -> Result<HashMap<Id<of::Showing>, SaleCounts>> {
    let mut requested = event.sales();
    requested.retain(|(_, id)| showing.is_none_or(|one| one == *id));
    let sales = app.table.sales(requested).await?;
    let counts = sales.iter().map(|sale| app.table.availability(sale, false));
    let counts = try_join_all(counts).await?;
    let (now, counted) = (app.now(), sales.into_iter().zip(counts));
    Ok(counted
        .map(|(sale, counts)| (sale.showing.id, (sale, counts, now)))
        .collect())
}

/// The showing in the path, with its types of tickets. It is looked up in the event after the role
/// of the caller was checked (H3).
pub struct SaleOfPath {
    pub id: Option<Id<of::Showing>>,
    pub sale: Option<Sale>,
}

impl Load for SaleOfPath {
    async fn load(app: &Context, _: &User, path: &PathIds) -> Result<Option<Self>> {
        let id = path.id("showing");
        let sale = match path.id("event").zip(id) {
            Some((event, id)) => app.table.sale(event, id).await?,
            None => None,
        };
        Ok(Some(Self { id, sale }))
    }
}

impl SaleOfPath {
    pub(crate) fn find<'a>(&self, event: &'a Event) -> Result<&'a Showing> {
        event
            .showings
            .iter()
            .find(|showing| Some(showing.id) == self.id)
            .ok_or(ApiError::NotFound)
    }
}

/// The kind of the field.
pub(crate) type TicketTypes = List<TicketTypeInput, { limits::TICKET_TYPES }>;
