//! The keys of tickets in the table.

use crate::db::Key;
use crate::db::keys::{own, padded};
use crate::domain::ticket::model::{PARTITIONS, TicketId};
use crate::ids::{Id, of};

pub(crate) fn sale(event: Id<of::Event>, showing: Id<of::Showing>) -> Key {
    Key::new(
        format!("EVENT#{}", padded(event)),
        format!("SALE#{}", padded(showing)),
    )
}

/// Returns the partition of the tickets of a showing.
pub(crate) fn tickets(showing: Id<of::Showing>, partition: u8) -> String {
    format!("TICKETS#{}#{partition}", padded(showing))
}

pub(crate) fn ticket(showing: Id<of::Showing>, ticket: TicketId) -> Key {
    Key::new(tickets(showing, ticket.partition()), ticket.to_string())
}

pub(crate) fn own_ticket(
    person: Id<of::Person>,
    showing: Id<of::Showing>,
    ticket: TicketId,
) -> Key {
    Key::new(own(person), format!("TICKET#{}#{ticket}", padded(showing)))
}

/// Returns the partition of some of the parts that count.
pub(crate) fn counts(showing: Id<of::Showing>, partition: u8) -> String {
    format!("COUNTS#{}#{partition}", padded(showing))
}

pub(crate) fn count(showing: Id<of::Showing>, of: Id<of::TicketType>, part: u8) -> Key {
    Key::new(
        counts(showing, part % PARTITIONS),
        format!("{}#{part:02}", padded(of)),
    )
}

/// Returns the partition of some of those who wait for a type.
pub(crate) fn queue(showing: Id<of::Showing>, of: Id<of::TicketType>, partition: u8) -> String {
    format!("QUEUE#{}#{}#{partition}", padded(showing), padded(of))
}

pub(crate) fn draw(event: Id<of::Event>, showing: Id<of::Showing>) -> Key {
    Key::new(
        format!("EVENT#{}", padded(event)),
        format!("DRAW#{}", padded(showing)),
    )
}

/// Returns the partition of the entries of a draw.
pub(crate) fn draw_entries(showing: Id<of::Showing>) -> String {
    format!("DRAW#{}", padded(showing))
}

pub(crate) fn draw_entry(showing: Id<of::Showing>, entry: &str) -> Key {
    Key::new(draw_entries(showing), entry.to_owned())
}

/// Returns the partition of the results of a draw.
pub(crate) fn all_draw_results(showing: Id<of::Showing>) -> String {
    format!("DRAWN#{}", padded(showing))
}

pub(crate) fn draw_results(showing: Id<of::Showing>, page: u32) -> Key {
    Key::new(all_draw_results(showing), format!("{page:04}"))
}

/// The prefix of what a person has ordered.
pub(crate) const ORDERS: &str = "TICKETS#";

pub(crate) fn orders(person: Id<of::Person>, showing: Id<of::Showing>) -> Key {
    Key::new(own(person), format!("{ORDERS}{}", padded(showing)))
}
