use std::fmt;
use std::str::FromStr;

use chrono::TimeDelta;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::db::{TableError, Write};
use crate::domain::event::model::Showing;
use crate::domain::event::tickets::{TicketSale, TicketType};
use crate::domain::task::model::{REMINDED_BEFORE, ScheduledTask, TaskKind};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

/// So many parts count the tickets of one type.
pub(crate) const PARTS: u8 = 64;

/// So many partitions have the parts, and so many the tickets and the queues of a showing. Each
/// allows 1,000 write units a second.
pub(crate) const PARTITIONS: u8 = 4;

/// The types of tickets of a showing, with what an order must know of the showing (Y1). It stays
/// after the showing was deleted: tickets show what they were for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sale {
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Code of the club.
    pub club: ClubCode,
    /// The showing, with its rules.
    pub showing: Showing,
    /// The types, at most 10.
    pub types: Vec<TicketType>,
    /// The version of the event with which it was written.
    pub version: u64,
    /// The name of the event.
    pub event_name: String,
    /// The start of which everybody was reminded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded_of: Option<Timestamp>,
    /// When holders are told that time or location changed; none if they know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_at: Option<Timestamp>,
    /// When they were told that in the last 24 hours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Timestamp>,
    /// Whether showing, event or club were deleted. Then all tickets are cancelled, and nothing
    /// can be taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
}

impl Sale {
    /// Returns the type with this id.
    pub fn ticket_type(&self, id: Id<of::TicketType>) -> Option<&TicketType> {
        self.types.iter().find(|one| one.id == id)
    }

    /// Returns when nobody gets a ticket any more who waits, or gives one back.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.cancelled || self.showing.start <= now
    }

    /// Returns the write that stores it; refused if it was cancelled meanwhile.
    pub fn saved(&self) -> Result<Write, TableError> {
        Ok(Write::put(self)?.if_none("cancelled"))
    }

    /// Returns when the draw begins: half a minute after its time, because an order that came in
    /// time may be stored later. None if there is none.
    pub fn draw_begins_at(&self) -> Option<Timestamp> {
        let rules = &self.showing.tickets;
        let draw = rules.draw.filter(|_| rules.sale == TicketSale::Draw);
        draw.map(|at| at.plus(TimeDelta::seconds(30)))
    }

    /// Returns when the timer has to look at it next, if nobody waits: for the draw, and 24 hours
    /// before the start.
    pub fn next_look(&self, now: Timestamp) -> Option<Timestamp> {
        let reminder = self.showing.start.plus(-REMINDED_BEFORE);
        let is_reminded = self.reminded_of == Some(self.showing.start);
        let reminder = Some(reminder).filter(|_| !is_reminded);
        let draw = self.draw_begins_at().filter(|at| *at > now);
        let times = draw.into_iter().chain(reminder).chain(self.change_at);
        let next = times.map(|at| at.max(now)).min();
        next.filter(|_| !self.is_over(now))
    }

    /// Returns the entry with which the timer looks at the showing next, if nothing happens before.
    pub fn next_task(&self, now: Timestamp) -> Option<ScheduledTask> {
        Some(self.task(0, self.next_look(now)?, now))
    }

    /// Returns an entry with which the timer looks at the showing soon. Those of a quarter of a
    /// minute are one, so that however many are filed, none is put off for longer.
    pub fn task_at(&self, at: Timestamp, now: Timestamp) -> ScheduledTask {
        let second = at.max(now).epoch_seconds().rem_euclid(3_600);
        self.task(1 + u8::try_from(second / 15).unwrap_or_default(), at, now)
    }

    fn task(&self, part: u8, at: Timestamp, now: Timestamp) -> ScheduledTask {
        let what = TaskKind::Tickets {
            event: self.event,
            showing: self.showing.id,
            part,
        };
        ScheduledTask::new(at, now, what)
    }

    /// Takes over what the timer has done with the stored one. If somebody has a ticket, and time
    /// or location are others, they are told: at most three times in 24 hours, later changes
    /// together (Y12).
    pub fn carry(&mut self, stored: &Self, is_used: bool, now: Timestamp) {
        let day = TimeDelta::hours(24);
        self.reminded_of = stored.reminded_of;
        self.change_at = stored.change_at;
        let recent = stored.changes.iter().filter(|at| now < at.plus(day));
        self.changes = recent.copied().collect();
        let appearance = |sale: &Self| {
            let showing = &sale.showing;
            (showing.start, showing.end, showing.location.clone())
        };
        if is_used && appearance(self) != appearance(stored) {
            let first = self
                .changes
                .first()
                .filter(|_| self.changes.len() >= CHANGES_A_DAY);
            self.change_at = Some(first.map_or(now, |first| first.plus(day)));
        }
    }

    /// Returns the end of the orders.
    pub fn end(&self) -> Timestamp {
        self.showing.tickets.end.unwrap_or(self.showing.start)
    }
}

/// After a change the timer looks at a showing so much later: what could not be done is done then.
/// No request takes longer.
pub const LOOKS_AFTER: TimeDelta = TimeDelta::seconds(30);

/// So often in 24 hours are holders told that a showing changed.
const CHANGES_A_DAY: usize = 3;

/// The id of a ticket: 16 hexadecimal digits (an exception to H5). Those of one order are
/// consecutive, and later orders have larger ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketId(pub u64);

/// Tickets of one order have ids in a row of this length.
const IN_ONE_ORDER: u64 = 1 << 11;

impl TicketId {
    /// Returns the `n`th ticket of an order.
    pub fn of_order(order: u64, n: u64) -> Self {
        Self(order.wrapping_mul(IN_ONE_ORDER) | (n % IN_ONE_ORDER))
    }

    /// Returns the order that it is part of.
    pub fn order(self) -> u64 {
        self.0 / IN_ONE_ORDER
    }

    /// Returns the part that counts it if it has no share of the capacity.
    pub fn part(self) -> u8 {
        let part = (self.0 / IN_ONE_ORDER).wrapping_add(self.0) % u64::from(PARTS);
        u8::try_from(part).unwrap_or_default()
    }

    /// Tickets of one order are in one partition.
    pub(crate) fn partition(self) -> u8 {
        u8::try_from(self.order() % u64::from(PARTITIONS)).unwrap_or_default()
    }
}

impl fmt::Display for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for TicketId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 16 || !text.bytes().all(is_hex) {
            return Err(());
        }
        u64::from_str_radix(text, 16).map(Self).map_err(drop)
    }
}

impl Serialize for TicketId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TicketId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|()| serde::de::Error::custom("no id of a ticket"))
    }
}

crate::text::enums::text_enum! {
    /// The state of a ticket.
    TicketState {
        /// It opens the door.
        Valid,
        /// Its holder gets it when others give theirs back.
        InQueue = "waiting",
        /// It takes part in a draw that was not held yet.
        Requested,
        /// It was not drawn, and nobody can wait.
        NotDrawn,
        /// It was given back, or the club cancelled it.
        Cancelled,
    }
}

/// A ticket of a showing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Its id.
    pub id: TicketId,
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Code of the club.
    pub club: ClubCode,
    /// Id of its type.
    pub ticket_type: Id<of::TicketType>,
    /// Who has it; none after an erasure.
    pub person: Option<Id<of::Person>>,
    /// Who took it: it counts for them too (Y8).
    pub buyer: Option<Id<of::Person>>,
    /// Its state.
    pub state: TicketState,
    /// The part that counts it.
    pub part: u8,
    /// Where it stands among those who wait, or those beyond the capacity ([`QueuedTicket::sort`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Its entry in a draw ([`super::draw::DrawEntry::entry`]), if it took part in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Changes with each change but check-ins.
    pub version: u64,
    /// The version of its code, which is another one after it was handed over.
    pub code: u16,
    /// When it was ordered or issued.
    pub created_at: Timestamp,
    /// When its holder was let in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_in_at: Option<Timestamp>,
    /// When that was taken back last. Scans up to then do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_out_at: Option<Timestamp>,
    /// Until when earlier codes were valid: the version of each, when, and why it ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedCode>,
}

/// A code that is valid no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedCode {
    /// Its version.
    pub code: u16,
    /// Since when.
    pub at: Timestamp,
    /// Why.
    pub why: Conflict,
}

crate::text::enums::text_enum! {
    /// What happened to a code after it was scanned.
    Conflict {
        /// The ticket was cancelled or given back.
        CancelledSince = "cancelled",
        /// It was handed over to somebody else.
        TransferredSince = "transferred",
    }
}

impl Ticket {
    /// Returns whether it is beyond the capacity: it has no share of it (Y9).
    pub fn is_over(&self) -> bool {
        self.state == TicketState::Valid && self.queue.is_some()
    }

    /// Returns whether it counts for the limit of this person: they have it, or took it.
    pub fn counts_for(&self, person: Id<of::Person>) -> bool {
        self.counts() && (self.person == Some(person) || self.buyer == Some(person))
    }

    /// Returns whether it is valid, or may become so.
    pub fn counts(&self) -> bool {
        matches!(
            self.state,
            TicketState::Valid | TicketState::InQueue | TicketState::Requested
        )
    }
}

/// Where a ticket waits, or stands beyond the capacity. The smallest `sort` is served first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedTicket {
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Id of the type.
    pub ticket_type: Id<of::TicketType>,
    /// `0#<id>` beyond the capacity, `1#<rank>#<id>` not drawn, `2#<id>` for who came later.
    pub sort: String,
    /// Id of the ticket.
    pub ticket: TicketId,
}

/// The tickets of one type in one of the parts that count them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketCount {
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Id of the type.
    pub ticket_type: Id<of::TicketType>,
    /// Its number.
    pub part: u8,
    /// How many may be valid; none: no limit.
    pub limit: Option<u32>,
    /// How many are valid, without those beyond the capacity.
    #[serde(default)]
    pub valid: i64,
    /// How many are valid beyond the capacity.
    #[serde(default)]
    pub over: i64,
    /// How many wait.
    #[serde(default)]
    pub waiting: i64,
    /// How many take part in a draw that was not held yet.
    #[serde(default)]
    pub requested: i64,
}

impl TicketCount {
    /// Returns a part that counts nothing yet, with an equal share of the capacity.
    pub fn new(showing: Id<of::Showing>, of: &TicketType, part: u8) -> Self {
        Self {
            showing,
            ticket_type: of.id,
            part,
            limit: of.capacity.map(|all| share(all, part)),
            valid: 0,
            over: 0,
            waiting: 0,
            requested: 0,
        }
    }
}

/// Returns the share of a part.
pub(crate) fn share(all: u32, part: u8) -> u32 {
    all / u32::from(PARTS) + u32::from(u32::from(part) < all % u32::from(PARTS))
}

/// What a person has ordered for a showing. Each order of theirs writes it, so their limit holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketOrders {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Changes with each order.
    pub version: u64,
    /// The tickets that they took or got, the oldest first.
    pub tickets: Vec<TicketId>,
    /// The orders of the last 24 hours.
    pub orders: Vec<TicketOrder>,
    /// When they handed tickets over in the last 24 hours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<Timestamp>,
}

impl TicketOrders {
    /// Returns the next version of what a person has ordered for the showing of a ticket.
    pub fn after(old: Option<&Self>, person: Id<of::Person>, ticket: &Ticket) -> Self {
        match old {
            Some(old) => Self {
                version: old.version + 1,
                ..old.clone()
            },
            None => Self::none(person, ticket),
        }
    }

    /// Returns what somebody has ordered who has ordered nothing for the showing of a ticket.
    pub fn none(person: Id<of::Person>, ticket: &Ticket) -> Self {
        Self {
            person,
            event: ticket.event,
            showing: ticket.showing,
            version: 1,
            tickets: vec![],
            orders: vec![],
            transfers: vec![],
        }
    }
}

/// An order of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketOrder {
    /// The id of the request ([`crate::web::NewId`]).
    pub id: u64,
    /// When.
    pub at: Timestamp,
}
