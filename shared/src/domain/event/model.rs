use crate::domain::image::Image;
use serde::{Deserialize, Serialize};

use crate::domain::event::tickets::{TicketRules, TicketType};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

crate::text::enums::integer_enum! {
    /// The kind of an event.
    EventType {
        /// Any other kind.
        Other = 0,
        /// A recruitment event.
        Recruitment = 1,
        /// A general body meeting.
        GeneralBodyMeeting = 2,
        /// A talk by a speaker.
        Speaker = 3,
        /// A fair.
        Fair = 4,
        /// A social event.
        Social = 5,
        /// An event about careers.
        Career = 6,
    }
}

/// An event of a club with its showings (V11). Both are stored in one item, so that they are always
/// consistent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Id of the event.
    pub id: Id<of::Event>,
    /// Code of the club that hosts it.
    pub club: ClubCode,
    /// Changes with every change.
    pub version: u64,
    /// Name of the event.
    pub name: String,
    /// Clean HTML.
    pub description: String,
    /// Kind of the event.
    pub event_type: EventType,
    /// A link, for example to an online meeting; shown to signed-in callers only.
    pub url: Option<String>,
    /// Flyer; none if the event has none.
    pub image: Option<Image>,
    /// What the flyer shows, for people who do not see it; empty if nobody has said it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub image_alt: String,
    /// Whether clients show it first; only admins can set this.
    pub pinned: bool,
    /// Times and places, ordered by start and id.
    pub showings: Vec<Showing>,
    /// In the table: the version of the item with the whole description, if this one has only its
    /// beginning. None in memory, unless the event is one of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<u64>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// One occurrence of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    /// Id of the showing.
    pub id: Id<of::Showing>,
    /// Start.
    pub start: Timestamp,
    /// End; not before the start.
    pub end: Timestamp,
    /// Place.
    pub location: Option<String>,
    /// Whether callers who are not signed in can see the place.
    pub location_is_public: bool,
    /// Whether the organiser marked it as requiring tickets.
    pub ticketed: bool,
    /// When tickets become available.
    pub ticket_drop: Option<Timestamp>,
    /// Maximum number of tickets in one order.
    pub ticket_order_limit: u32,
    /// When it was added to an event that was there, or its start was last changed; none if it is
    /// as old as its event. It is not news before this (G3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_set_at: Option<Timestamp>,
    /// How tickets are given out.
    #[serde(default, skip_serializing_if = "TicketRules::is_default")]
    pub tickets: TicketRules,
    /// In memory, if the request is about its tickets: their types. Not stored here, because an
    /// event has up to 100 showings.
    #[serde(skip)]
    pub types: Option<Vec<TicketType>>,
}

impl Showing {
    /// Returns whether tickets are required.
    pub fn needs_tickets(&self) -> bool {
        self.ticketed || self.ticket_drop.is_some() || self.tickets.has_types
    }
}

/// The earliest and latest times of an event's showings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Earliest and latest start.
    pub starts: (Timestamp, Timestamp),
    /// Earliest and latest end.
    pub ends: (Timestamp, Timestamp),
}

/// The whole description of an event, if it is longer than what the event itself holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EventText {
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Code of the club.
    pub club: ClubCode,
    /// The version of the event that it belongs to.
    pub version: u64,
    /// The description.
    pub description: String,
}

impl Event {
    /// Returns the time from the first to the last showing; none if there are no showings.
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

    /// Returns the first showing that ends after this time, or the last one if all have ended.
    pub fn next_showing(&self, time: Timestamp) -> Option<&Showing> {
        let mut showings = self.showings.iter();
        let next = showings.find(|showing| showing.end > time);
        next.or(self.showings.last())
    }

    /// Returns the bytes of the locations of all showings.
    pub fn location_bytes(&self) -> usize {
        let locations = self.showings.iter().filter_map(|one| one.location.as_ref());
        locations.map(String::len).sum()
    }

    /// Returns where the types of its showings are that have some.
    pub fn sales(&self) -> Vec<(Id<of::Event>, Id<of::Showing>)> {
        let showings = self.showings.iter().filter(|one| one.tickets.has_types);
        showings.map(|one| (self.id, one.id)).collect()
    }

    /// Sorts the showings by start and id.
    pub fn sort_showings(&mut self) {
        self.showings
            .sort_by_key(|showing| (showing.start, showing.id));
    }
}
