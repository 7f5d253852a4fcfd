//! `/events/{event}/showings/{showing}/tickets/`: orders

use std::collections::BTreeMap;

use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, TimeDelta, Utc};
use shared::db::{Refusal, TableError, Write};
use shared::domain::{
    Audience, Availability, Beside, Club, DrawEntry, MOST_ENTRIES, Membership, Sale, Ticket,
    TicketChange, TicketDraw, TicketId, TicketNews, TicketOrder, TicketOrders, TicketSale,
    TicketState, entry_of,
};
use shared::ids::{Id, of};
use shared::mail::tickets;
use shared::reason::Reason;
use shared::settings::Secret;
use shared::text::kinds::{List, TicketNumber};
use shared::tickets::mails;
use shared::time::Timestamp;
use shared::web::{
    ApiError, ChangedNothing, Code, Created, Input, Mode, NewId, PathIds, Reader, ReceivedAt,
    Reference, Result, User, Visibility,
};
use shared::{Context, limits};

use crate::body::{Shown, TicketBody, positions};

shared::input! {
    /// An order.
    pub struct OrderInput {
        /// How many tickets of which types.
        tickets: List<OrderLine, { limits::TICKET_TYPES }, 1>, Required;
        /// Whether to wait for what cannot be had. Otherwise it is all or nothing.
        wait: bool, Free = false;
    }
}

shared::input! {
    /// Tickets of one type.
    pub struct OrderLine {
        /// Id of the type.
        ticket_type as "type": Reference, Required;
        /// How many, from 1 to 20.
        count: TicketNumber, Required;
    }
}

/// How many tickets of each type, in the order in which they were sent.
type Lines = Vec<(Id<of::TicketType>, u32)>;

impl OrderInput {
    /// Returns the lines, and whether to wait. A type that is sent twice is added up.
    fn read(self) -> Result<(Lines, bool)> {
        let mut reader = Reader::new(Mode::Create);
        let wait = reader.get(self.wait).unwrap_or_default();
        let mut lines: Lines = Vec::new();
        for (i, line) in reader
            .get(self.tickets)
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            reader.enter(&format!("tickets.{i}"));
            let ticket_type = reader.get(line.ticket_type).map(Reference::id);
            let count = reader.get(line.count);
            let Some((id, count)) = ticket_type.zip(count) else {
                continue;
            };
            match lines.iter_mut().find(|(there, _)| *there == id) {
                Some((_, sum)) => *sum += count,
                None => lines.push((id, count)),
            }
        }
        if lines.is_empty() && reader.errors.is_empty() {
            reader.errors.add("tickets", Reason::TooFew { minimum: 1 });
        }
        reader.finish()?;
        Ok((lines, wait))
    }
}

/// Order tickets of a showing.
///
/// For every signed-in user who can see the event, from `ticket_drop_time` until `ticket_end_time`.
/// All or nothing; with `wait`, what cannot be had waits. Before a draw all are `requested`. A
/// person has at most `ticket_order_limit` tickets of one showing, and 20 orders in 24 hours.
#[utoipa::path(
    post, path = "/api/events/{event}/showings/{showing}/tickets/", tag = "tickets",
    security(("bearer" = [])), params(("event" = u64, Path), ("showing" = u64, Path)),
    request_body = OrderInput, responses((status = 201, body = Vec<TicketBody>))
)]
pub async fn order_tickets(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    user: User,
    path: PathIds,
    NewId(id): NewId,
    Input(input): Input<OrderInput>,
) -> Result<Response> {
    let input = input.read();
    let (event, showing) = path
        .id("event")
        .zip(path.id("showing"))
        .ok_or(ApiError::NotFound)?;
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let (sale, orders) = futures::try_join!(
            app.table.sale(event, showing),
            app.table.orders_of(user.id(), showing)
        )?;
        let sale = sale.filter(|sale| !sale.types.is_empty() && !sale.cancelled);
        let sale = sale.ok_or(ApiError::NotFound)?;
        let own = orders
            .iter()
            .flat_map(|one| one.tickets.iter().map(|ticket| (showing, *ticket)));
        let is_repeat = orders
            .iter()
            .flat_map(|one| &one.orders)
            .any(|order| order.id == id);
        let may_wait = sale.showing.tickets.waiting_list && !is_repeat;
        let waits = may_wait && matches!(&input, Ok((_, true)));
        let ((club, membership), counts, own, draw, ()) = futures::try_join!(
            app.table.club_and_membership(&sale.club, Some(user.id())),
            app.table.availability(&sale, true),
            app.table.tickets(own.collect::<Vec<_>>()),
            draw_of(&app, &sale),
            async {
                if !waits {
                    return Ok(());
                }
                app.table.look_soon(&sale, app.now()).await
            }
        )?;
        let visibility = Visibility::with(membership.as_ref(), user.is_admin());
        let club = club
            .filter(|club| visibility.sees(club))
            .ok_or(ApiError::NotFound)?;
        if is_repeat {
            let own: Vec<Ticket> = own
                .into_iter()
                .filter(|ticket| ticket.id.order() == id && ticket.person == Some(user.id()))
                .collect();
            return respond(&app, &own, &sale, &club).await;
        }
        let (lines, wait) = input.clone()?;
        let order = Order {
            id,
            sale: &sale,
            club: &club,
            membership: membership.as_ref(),
            user: &user,
            orders: orders.as_ref(),
            own: &own,
            counts: &counts,
            secret: &app.settings.secrets.invite,
            is_drawing: is_drawing(&sale, draw.as_ref(), received),
            is_drawn: draw.is_some_and(|draw| draw.drawn_at.is_some()),
            at: received,
        };
        order.check(&lines)?;
        let new = order.tickets(&lines, wait)?;
        match order.store(&app, &new).await {
            Ok(()) => return respond(&app, &new, &sale, &club).await,
            Err(ApiError::Changed) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the draw of a showing that has one.
pub(crate) async fn draw_of(
    app: &Context,
    sale: &Sale,
) -> std::result::Result<Option<TicketDraw>, TableError> {
    match sale.draw_begins_at() {
        Some(_) => app.table.draw(sale).await,
        None => Ok(None),
    }
}

/// Returns whether the draw has begun at this time, and was not held.
pub(crate) fn is_drawing(sale: &Sale, draw: Option<&TicketDraw>, at: DateTime<Utc>) -> bool {
    let rules = &sale.showing.tickets;
    let time = rules.draw.filter(|_| rules.sale == TicketSale::Draw);
    let is_over = draw.is_some_and(|draw| draw.drawn_at.is_some());
    time.is_some_and(|time| at >= time.moment()) && !is_over
}

async fn respond(app: &Context, all: &[Ticket], sale: &Sale, club: &Club) -> Result<Response> {
    let positions = positions(app, all).await;
    let shown = Shown {
        sale,
        club: &club.profile.name,
        is_archived: club.archived,
        now: app.now(),
    };
    let bodies = all.iter().zip(positions);
    let bodies: Vec<TicketBody> = bodies
        .map(|(ticket, position)| shown.own(app, ticket, position, true))
        .collect();
    let location = "/api/tickets/".to_owned();
    let created = Created {
        location,
        body: bodies,
    };
    let mut response = created.into_response();
    response.extensions_mut().insert(ChangedNothing);
    Ok(response)
}

/// An order with all that decides it.
struct Order<'a> {
    id: u64,
    sale: &'a Sale,
    club: &'a Club,
    membership: Option<&'a Membership>,
    user: &'a User,
    orders: Option<&'a TicketOrders>,
    own: &'a [Ticket],
    counts: &'a [Availability],
    secret: &'a Secret,
    /// Whether the draw has begun, and was not held.
    is_drawing: bool,
    /// Whether the draw was held.
    is_drawn: bool,
    /// When the gateway received it.
    at: DateTime<Utc>,
}

impl Order<'_> {
    fn before_draw(&self) -> bool {
        if self.is_drawn {
            return false;
        }
        let rules = &self.sale.showing.tickets;
        let draw = rules.draw.filter(|_| rules.sale == TicketSale::Draw);
        draw.is_some_and(|draw| self.at < draw.moment())
    }

    /// Refuses what cannot be ordered now, in the order of Y3.
    fn check(&self, lines: &Lines) -> Result<()> {
        let refuse = |code, why| Err(ApiError::rule(why).coded(code));
        let showing = &self.sale.showing;
        for (i, (id, _)) in lines.iter().enumerate() {
            if self.sale.ticket_type(*id).is_none() {
                let field = format!("tickets.{i}.type");
                return Err(ApiError::field(field, Reason::unknown("ticket type")));
            }
        }
        if showing
            .ticket_drop
            .is_some_and(|drop| self.at < drop.moment())
        {
            return refuse(Code::NotStarted, Reason::TicketsNotStarted);
        }
        if self.at > self.sale.end().moment() {
            return refuse(Code::TicketsClosed, Reason::TicketsClosed);
        }
        let is_for = |id: Id<of::TicketType>| {
            let found = self.sale.ticket_type(id);
            found
                .is_some_and(|one| one.audience == Audience::Everybody || self.membership.is_some())
        };
        if self.is_drawing {
            return refuse(Code::Drawing, Reason::Drawing);
        }
        if !lines.iter().all(|(id, _)| is_for(*id)) {
            return refuse(Code::AudienceOnly, Reason::MembersOnly);
        }
        let limit = showing.ticket_order_limit;
        let own = self
            .own
            .iter()
            .filter(|one| one.counts_for(self.user.id()))
            .count();
        let all = lines.iter().map(|(_, count)| *count).sum::<u32>();
        let requested = self.counts.iter().map(Availability::requested).sum::<u32>();
        let is_full = requested.saturating_add(all) > MOST_ENTRIES;
        let one_too_many = self.before_draw() && (own > 0 || is_full);
        if one_too_many || u32::try_from(own).unwrap_or(u32::MAX).saturating_add(all) > limit {
            return refuse(Code::Quota, Reason::TooManyTickets { limit });
        }
        let (orders, wait) = self.recent_orders();
        let limit = limits::TICKET_ORDERS;
        if orders.len() >= limit {
            return Err(ApiError::RateLimited(Reason::TooManyOrders { limit }, wait));
        }
        Ok(())
    }

    /// Returns the orders of the last 24 hours, and the seconds until the first is older.
    fn recent_orders(&self) -> (Vec<TicketOrder>, u64) {
        let day = TimeDelta::hours(24);
        let all = self
            .orders
            .iter()
            .flat_map(|one| one.orders.iter().copied());
        let recent: Vec<_> = all.filter(|one| self.at < one.at.moment() + day).collect();
        let first = recent.first().map_or(self.at, |one| one.at.moment());
        let wait = (first + day - self.at).num_seconds().max(1);
        (recent, wait.unsigned_abs())
    }

    /// Returns the tickets of the order with their states. It is 400 if not all can be had and
    /// nobody waits (Y4).
    fn tickets(&self, lines: &Lines, wait: bool) -> Result<Vec<Ticket>> {
        // At the start nobody waits any more.
        let has_begun = self.at >= self.sale.showing.start.moment();
        let wait = wait && self.sale.showing.tickets.waiting_list && !has_begun;
        let is_draw = self.before_draw();
        let mut new = Vec::new();
        for (id, count) in lines {
            let counts = self.counts.iter().find(|counts| counts.is_of(*id));
            let chosen = match counts {
                Some(counts) if !is_draw && (has_begun || !counts.has_queue()) => {
                    counts.choose(*count, self.id)
                }
                _ => vec![],
            };
            if !is_draw && !wait && chosen.len() < *count as usize {
                return Err(ApiError::rule(Reason::SoldOut).coded(Code::SoldOut));
            }
            for n in 0..*count as usize {
                let number = u64::try_from(new.len()).unwrap_or_default();
                let ticket = TicketId::of_order(self.id, number);
                let (state, part) = match chosen.get(n) {
                    Some(part) => (TicketState::Valid, *part),
                    None if is_draw => (TicketState::Requested, ticket.part()),
                    None => (TicketState::InQueue, ticket.part()),
                };
                let mut ticket = self.ticket(ticket, *id, state, part);
                ticket.entry = is_draw.then(|| entry_of(self.secret, self.id, *id));
                new.push(ticket);
            }
        }
        Ok(new)
    }

    fn ticket(
        &self,
        id: TicketId,
        ticket_type: Id<of::TicketType>,
        state: TicketState,
        part: u8,
    ) -> Ticket {
        let person = Some(self.user.id());
        let sort = format!("2#{:020}#{id}", self.at.timestamp_micros());
        Ticket {
            id,
            event: self.sale.event,
            showing: self.sale.showing.id,
            club: self.sale.club.clone(),
            ticket_type,
            person,
            buyer: person,
            state,
            part,
            queue: (state == TicketState::InQueue).then_some(sort),
            version: 1,
            code: 1,
            created_at: Timestamp::at(self.at),
            checked_in_at: None,
            checked_out_at: None,
            entry: None,
            ended: vec![],
        }
    }

    /// The entries of an order in the draw: one for each type.
    fn entries(new: &[Ticket]) -> impl Iterator<Item = DrawEntry> {
        let mut entries: BTreeMap<&String, DrawEntry> = BTreeMap::new();
        for ticket in new {
            let Some(entry) = &ticket.entry else { continue };
            let entry = entries.entry(entry).or_insert_with(|| DrawEntry {
                showing: ticket.showing,
                entry: entry.clone(),
                ticket_type: ticket.ticket_type,
                count: 0,
                tickets: vec![],
            });
            entry.count += 1;
            entry.tickets.push(ticket.id);
        }
        entries.into_values()
    }

    /// Stores the order: 1 transaction. The first who waits also tells the timer.
    async fn store(&self, app: &Context, new: &[Ticket]) -> Result<()> {
        let (mut orders, _) = self.recent_orders();
        let now = Timestamp::at(self.at);
        orders.push(TicketOrder {
            id: self.id,
            at: now,
        });
        let after = TicketOrders {
            person: self.user.id(),
            event: self.sale.event,
            showing: self.sale.showing.id,
            version: self.orders.map_or(1, |one| one.version + 1),
            tickets: shown_tickets(self.orders, self.own, new),
            orders,
            transfers: self
                .orders
                .map_or_else(Vec::new, |one| one.transfers.clone()),
        };
        let person = self.user.person().await?;
        let listed: Vec<&Ticket> = new.iter().collect();
        let news = (TicketNews::TicketsOrdered, self.id);
        let mail = tickets((self.club, self.sale), person, &listed, news, now);
        let mut others = mails([mail])?;
        others.extend(
            Self::entries(new)
                .map(|entry| Ok(Write::put(&entry)?.if_new()))
                .collect::<Result<Vec<_>>>()?,
        );
        let changes = new.iter().map(|after| TicketChange {
            before: None,
            after,
        });
        let changes: Vec<_> = changes.collect();
        let beside = Beside {
            orders: vec![(self.orders, after)],
            others,
        };
        let stored = app.table.change_tickets(&changes, self.counts, beside);
        match stored.await {
            Err(TableError::Refused(Refusal::Exists)) => Err(ApiError::Changed),
            stored => Ok(stored?),
        }
    }
}

/// So many of the last tickets of a person are listed; more only while they count.
const LISTED: usize = 60;

/// Returns the ids that a person's orders list: the new ones, and the others without the oldest of
/// those that ended.
pub(crate) fn shown_tickets(
    orders: Option<&TicketOrders>,
    own: &[Ticket],
    new: &[Ticket],
) -> Vec<TicketId> {
    let by_id: BTreeMap<TicketId, &Ticket> = own.iter().map(|one| (one.id, one)).collect();
    let mut all: Vec<TicketId> = orders
        .iter()
        .flat_map(|one| one.tickets.iter().copied())
        .collect();
    let mut surplus = (all.len() + new.len()).saturating_sub(LISTED);
    all.retain(|id| {
        let is_old = by_id.get(id).is_none_or(|ticket| !ticket.counts());
        let goes = is_old && surplus > 0;
        surplus -= usize::from(goes);
        !goes
    });
    all.extend(new.iter().map(|ticket| ticket.id));
    all
}
