//! Tickets, who waits for one, and what people have ordered: how they are stored and read.

use std::collections::BTreeMap;

use futures::future::try_join_all;

use crate::db::execute::WriteResult;
use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Refusal, Table, TableError, Write, from_item};
use crate::domain::person;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::ticket::keys;
use crate::domain::ticket::model::{
    PARTITIONS, QueuedTicket, Sale, Ticket, TicketId, TicketOrders, TicketState,
};
use crate::domain::ticket::sale::{Availability, CountChange};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::time::Timestamp;

impl Entity for Ticket {
    const KIND: Kind = Kind::Ticket;
    const KEEPS_ACTOR: bool = true;

    fn key(&self) -> Key {
        keys::ticket(self.showing, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        let person = self.person?;
        Some(keys::own_ticket(person, self.showing, self.id))
    }
}

impl Entity for QueuedTicket {
    const KIND: Kind = Kind::QueuedTicket;

    fn key(&self) -> Key {
        let partition = self.ticket.partition();
        let pk = keys::queue(self.showing, self.ticket_type, partition);
        Key::new(pk, self.sort.clone())
    }
}

impl Entity for TicketOrders {
    const KIND: Kind = Kind::TicketOrders;

    fn key(&self) -> Key {
        keys::orders(self.person, self.showing)
    }
}

impl Ticket {
    /// Returns where it stands, if it waits or stands beyond the capacity.
    pub(crate) fn queued(&self) -> Option<QueuedTicket> {
        Some(QueuedTicket {
            showing: self.showing,
            ticket_type: self.ticket_type,
            sort: self.queue.clone()?,
            ticket: self.id,
        })
    }
}

/// A ticket before and after a change; before is none if it is new.
pub struct TicketChange<'a> {
    /// As it was read.
    pub before: Option<&'a Ticket>,
    /// As it shall be.
    pub after: &'a Ticket,
}

/// What is stored with a change of tickets.
#[derive(Default)]
pub struct Beside<'a> {
    /// What people have ordered: as it was read, and as it shall be.
    pub orders: Vec<(Option<&'a TicketOrders>, TicketOrders)>,
    /// Mails that tell it, and when the timer looks at the showing.
    pub others: Vec<Write>,
}

/// Returns the writes of tickets that change, with all that follows: who waits, and the counts of
/// their types. Refused as [`Refusal::Exists`] if a new ticket is there already, and else as
/// [`Refusal::Changed`].
pub(crate) fn ticket_writes(
    changes: &[TicketChange<'_>],
    availability: &[Availability],
) -> Result<Vec<Write>, TableError> {
    let mut counts: BTreeMap<(Id<of::TicketType>, u8), CountChange> = BTreeMap::new();
    let (mut tickets, mut queue) = (vec![], vec![]);
    for TicketChange { before, after } in changes {
        tickets.push(match before {
            None => Write::create(*after)?.or(Refusal::Exists),
            Some(before) => Write::put(*after)?
                .if_equals("version", &before.version)
                .if_is("checked_in_at", before.checked_in_at.as_ref()),
        });
        for (ticket, by) in [(*before, -1), (Some(*after), 1)] {
            let Some(ticket) = ticket else { continue };
            let part = (ticket.ticket_type, ticket.part);
            counts.entry(part).or_default().add(ticket, by);
        }
        let (old, new) = (before.and_then(Ticket::queued), after.queued());
        if old != new {
            queue.extend(old.map(|old| Write::delete(old.key())));
            queue.extend(new.map(|new| Write::create(&new)).transpose()?);
        }
    }
    let counts = counts
        .into_iter()
        .filter(|(_, change)| *change != CountChange::default());
    let counts = counts.filter_map(|((of, part), change)| {
        let read = availability.iter().find(|one| one.is_of(of))?;
        Some(read.write(part, change))
    });
    Ok(tickets.into_iter().chain(queue).chain(counts).collect())
}

impl Table {
    /// Changes tickets in one transaction, with what is stored beside them.
    pub async fn change_tickets(
        &self,
        changes: &[TicketChange<'_>],
        availability: &[Availability],
        beside: Beside<'_>,
    ) -> Result<(), TableError> {
        let mut writes = ticket_writes(changes, availability)?;
        for (old, new) in &beside.orders {
            let write = Write::put(new)?;
            writes.push(match old {
                None => write.if_new(),
                Some(old) => write.if_equals("version", &old.version),
            });
            writes.push(check_not_erasing(new.person));
        }
        writes.extend(beside.others);
        self.transact(writes).await
    }

    /// Stores a ticket that is counted as before.
    pub(crate) async fn anonymise_ticket(
        &self,
        before: &Ticket,
        after: &Ticket,
    ) -> Result<(), TableError> {
        let write = Write::put(after)?.if_equals("version", &before.version);
        self.transact(vec![write]).await
    }

    /// Notes when the holder of a ticket was let in: 1 write. Returns whether it was valid and
    /// nobody was let in before, and the ticket as it was; none if there is no such ticket.
    pub async fn check_in(
        &self,
        (showing, id): (Id<of::Showing>, TicketId),
        code: Option<u16>,
        at: Timestamp,
    ) -> Result<(bool, Option<Ticket>), TableError> {
        let write = Write::update(keys::ticket(showing, id))
            .set("checked_in_at", &at)
            .by_actor()
            .if_equals("state", &TicketState::Valid)
            .if_none("checked_in_at")
            .if_none("checked_out_at");
        let write = match code {
            Some(code) => write.if_equals("code", &code),
            None => write,
        };
        match self.try_write(write).await? {
            WriteResult::Now(before) => Ok((true, before.map(from_item).transpose()?)),
            WriteResult::Before => Ok((true, self.ticket(showing, id).await?)),
            WriteResult::Refused(stored) => Ok((false, stored.map(from_item).transpose()?)),
        }
    }

    /// Stores when the holder of a ticket was let in, or that this was taken back. Returns false if
    /// the ticket changed after it was read.
    pub async fn set_checked_in(
        &self,
        ticket: &Ticket,
        at: Option<Timestamp>,
        out: Option<Timestamp>,
    ) -> Result<bool, TableError> {
        let write = Write::update(ticket.key())
            .set("checked_in_at", &at)
            .set("checked_out_at", &out.or(ticket.checked_out_at))
            .by_actor()
            .if_equals("version", &ticket.version)
            .if_is("checked_in_at", ticket.checked_in_at.as_ref())
            .if_is("checked_out_at", ticket.checked_out_at.as_ref());
        match self.write(write).await {
            Err(TableError::Refused(_)) => Ok(false),
            done => done.map(|_| true),
        }
    }

    /// Returns a ticket of a showing: 1 read.
    pub async fn ticket(
        &self,
        showing: Id<of::Showing>,
        ticket: TicketId,
    ) -> Result<Option<Ticket>, TableError> {
        self.get(keys::ticket(showing, ticket)).await
    }

    /// Returns what a person has ordered: 1 query.
    pub async fn ticket_orders(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<TicketOrders>, TableError> {
        let range = Range::Prefix(keys::ORDERS.into());
        self.query(person::keys::own(person), range).await
    }

    /// Returns what a person has ordered for a showing: 1 read.
    pub async fn orders_of(
        &self,
        person: Id<of::Person>,
        showing: Id<of::Showing>,
    ) -> Result<Option<TicketOrders>, TableError> {
        self.get(keys::orders(person, showing)).await
    }

    /// Returns tickets by their showings and ids: 1 batch read per 100.
    pub async fn tickets(
        &self,
        requested: impl IntoIterator<Item = (Id<of::Showing>, TicketId)>,
    ) -> Result<Vec<Ticket>, TableError> {
        let keys = requested.into_iter();
        let keys = keys
            .map(|(showing, ticket)| keys::ticket(showing, ticket))
            .collect();
        let mut found: Vec<Ticket> = self.get_all(keys, true).await?;
        found.sort_by_key(|ticket| ticket.id);
        Ok(found)
    }

    /// Returns the tickets of a showing after this one, in the order of their ids, at least `most`
    /// if there are so many: queries of 4 partitions side by side.
    pub async fn tickets_after(
        &self,
        showing: Id<of::Showing>,
        after: Option<TicketId>,
        most: usize,
    ) -> Result<Vec<Ticket>, TableError> {
        let begin = after.map_or_else(|| " ".to_owned(), |after| format!("{after}#"));
        let range = Range::Between(begin, "~".into());
        let pks = (0..PARTITIONS).map(|partition| keys::tickets(showing, partition));
        let mut found: Vec<Ticket> = self
            .partitions(pks.collect(), range, Some(most), true)
            .await?;
        found.sort_by_key(|ticket| ticket.id);
        Ok(found)
    }

    /// Returns the first in the queue of a type: 4 queries side by side.
    pub async fn first_in_queue(
        &self,
        sale: &Sale,
        of: Id<of::TicketType>,
        most: usize,
    ) -> Result<Vec<QueuedTicket>, TableError> {
        let pks = (0..PARTITIONS).map(|partition| keys::queue(sale.showing.id, of, partition));
        let first = self.partitions(pks.collect(), Range::All, Some(most), true);
        let mut first: Vec<QueuedTicket> = first.await?;
        first.sort_by(|a, b| a.sort.cmp(&b.sort));
        first.truncate(most);
        Ok(first)
    }

    /// Returns the position of a ticket that waits, from 1: those before it are read, at most
    /// [`COUNTED`] of each partition, as they were a moment ago.
    pub async fn position(&self, ticket: &Ticket) -> Result<Option<usize>, TableError> {
        let Some(sort) = ticket.queue.as_ref().filter(|_| !ticket.is_over()) else {
            return Ok(None);
        };
        let range = Range::Between("1".into(), sort.clone());
        let (showing, of) = (ticket.showing, ticket.ticket_type);
        let pks = (0..PARTITIONS).map(|partition| keys::queue(showing, of, partition));
        let queue = self.partitions(pks.collect(), range, Some(COUNTED), false);
        let queue: Vec<QueuedTicket> = queue.await?;
        let others = queue.iter().filter(|one| one.ticket != ticket.id);
        Ok(Some(1 + others.count()))
    }

    /// Returns what is in these partitions, at least `most` of each if there are so many: queries
    /// side by side.
    pub(crate) async fn partitions<E: Entity + Send>(
        &self,
        pks: Vec<String>,
        range: Range,
        most: Option<usize>,
        consistent: bool,
    ) -> Result<Vec<E>, TableError> {
        let parts = pks
            .into_iter()
            .map(|pk| self.partition(pk, range.clone(), most, consistent));
        Ok(try_join_all(parts).await?.into_iter().flatten().collect())
    }

    async fn partition<E: Entity + Send>(
        &self,
        pk: String,
        range: Range,
        most: Option<usize>,
        consistent: bool,
    ) -> Result<Vec<E>, TableError> {
        let size = most.map(|most| i32::try_from(most).unwrap_or(i32::MAX));
        let fetch = match (size, consistent) {
            (Some(size), true) => Fetch::Pages(size),
            (None, true) => Fetch::Items,
            (_, false) => Fetch::Eventual,
        };
        let mut all: Vec<E> = Vec::new();
        self.each_page(false, pk, range, fetch, |page| {
            all.extend(page);
            Ok(most.is_none_or(|most| all.len() < most))
        })
        .await?;
        Ok(all)
    }
}

/// So many of those who wait before a ticket are counted in each partition.
const COUNTED: usize = 5_000;
