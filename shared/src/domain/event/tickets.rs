use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// How tickets are given out.
    TicketSale {
        /// To whoever comes first.
        FirstCome,
        /// By a draw among all who ordered before it.
        Draw,
    }
}

crate::text::enums::text_enum! {
    /// For whom a type of ticket is.
    Audience {
        /// Everybody who can see the event.
        Everybody,
        /// Members of the club, with any role.
        Members,
    }
}

/// How tickets of a showing are given out. A small part of the showing itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketRules {
    /// Whether it has types of tickets ([`Sale::types`]).
    pub has_types: bool,
    /// Until when they can be ordered; none: until the start.
    pub end: Option<Timestamp>,
    /// Whether people can wait for one.
    pub waiting_list: bool,
    /// How they are given out.
    pub sale: TicketSale,
    /// When they are drawn, if they are.
    pub draw: Option<Timestamp>,
}

impl Default for TicketRules {
    fn default() -> Self {
        Self {
            has_types: false,
            end: None,
            waiting_list: true,
            sale: TicketSale::FirstCome,
            draw: None,
        }
    }
}

impl TicketRules {
    /// Returns whether nothing was ever set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A type of ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketType {
    /// Id of the type.
    pub id: Id<of::TicketType>,
    /// Its name, unique in the showing.
    pub name: String,
    /// Plain text.
    pub description: String,
    /// How many there are; none: no limit.
    pub capacity: Option<u32>,
    /// For whom it is.
    pub audience: Audience,
    /// What is paid at the door, plain text. The service takes no money.
    pub price: String,
}
