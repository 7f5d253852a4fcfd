//! Request bodies of events and showings.

use serde::Deserialize;
use serde_json::Value;
use shared::domain::{Event, EventType, Showing};
use shared::ids::Id;
use shared::limits;
use shared::openapi::fields::{Html, Line, Name, OnlyNull, Tickets, WebAddress};
use shared::time::Timestamp;
use shared::web::{ApiError, Field, Mode, Need, Reader, Result, TextFields};
use utoipa::ToSchema;

/// The fields of an event that officers write. Only admins write `pinned`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct EventInput {
    /// One line, at most 255 characters.
    #[serde(default)]
    #[schema(required = true, value_type = Name)]
    name: Field<String>,
    /// HTML, at most 50,000 characters.
    #[serde(default)]
    #[schema(value_type = Html)]
    description: Field<String>,
    /// 0 other (default), 1 recruitment, 2 general body meeting, 3 speaker, 4 fair, 5 social, 6
    /// career.
    #[serde(default, rename = "type")]
    #[schema(value_type = EventType)]
    event_type: Field<EventType>,
    /// Web address of the event, http or https.
    #[serde(default)]
    #[schema(value_type = Option<WebAddress>)]
    url: Field<String>,
    /// Null removes the image. An image is sent as a file in a form: PNG, JPEG, WebP or GIF, at
    /// most 4 MiB. PUT may leave it out.
    #[serde(default)]
    #[schema(value_type = OnlyNull)]
    image: Field<Value>,
    /// Only admins; ignored from others. PUT may leave it out.
    #[serde(default)]
    #[schema(value_type = bool)]
    pinned: Field<bool>,
    /// Used only when the event is created. At most 100. PUT may leave it out.
    #[serde(default)]
    #[schema(value_type = Vec<ShowingInput>, max_items = 100)]
    showings: Field<Vec<ShowingInput>>,
}

impl TextFields for EventInput {
    const TEXTS: &'static [&'static str] = &["name", "description", "url"];
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
        reader.line("name", self.name, Need::Required, &mut event.name);
        reader.html(
            "description",
            self.description,
            limits::DESCRIPTION_BYTES,
            &mut event.description,
        );
        event.event_type = reader
            .value("type", self.event_type, Need::Optional)
            .unwrap_or(event.event_type);
        reader.url("url", self.url, &mut event.url);
        match self.image {
            Field::Null => event.image = None,
            Field::Absent => {}
            Field::Value(_) | Field::Wrong(..) => reader.errors.add(
                "image",
                "Only null is accepted here. Send an image as a file, in multipart/form-data.",
            ),
        }
        if is_admin {
            reader.flag("pinned", self.pinned, Need::Free, &mut event.pinned);
        }
        if mode == Mode::Create
            && let Some(showings) = reader.value("showings", self.showings, Need::Free)
        {
            if showings.len() > limits::SHOWINGS {
                reader.errors.add("showings", TOO_MANY_SHOWINGS);
            }
            for (i, showing) in showings.into_iter().enumerate().take(limits::SHOWINGS) {
                match showing.create(Id::new(next_id())) {
                    Ok(showing) => event.showings.push(showing),
                    Err(ApiError::Invalid(_, errors)) => {
                        reader.errors.extend(&format!("showings.{i}"), errors);
                    }
                    Err(other) => return Err(other),
                }
            }
            event.sort_showings();
        }
        reader.finish()
    }
}

pub(crate) const TOO_MANY_SHOWINGS: &str = "At most 100 showings are allowed.";

/// The fields of a showing that officers write.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
pub struct ShowingInput {
    /// Beginning of the showing.
    #[serde(default)]
    #[schema(required = true, value_type = Timestamp)]
    start_time: Field<Timestamp>,
    /// Must not be before `start_time`.
    #[serde(default)]
    #[schema(required = true, value_type = Timestamp)]
    end_time: Field<Timestamp>,
    /// One line, at most 255 characters.
    #[serde(default)]
    #[schema(value_type = Option<Line>)]
    location: Field<String>,
    /// Whether callers who are not signed in see the location. Default false.
    #[serde(default)]
    #[schema(value_type = bool)]
    location_visible_to_public: Field<bool>,
    /// Whether the showing needs tickets. Used only when it is created. Default false; a showing
    /// with a `ticket_drop_time` always needs tickets. PUT may leave it out.
    #[serde(default)]
    #[schema(value_type = bool)]
    ticketed: Field<bool>,
    /// Time from which tickets are available. Must not be after `end_time`.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    ticket_drop_time: Field<Timestamp>,
    /// Largest number of tickets in one order, at least 1. Default 10.
    #[serde(default)]
    #[schema(value_type = Tickets)]
    ticket_order_limit: Field<i64>,
}

impl ShowingInput {
    /// A new showing with these fields.
    pub fn create(self, id: Id<Showing>) -> Result<Showing> {
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
        };
        self.apply(Mode::Create, &mut showing)?;
        Ok(showing)
    }

    /// Checks the fields and writes them into `showing`. Rules about several fields are checked on
    /// the result (H14).
    pub fn apply(self, mode: Mode, showing: &mut Showing) -> Result<()> {
        let mut reader = Reader::new(mode);
        reader.time(
            "start_time",
            self.start_time,
            Need::Required,
            &mut showing.start,
        );
        reader.time("end_time", self.end_time, Need::Required, &mut showing.end);
        let mut location = showing.location.clone().unwrap_or_default();
        match self.location {
            Field::Null => location.clear(),
            field => reader.line("location", field, Need::Optional, &mut location),
        }
        showing.location = Some(location).filter(|location| !location.is_empty());
        let visible = self.location_visible_to_public;
        reader.flag(
            "location_visible_to_public",
            visible,
            Need::Optional,
            &mut showing.location_is_public,
        );
        if mode == Mode::Create {
            reader.flag("ticketed", self.ticketed, Need::Free, &mut showing.ticketed);
        }
        if let Some(drop) =
            reader.nullable("ticket_drop_time", self.ticket_drop_time, Need::Optional)
        {
            showing.ticket_drop = drop;
        }
        let limit = (1, limits::ANY_NUMBER);
        reader.number(
            "ticket_order_limit",
            self.ticket_order_limit,
            Need::Optional,
            limit,
            &mut showing.ticket_order_limit,
        );
        reader.in_order(
            ("start_time", showing.start),
            ("end_time", showing.end),
            "`end_time` must not be before `start_time`.",
        );
        let times_are_right = !["start_time", "end_time"]
            .iter()
            .any(|field| reader.errors.has(field));
        if times_are_right && showing.ticket_drop.is_some_and(|drop| drop > showing.end) {
            reader.errors.add(
                "ticket_drop_time",
                "`ticket_drop_time` must not be after `end_time`.",
            );
        }
        reader.finish()
    }
}
