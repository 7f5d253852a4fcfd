//! How many tickets of a type there are, and how the parts that count them share its capacity.

use futures::future::join_all;

use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Key, Table, TableError, Write, each, keys as names};
use crate::domain::event::model::Event;
use crate::domain::event::tickets::TicketType;
use crate::domain::ticket::keys;
use crate::domain::ticket::model::{
    LOOKS_AFTER, PARTITIONS, PARTS, Sale, Ticket, TicketCount, TicketState, share,
};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for Sale {
    const KIND: Kind = Kind::TicketSale;

    fn key(&self) -> Key {
        keys::sale(self.event, self.showing.id)
    }
}

impl Entity for TicketCount {
    const KIND: Kind = Kind::TicketCount;

    fn key(&self) -> Key {
        keys::count(self.showing, self.ticket_type, self.part)
    }
}

/// What a change adds to a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CountChange {
    pub(crate) valid: i64,
    over: i64,
    waiting: i64,
    requested: i64,
}

impl CountChange {
    /// Adds what a ticket is counted as, `by` times.
    pub(crate) fn add(&mut self, ticket: &Ticket, by: i64) {
        match ticket.state {
            TicketState::Valid if ticket.is_over() => self.over += by,
            TicketState::Valid => self.valid += by,
            TicketState::InQueue => self.waiting += by,
            TicketState::Requested => self.requested += by,
            TicketState::NotDrawn | TicketState::Cancelled => {}
        }
    }
}

/// The counts of one type, as they were read.
#[derive(Debug, Clone)]
pub struct Availability {
    showing: Id<of::Showing>,
    ticket_type: Id<of::TicketType>,
    capacity: Option<u32>,
    /// The parts that were written.
    parts: Vec<TicketCount>,
}

impl Availability {
    fn sum(&self, of: fn(&TicketCount) -> i64) -> u32 {
        let sum: i64 = self.parts.iter().map(of).sum();
        u32::try_from(sum).unwrap_or_default()
    }

    /// Returns whether these are the counts of a type.
    pub fn is_of(&self, ticket_type: Id<of::TicketType>) -> bool {
        self.ticket_type == ticket_type
    }

    /// Returns how many are valid.
    pub fn taken(&self) -> u32 {
        self.sum(|part| part.valid + part.over)
    }

    /// Returns how many wait for one.
    pub fn waiting(&self) -> u32 {
        self.sum(|part| part.waiting)
    }

    /// Returns how many take part in a draw.
    pub fn requested(&self) -> u32 {
        self.sum(|part| part.requested)
    }

    /// Returns whether there are any.
    pub fn is_used(&self) -> bool {
        self.taken() + self.waiting() + self.requested() > 0
    }

    /// Returns whether somebody comes before a new order.
    pub fn has_queue(&self) -> bool {
        self.waiting() > 0 || self.sum(|part| part.over) > 0
    }

    /// Returns how many can be taken; none: no limit.
    pub fn available(&self) -> Option<u32> {
        self.capacity.map(|most| most.saturating_sub(self.taken()))
    }

    /// Returns whether no order gets one.
    pub fn is_sold_out(&self) -> bool {
        self.has_queue() || self.available() == Some(0)
    }

    fn part(&self, number: u8) -> Option<&TicketCount> {
        self.parts.iter().find(|one| one.part == number)
    }

    /// Returns how many may be valid in a part. One that was never written has an equal share.
    fn limit(&self, number: u8) -> Option<u32> {
        match self.part(number) {
            Some(part) => part.limit,
            None => self.capacity.map(|all| share(all, number)),
        }
    }

    /// Returns how many can be taken in a part.
    fn free(&self, number: u8) -> i64 {
        let valid = self.part(number).map_or(0, |part| part.valid);
        self.limit(number)
            .map_or(i64::MAX, |limit| i64::from(limit) - valid)
    }

    /// Returns in which part each of `count` tickets is counted, beginning anywhere; fewer if there
    /// are not so many. Those that wait before them are not looked at.
    pub fn choose(&self, count: u32, anywhere: u64) -> Vec<u8> {
        let begin = u8::try_from(anywhere % u64::from(PARTS)).unwrap_or_default();
        let mut chosen = Vec::new();
        for number in (0..PARTS).map(|n| (begin + n) % PARTS) {
            let missing = count as usize - chosen.len();
            let free = usize::try_from(self.free(number)).unwrap_or_default();
            chosen.extend(std::iter::repeat_n(number, missing.min(free)));
        }
        chosen
    }

    fn update(&self, number: u8) -> Write {
        Write::update(keys::count(self.showing, self.ticket_type, number))
    }

    /// Returns the write of a part with another limit.
    fn limited(&self, number: u8, limit: Option<u32>, change: CountChange) -> Write {
        self.update(number)
            .set(names::TYPE, &TicketCount::TYPE)
            .set("showing", &self.showing)
            .set("ticket_type", &self.ticket_type)
            .set("part", &number)
            .set("limit", &limit)
            .add("valid", change.valid)
            .add("over", change.over)
            .add("waiting", change.waiting)
            .add("requested", change.requested)
            .counted()
    }

    /// Returns the write that changes a part. What is more than before is refused if the limit is
    /// not as it was read, and valid tickets beyond the limit.
    pub(crate) fn write(&self, number: u8, change: CountChange) -> Write {
        let limit = self.limit(number);
        let counts = [change.valid, change.over, change.waiting, change.requested];
        if counts.iter().all(|count| *count <= 0) {
            let names = ["valid", "over", "waiting", "requested"]
                .into_iter()
                .zip(counts);
            let write = names.fold(self.update(number), |write, (name, count)| {
                write.add(name, count)
            });
            return write.counted().if_exists();
        }
        self.limited(number, limit, change).if_new_or(|part| {
            let part = part.if_equals("limit", &limit);
            match limit {
                Some(limit) if change.valid > 0 => {
                    part.if_at_most("valid", &(i64::from(limit) - change.valid))
                }
                _ => part,
            }
        })
    }

    /// Returns the limits of all parts with which they allow this capacity; none if more are valid.
    fn limits_for(&self, capacity: Option<u32>) -> Option<Vec<(u8, Option<u32>)>> {
        let Some(capacity) = capacity else {
            return Some((0..PARTS).map(|number| (number, None)).collect());
        };
        let valid = |number| self.part(number).map_or(0, |part| part.valid);
        let rest = i64::from(capacity) - (0..PARTS).map(valid).sum::<i64>();
        let rest = u32::try_from(rest).ok()?;
        let limit = |number| u32::try_from(valid(number)).unwrap_or_default() + share(rest, number);
        Some(
            (0..PARTS)
                .map(|number| (number, Some(limit(number))))
                .collect(),
        )
    }

    /// Returns whether the parts allow the capacity of the type.
    pub fn fits(&self) -> bool {
        let limits = (0..PARTS).map(|number| self.limit(number));
        limits.sum::<Option<u32>>() == self.capacity
    }
}

impl Table {
    /// Returns the types of a showing: 1 read.
    pub async fn sale(
        &self,
        event: Id<of::Event>,
        showing: Id<of::Showing>,
    ) -> Result<Option<Sale>, TableError> {
        self.get(keys::sale(event, showing)).await
    }

    /// Returns the types of showings that have some: 1 batch read per 100.
    pub async fn sales(
        &self,
        requested: Vec<(Id<of::Event>, Id<of::Showing>)>,
    ) -> Result<Vec<Sale>, TableError> {
        let keys = requested
            .into_iter()
            .map(|(event, id)| keys::sale(event, id));
        self.get_all(keys.collect(), true).await
    }

    /// Stores the types of a new showing, and when the timer looks at it: 1 transaction. If they
    /// are there already, they stay.
    pub async fn create_sale(&self, sale: &Sale, now: Timestamp) -> Result<(), TableError> {
        let sale_is_new = Write::put(sale)?.if_new();
        let task = Write::put(&sale.task_at(now.plus(LOOKS_AFTER), now))?;
        ignore_refusal(self.transact(vec![sale_is_new, task]).await)
    }

    /// Stores that a showing is cancelled, and has the timer tell it, also those whose order was on
    /// its way: 1 transaction.
    pub async fn cancel_sale(&self, sale: &Sale, now: Timestamp) -> Result<(), TableError> {
        let cancelled = Write::update(sale.key()).set("cancelled", &true);
        let cancelled = cancelled.if_exists().if_none("cancelled");
        let task = Write::put(&sale.task_at(now, now))?;
        let again = Write::put(&sale.task_at(now.plus(LOOKS_AFTER), now))?;
        ignore_refusal(self.transact(vec![cancelled, task, again]).await)
    }

    /// Has the timer look at a showing within a minute, before somebody waits there or a place
    /// becomes free: 1 write.
    pub async fn look_soon(&self, sale: &Sale, now: Timestamp) -> Result<(), TableError> {
        let task = sale.task_at(now.plus(LOOKS_AFTER), now);
        match self.file_task(&task).await {
            // It is probably stored, and what follows may be stored now.
            Err(TableError::Unknown(_)) => Ok(()),
            filed => filed,
        }
    }

    /// Gives the types of all showings the name of their event: 1 write for each. Those that know a
    /// later version stay.
    pub async fn rename_sales(&self, event: &Event) -> Result<(), TableError> {
        let writes: Vec<Write> = event
            .sales()
            .into_iter()
            .map(|(event_id, id)| Write::update(keys::sale(event_id, id)))
            .map(|write| {
                let renamed = write.set("event_name", &event.name);
                let renamed = renamed.set("version", &event.version);
                renamed.if_below("version", &event.version)
            })
            .collect();
        each(writes, async |write| {
            ignore_refusal(self.write(write).await)
        })
        .await
    }

    /// Notes what the timer has mailed: 1 write. A change of the showing that came meanwhile is
    /// mailed later.
    pub async fn note_mailed(&self, old: &Sale, new: &Sale) -> Result<(), TableError> {
        let write = Write::update(new.key())
            .set("reminded_of", &new.reminded_of)
            .set("change_at", &new.change_at)
            .set("changes", &new.changes)
            .if_equals("version", &old.version);
        ignore_refusal(self.write(write).await)
    }

    /// Returns how many tickets there are of each type of a showing, in the order of its types: 4
    /// queries side by side. For half the price they may be a moment old.
    pub async fn availability(
        &self,
        sale: &Sale,
        consistent: bool,
    ) -> Result<Vec<Availability>, TableError> {
        let pks = (0..PARTITIONS).map(|partition| keys::counts(sale.showing.id, partition));
        let parts = self.partitions(pks.collect(), Range::All, None, consistent);
        let parts: Vec<TicketCount> = parts.await?;
        let of = |one: &TicketType| Availability {
            showing: sale.showing.id,
            ticket_type: one.id,
            capacity: one.capacity,
            parts: parts
                .iter()
                .filter(|part| part.ticket_type == one.id)
                .cloned()
                .collect(),
        };
        Ok(sale.types.iter().map(of).collect())
    }

    /// Makes the parts of a type allow this capacity: 64 writes. Whoever orders meanwhile is
    /// refused, or counts. Returns false if more tickets are valid; then other parts may allow too
    /// few until it is called with the capacity that the type has.
    pub async fn fit_capacity(
        &self,
        sale: &Sale,
        ticket_type: Id<of::TicketType>,
        capacity: Option<u32>,
    ) -> Result<bool, TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let all = self.availability(sale, true).await?;
            let Some(read) = all.into_iter().find(|one| one.ticket_type == ticket_type) else {
                return Ok(true);
            };
            let Some(limits) = read.limits_for(capacity) else {
                return Ok(false);
            };
            let changed = limits.into_iter().filter(|(number, limit)| {
                read.part(*number).map(|part| part.limit) != Some(*limit)
            });
            // Those that become smaller first: the sum is never more than both capacities.
            let is_smaller = |(number, limit): &(u8, Option<u32>)| {
                let is_below = |new: u32| read.limit(*number).is_none_or(|old| new < old);
                limit.is_some_and(is_below)
            };
            let (smaller, others): (Vec<_>, Vec<_>) = changed.partition(is_smaller);
            let mut is_done = true;
            for limits in [smaller, others] {
                if !is_done {
                    break;
                }
                let writes = limits.into_iter().map(|(number, limit)| {
                    let write = read.limited(number, limit, CountChange::default());
                    let write = match read.part(number) {
                        Some(part) => write
                            .if_equals("valid", &part.valid)
                            .if_equals("limit", &part.limit),
                        None => write.if_new(),
                    };
                    self.write(write)
                });
                for done in join_all(writes.collect::<Vec<_>>()).await {
                    match done {
                        Err(TableError::Refused(_)) => is_done = false,
                        other => drop(other?),
                    }
                }
            }
            if is_done {
                return Ok(true);
            }
        }
    }
}
