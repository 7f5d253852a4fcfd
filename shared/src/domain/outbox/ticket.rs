use serde::{Deserialize, Serialize};

use crate::ids::{Id, of};
use crate::time::Timestamp;

crate::text::enums::text_enum! {
    /// What happened to tickets.
    TicketNews {
        /// They were ordered or issued.
        TicketsOrdered = "ordered",
        /// Somebody who waited has got one.
        TicketsMovedUp = "moved_up",
        /// The draw was held.
        TicketsDrawn = "drawn",
        /// The club cancelled them.
        TicketsCancelled = "cancelled",
        /// The showing has another time or location.
        ShowingChanged = "changed",
        /// Somebody handed one over to the recipient.
        TicketReceived = "received",
        /// The recipient handed one over.
        TicketGiven = "given",
        /// The showing is tomorrow.
        TicketsReminder = "reminder",
    }
}

/// Tickets as a mail tells them (Y12). Its text and its calendar file are made when it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TicketMail {
    /// What happened.
    pub news: TicketNews,
    /// Name of the club.
    pub club: String,
    /// Name of the event.
    pub event: String,
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Name of the recipient.
    pub name: String,
    /// Their first name.
    pub first_name: String,
    /// When the showing begins.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Where it is.
    pub location: String,
    /// The tickets.
    pub lines: Vec<TicketLine>,
    /// Whether the recipient can go there with one of them.
    pub has_valid: bool,
    /// Whether the calendar file takes the showing out of the calendar.
    pub is_off: bool,
}

/// Tickets of one type and state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketLine {
    /// Name of the type.
    pub name: String,
    /// What is paid at the door.
    pub price: String,
    /// Their state in words.
    pub state: String,
    /// How many.
    pub count: usize,
}
