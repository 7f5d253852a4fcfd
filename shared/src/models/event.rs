use serde::{Deserialize, Serialize};

use super::{ClubCode, integer_enum};
use crate::ids::Id;
use crate::time::Timestamp;

integer_enum! {
    /// What kind of event it is.
    EventType {
        /// None of the others.
        Other = 0,
        /// Recruitment.
        Recruitment = 1,
        /// General body meeting.
        Gbm = 2,
        /// Somebody speaks.
        Speaker = 3,
        /// A fair.
        Fair = 4,
        /// A social event.
        Social = 5,
        /// About careers.
        Career = 6,
    }
}

/// An event of a club with its showingsV11: one item, so that they always agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Event id.
    pub id: Id<Event>,
    /// Code of the host.
    pub club: ClubCode,
    /// Moves with every change.
    pub version: u64,
    /// Name.
    pub name: String,
    /// HTML, cleaned.
    pub description: String,
    /// Kind.
    pub event_type: EventType,
    /// A link, such as one to a meeting; for signed-in callers.
    pub url: Option<String>,
    /// Flyer.
    pub image: Option<Image>,
    /// Shown first by clients; admins decide.
    pub pinned: bool,
    /// When and where; by start, then id.
    pub showings: Vec<Showing>,
    /// The part of the catalogue that it was in before: there is a copy of it there too, until it
    /// changes again.
    pub former_part: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}

/// One occurrence of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    /// Showing id.
    pub id: Id<Showing>,
    /// Begins.
    pub start: Timestamp,
    /// Ends; not before it begins.
    pub end: Timestamp,
    /// Where.
    pub location: Option<String>,
    /// Whether callers who are not signed in see where.
    pub location_is_public: bool,
    /// Whether it was said to need tickets.
    pub ticketed: bool,
    /// From when there are tickets.
    pub ticket_drop: Option<Timestamp>,
    /// Tickets of one order at most.
    pub ticket_order_limit: u32,
}

impl Showing {
    /// Whether tickets are needed.
    pub fn needs_tickets(&self) -> bool {
        self.ticketed || self.ticket_drop.is_some()
    }
}

/// A stored image: the names of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Full size.
    pub full: String,
    /// At most 600 pixels wide.
    pub small: String,
}

/// The first and last moments of an event's showings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Earliest and latest start.
    pub starts: (Timestamp, Timestamp),
    /// Earliest and latest end.
    pub ends: (Timestamp, Timestamp),
}

impl Event {
    /// From the first to the last showing; none without showings.
    pub fn span(&self) -> Option<Span> {
        let range = |times: fn(&Showing) -> Timestamp| {
            Some((
                self.showings.iter().map(times).min()?,
                self.showings.iter().map(times).max()?,
            ))
        };
        Some(Span {
            starts: range(|showing| showing.start)?,
            ends: range(|showing| showing.end)?,
        })
    }

    /// Brings the showings into their order.
    pub fn sort_showings(&mut self) {
        self.showings
            .sort_by_key(|showing| (showing.start, showing.id));
    }
}
