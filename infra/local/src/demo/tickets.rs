//! Tickets of the demo campus: a party with a waiting list, a draw, a talk without a limit, and an
//! evening that is over.

use chrono::TimeDelta;
use shared::db::{Table, TableError};
use shared::domain::{
    Audience, DrawEntry, Event, Person, QueuedTicket, Sale, Showing, Ticket, TicketCount,
    TicketDraw, TicketId, TicketOrders, TicketRules, TicketSale, TicketState, TicketType, entry_of,
};
use shared::settings::Secret;
use shared::time::Timestamp;

use super::Numbers;

/// A showing that gets tickets.
struct Plan {
    club: &'static str,
    /// The number of the showing: the first that is to come is 0.
    showing: usize,
    is_over: bool,
    types: &'static [(&'static str, Option<u32>, Audience, &'static str)],
    sale: TicketSale,
    /// So many people want one of the first type.
    orders: usize,
}

const PLANS: [Plan; 4] = [
    Plan {
        club: "robotics",
        showing: 1,
        is_over: false,
        types: &[
            ("Standing", Some(12), Audience::Everybody, ""),
            ("Late entry", None, Audience::Everybody, ""),
        ],
        sale: TicketSale::FirstCome,
        orders: 15,
    },
    Plan {
        club: "astronomy",
        showing: 0,
        is_over: false,
        types: &[("Telescope", Some(6), Audience::Everybody, "")],
        sale: TicketSale::Draw,
        orders: 14,
    },
    Plan {
        club: "debate",
        showing: 0,
        is_over: false,
        types: &[
            ("Seat", None, Audience::Everybody, ""),
            ("Front row", Some(10), Audience::Members, ""),
        ],
        sale: TicketSale::FirstCome,
        orders: 9,
    },
    Plan {
        club: "robotics",
        showing: 0,
        is_over: true,
        types: &[("Entry", Some(40), Audience::Everybody, "3 €")],
        sale: TicketSale::FirstCome,
        orders: 11,
    },
];

/// The tickets of all plans.
#[derive(Default)]
pub struct Tickets {
    sales: Vec<Sale>,
    all: Vec<Ticket>,
    counts: Vec<TicketCount>,
    queued: Vec<QueuedTicket>,
    orders: Vec<TicketOrders>,
    draws: Vec<TicketDraw>,
    entries: Vec<DrawEntry>,
}

/// Gives showings their types, and people their tickets.
pub fn sell(
    numbers: &Numbers,
    events: &mut [Event],
    people: &[Person],
    (secret, now): (&Secret, Timestamp),
) -> Tickets {
    let mut all = Tickets::default();
    for plan in &PLANS {
        let own = events.iter_mut().filter(|event| &*event.club == plan.club);
        let mut showings: Vec<(usize, &mut Event)> = own
            .filter_map(|event| {
                let fits = |showing: &Showing| (showing.start < now) == plan.is_over;
                let at = event.showings.iter().position(fits);
                at.map(|at| (at + plan.showing, event))
            })
            .filter(|(at, event)| *at < event.showings.len())
            .collect();
        let Some((at, event)) = showings.first_mut() else {
            continue;
        };
        let showing = &mut event.showings[*at];
        showing.ticketed = true;
        showing.ticket_order_limit = 8;
        let is_draw = plan.sale == TicketSale::Draw;
        showing.tickets = TicketRules {
            has_types: true,
            sale: plan.sale,
            draw: is_draw.then(|| showing.start.plus(-TimeDelta::hours(24))),
            ..TicketRules::default()
        };
        let types = plan
            .types
            .iter()
            .map(|(name, capacity, audience, price)| TicketType {
                id: numbers.next(),
                name: (*name).into(),
                description: String::new(),
                capacity: *capacity,
                audience: *audience,
                price: (*price).into(),
            });
        let sale = Sale {
            event: event.id,
            club: event.club.clone(),
            showing: event.showings[*at].clone(),
            types: types.collect(),
            event_name: event.name.clone(),
            version: event.version,
            reminded_of: None,
            change_at: None,
            changes: vec![],
            cancelled: false,
        };
        all.order(&sale, plan, people, (secret, now));
        let draw = is_draw.then(|| TicketDraw::new(secret, &sale));
        all.draws.extend(draw);
        all.sales.push(sale);
    }
    all
}

impl Tickets {
    /// One ticket of the first type for each of some people.
    fn order(
        &mut self,
        sale: &Sale,
        plan: &Plan,
        people: &[Person],
        (secret, now): (&Secret, Timestamp),
    ) {
        let of = &sale.types[0];
        let showing = sale.showing.id;
        let mut counts: Vec<TicketCount> = (0..64)
            .map(|part| TicketCount::new(showing, of, part))
            .collect();
        let begun = sale
            .showing
            .start
            .plus(-TimeDelta::days(5))
            .moment()
            .min(now.moment());
        for (n, person) in people.iter().rev().take(plan.orders).enumerate() {
            let at = begun - TimeDelta::minutes(600 - i64::try_from(n).unwrap_or_default());
            let order = shared::ids::order_number(at) + n as u64;
            let id = TicketId::of_order(order, 0);
            let part = u8::try_from(n % 64).unwrap_or_default();
            let is_free = of.capacity.is_none_or(|capacity| n < capacity as usize);
            let state = match plan.sale {
                TicketSale::Draw => TicketState::Requested,
                TicketSale::FirstCome if is_free => TicketState::Valid,
                TicketSale::FirstCome => TicketState::InQueue,
            };
            let sort = format!("2#{:020}#{id}", at.timestamp_micros());
            let count = &mut counts[usize::from(part)];
            match state {
                TicketState::Valid => count.valid += 1,
                TicketState::Requested => count.requested += 1,
                _ => count.waiting += 1,
            }
            let waits = state == TicketState::InQueue;
            let was_there = plan.is_over && n % 4 != 3;
            let entry = (state == TicketState::Requested).then(|| DrawEntry {
                showing,
                entry: entry_of(secret, order, of.id),
                ticket_type: of.id,
                count: 1,
                tickets: vec![id],
            });
            let ticket = Ticket {
                id,
                event: sale.event,
                showing,
                club: sale.club.clone(),
                ticket_type: of.id,
                person: Some(person.id),
                buyer: Some(person.id),
                state,
                part,
                queue: waits.then(|| sort.clone()),
                version: 1,
                code: 1,
                created_at: Timestamp::at(at),
                checked_in_at: was_there.then(|| sale.showing.start.plus(TimeDelta::minutes(2))),
                checked_out_at: None,
                entry: entry.as_ref().map(|entry| entry.entry.clone()),
                ended: vec![],
            };
            self.queued.extend(waits.then_some(QueuedTicket {
                showing,
                ticket_type: of.id,
                sort,
                ticket: id,
            }));
            self.entries.extend(entry);
            self.orders.push(TicketOrders {
                tickets: vec![id],
                ..TicketOrders::none(person.id, &ticket)
            });
            self.all.push(ticket);
        }
        counts.retain(|one| one.valid + one.waiting + one.requested > 0);
        self.counts.extend(counts);
    }

    /// Stores them, and tells the timer.
    pub async fn load(&self, table: &Table, now: Timestamp) -> Result<(), TableError> {
        table.load(&self.sales).await?;
        table.load(&self.all).await?;
        table.load(&self.counts).await?;
        table.load(&self.queued).await?;
        table.load(&self.orders).await?;
        table.load(&self.draws).await?;
        table.load(&self.entries).await?;
        let open = self.sales.iter().filter(|sale| !sale.is_over(now));
        let tasks: Vec<_> = open.map(|sale| sale.task_at(now, now)).collect();
        table.load(&tasks).await
    }
}
