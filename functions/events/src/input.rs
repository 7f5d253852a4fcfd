//! Request bodies of events and showings.

use shared::domain::{Event, EventType, Showing, TicketRules, TicketSale};
use shared::ids::{Id, of};
use shared::limits;
use shared::reason::Reason;
use shared::text::kinds::{Html, Line, List, Name, OnlyNull, Tickets, WebAddress};
use shared::time::Timestamp;
use shared::web::{ApiError, Mode, Reader, Result, TextFields};

use crate::ticket_types::{TicketTypes, check_rules, merge_types};

shared::input! {
    /// The fields of an event that officers write. Only admins write `pinned`.
    pub struct EventInput {
        /// One line, at most 255 characters.
        name: Name, Required;
        /// HTML, at most 50,000 characters.
        description: Html, Optional;
        /// 0 other (default), 1 recruitment, 2 general body meeting, 3 speaker, 4 fair, 5 social, 6
        /// career.
        event_type as "type": EventType, Optional;
        /// Web address of the event, http or https.
        url: Option<WebAddress>, Optional;
        /// Null removes the image. An image is sent as a file in a form: PNG, JPEG, WebP or GIF, at
        /// most 4 MiB.
        image: OnlyNull, Free;
        /// What the image shows, for people who do not see it: one line, at most 255 characters. It
        /// is empty again after another image was uploaded.
        image_alt: Line, Free;
        /// Only admins; ignored from others.
        pinned: bool, Free;
        /// Used only when the event is created. At most 100.
        showings: List<ShowingInput, { limits::SHOWINGS }>, Free;
    }
}

impl TextFields for EventInput {
    const TEXTS: &'static [&'static str] = &["name", "description", "url", "image_alt"];
    const LISTS: &'static [&'static str] = &["showings"];
}

impl EventInput {
    /// Checks the fields and writes them into `event`. `pinned` is ignored if the caller is not an
    /// admin. Showings are read only when the event is created.
    pub fn apply(
        self,
        mode: Mode,
        event: &mut Event,
        is_admin: bool,
        next_id: impl Fn() -> u64,
    ) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(self.name, &mut event.name);
        reader.html(
            self.description,
            limits::DESCRIPTION_BYTES,
            &mut event.description,
        );
        reader.set(self.event_type, &mut event.event_type);
        reader.url(self.url, &mut event.url);
        if reader.only_null(&self.image) {
            event.image = None;
            event.image_alt.clear();
        }
        reader.set(self.image_alt, &mut event.image_alt);
        // A field that is ignored must still have the right type.
        if let Some(pinned) = reader.get(self.pinned).filter(|_| is_admin) {
            event.pinned = pinned;
        }
        if mode == Mode::Create
            && let Some(showings) = reader.get(self.showings)
        {
            if showings.len() > limits::SHOWINGS {
                reader.errors.add("showings", TOO_MANY_SHOWINGS);
            }
            for (i, showing) in showings.into_iter().enumerate().take(limits::SHOWINGS) {
                match showing.create(Id::new(next_id()), &next_id) {
                    Ok(showing) => event.showings.push(showing),
                    Err(ApiError::Invalid(_, errors)) => {
                        reader.errors.extend(&format!("showings.{i}"), errors);
                    }
                    Err(other) => return Err(other),
                }
            }
            event.sort_showings();
            if event.location_bytes() > limits::LOCATIONS {
                reader.errors.add("showings", LONG_LOCATIONS);
            }
        }
        reader.finish()
    }
}

pub(crate) const LONG_LOCATIONS: Reason = Reason::LongLocations {
    limit: limits::LOCATIONS,
};
pub(crate) const TOO_MANY_SHOWINGS: Reason = Reason::TooMany {
    limit: limits::SHOWINGS,
};

shared::input! {
    /// The fields of a showing that officers write.
    pub struct ShowingInput {
        /// Beginning of the showing.
        start_time: Timestamp, Required;
        /// Must not be before `start_time`.
        end_time: Timestamp, Required;
        /// One line, at most 255 characters.
        location: Option<Line>, Optional;
        /// Whether callers who are not signed in see the location.
        location_visible_to_public: bool, Optional = false;
        /// Whether the showing needs tickets. Used only when it is created. Default false; a
        /// showing with a `ticket_drop_time` always needs tickets.
        ticketed: bool, Free;
        /// Time from which tickets are available. Must not be after `end_time`.
        ticket_drop_time: Option<Timestamp>, Optional;
        /// Largest number of tickets of one person, at least 1; with `ticket_types` at most 20.
        ticket_order_limit: Tickets, Optional = 10;
        /// Until when tickets can be ordered. Null: until the start.
        ticket_end_time: Option<Timestamp>, Free;
        /// Whether people can wait for a ticket.
        waiting_list: bool, Free = true;
        /// `first_come` (default), or `draw`.
        ticket_sale: TicketSale, Free = TicketSale::FirstCome;
        /// When tickets are drawn: after `ticket_drop_time`, not after `ticket_end_time`, and at
        /// least an hour before the start.
        ticket_draw_time: Option<Timestamp>, Free;
        /// The new set of types, at most 10. A type that is sent with its id, or with its name,
        /// stays the same.
        ticket_types: TicketTypes, Free;
    }
}

impl ShowingInput {
    /// A new showing with these fields.
    pub fn create(self, id: Id<of::Showing>, next_id: impl Fn() -> u64) -> Result<Showing> {
        let never = Timestamp::default();
        let mut showing = Showing {
            id,
            start: never,
            end: never,
            location: None,
            location_is_public: false,
            ticketed: false,
            ticket_drop: None,
            ticket_order_limit: 10,
            start_set_at: None,
            tickets: TicketRules::default(),
            types: None,
        };
        self.apply(Mode::Create, &mut showing, next_id)?;
        Ok(showing)
    }

    /// Checks the fields and writes them into `showing`. Rules about several fields are checked on
    /// the result (H14).
    pub fn apply(self, mode: Mode, showing: &mut Showing, next_id: impl Fn() -> u64) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.set(self.start_time, &mut showing.start);
        reader.set(self.end_time, &mut showing.end);
        if let Some(location) = reader.get(self.location) {
            showing.location = location.filter(|location| !location.is_empty());
        }
        reader.set(
            self.location_visible_to_public,
            &mut showing.location_is_public,
        );
        if mode == Mode::Create {
            reader.set(self.ticketed, &mut showing.ticketed);
        }
        reader.set(self.ticket_drop_time, &mut showing.ticket_drop);
        reader.set(self.ticket_order_limit, &mut showing.ticket_order_limit);
        let rules = &mut showing.tickets;
        reader.set(self.ticket_end_time, &mut rules.end);
        reader.set(self.waiting_list, &mut rules.waiting_list);
        reader.set(self.ticket_sale, &mut rules.sale);
        reader.set(self.ticket_draw_time, &mut rules.draw);
        if let Some(sent) = reader.get(self.ticket_types) {
            let old = showing.types.as_deref().unwrap_or_default();
            let types = merge_types(&mut reader, sent, old, next_id);
            rules.has_types = !types.is_empty();
            showing.types = Some(types);
        }
        reader.in_order(("start_time", showing.start), ("end_time", showing.end));
        let times_are_right = !["start_time", "end_time"]
            .iter()
            .any(|field| reader.errors.has(field));
        if times_are_right && showing.ticket_drop.is_some_and(|drop| drop > showing.end) {
            reader
                .errors
                .add("ticket_drop_time", Reason::After { field: "end_time" });
        }
        if times_are_right {
            check_rules(&mut reader, showing);
        }
        reader.finish()
    }
}
