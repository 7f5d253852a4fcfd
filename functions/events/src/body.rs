//! Response bodies of events and showings (V6).

use serde::Serialize;
use shared::bodies::logo;
use shared::bodies::{BadgeBody, Badges};
use shared::domain::{Club, Event, EventType, Image, Showing, TicketSale};
use shared::ids::{Id, of};
use shared::media::Media;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::Scope;
use utoipa::ToSchema;

use crate::ticket_types::{SaleCounts, TicketTypeBody};

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventBody {
    /// Id of the event.
    #[schema(value_type = u64)]
    id: Id<of::Event>,
    /// One line.
    name: String,
    /// HTML. Lists across clubs have only the first 2,000 characters: do not send the event of such
    /// a list back.
    pub(crate) description: String,
    /// Code of the club that hosts the event.
    #[schema(value_type = String)]
    club: ClubCode,
    /// Name of the club.
    club_name: String,
    /// Address of the club's logo, at most 600 pixels wide. Null if there is none.
    club_image_url: Option<String>,
    /// 0 other, 1 recruitment, 2 general body meeting, 3 speaker, 4 fair, 5 social, 6 career.
    #[serde(rename = "type")]
    event_type: EventType,
    /// Web address of the event, for example of a meeting. Null for callers who are not signed in.
    url: Option<String>,
    /// Address of the image, at most 600 pixels wide. Null if there is none.
    image_url: Option<String>,
    /// Address of the image in full size. Null if there is none.
    large_image_url: Option<String>,
    /// What the image shows, for people who do not see it, or an empty text.
    image_alt: String,
    /// Whether a showing of the event needs tickets.
    ticketed: bool,
    /// Whether an admin has pinned the event.
    pinned: bool,
    /// Ordered by start.
    showings: Vec<ShowingBody>,
    /// Earliest start of a showing. Null without showings, like the next three.
    earliest_start_time: Option<Timestamp>,
    /// Latest start of a showing.
    latest_start_time: Option<Timestamp>,
    /// Earliest end of a showing.
    earliest_end_time: Option<Timestamp>,
    /// Latest end of a showing.
    latest_end_time: Option<Timestamp>,
    /// Badges of the club.
    badges: Vec<BadgeBody>,
    /// When the event was created.
    created_at: Timestamp,
    /// When the event was last changed.
    updated_at: Timestamp,
}

/// An occurrence of an event.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShowingBody {
    /// Id of the showing.
    #[schema(value_type = u64)]
    id: Id<of::Showing>,
    /// Beginning of the showing.
    start_time: Timestamp,
    /// End of the showing.
    end_time: Timestamp,
    /// Null if there is none, or if the caller may not see it.
    location: Option<String>,
    /// Whether callers who are not signed in see the location.
    location_visible_to_public: bool,
    /// Whether the showing needs tickets.
    ticketed: bool,
    /// Time from which tickets are available. Null for callers who are not officers.
    ticket_drop_time: Option<Timestamp>,
    /// Largest number of tickets of one person. Null for callers who are not officers.
    ticket_order_limit: Option<u32>,
}

/// An occurrence of an event, with its tickets.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShowingWithTickets {
    /// Id of the showing.
    #[schema(value_type = u64)]
    id: Id<of::Showing>,
    /// Beginning of the showing.
    start_time: Timestamp,
    /// End of the showing.
    end_time: Timestamp,
    /// Null if there is none, or if the caller may not see it.
    location: Option<String>,
    /// Whether callers who are not signed in see the location.
    location_visible_to_public: bool,
    /// Whether the showing needs tickets.
    ticketed: bool,
    /// Time from which tickets are available. Null for callers who are not officers, unless there
    /// are types of tickets.
    ticket_drop_time: Option<Timestamp>,
    /// Largest number of tickets of one person. Null under the same condition.
    ticket_order_limit: Option<u32>,
    /// Until when tickets can be ordered. Null: until the start.
    ticket_end_time: Option<Timestamp>,
    /// Whether people can wait for a ticket.
    waiting_list: bool,
    /// How they are given out.
    ticket_sale: TicketSale,
    /// When they are drawn, or null.
    ticket_draw_time: Option<Timestamp>,
    /// The types of tickets, in their order.
    ticket_types: Vec<TicketTypeBody>,
}

/// The caller, as far as it changes what they see.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventViewer {
    pub is_signed_in: bool,
    /// Whether they have the rights of an officer of the club.
    pub is_officer: bool,
}

impl EventViewer {
    /// The signed-in caller of a route of a club.
    pub fn of<R, S, P, O>(scope: &Scope<R, S, P, O>) -> Self {
        Self {
            is_signed_in: true,
            is_officer: scope.is_officer(),
        }
    }
}

impl EventBody {
    /// The event of a club as `viewer` may see it.
    pub fn new(
        event: &Event,
        club: &Club,
        viewer: EventViewer,
        badges: &Badges,
        media: &Media,
    ) -> Self {
        let span = event.span();
        let image =
            |name: fn(&Image) -> &String| event.image.as_ref().map(|image| media.url(name(image)));
        Self {
            id: event.id,
            name: event.name.clone(),
            description: event.description.clone(),
            club: event.club.clone(),
            club_name: club.profile.name.clone(),
            club_image_url: logo(club, media),
            event_type: event.event_type,
            url: event.url.clone().filter(|_| viewer.is_signed_in),
            image_url: image(|image| &image.small),
            large_image_url: image(|image| &image.full),
            image_alt: event.image_alt.clone(),
            ticketed: event.showings.iter().any(Showing::needs_tickets),
            pinned: event.pinned,
            showings: event
                .showings
                .iter()
                .map(|showing| ShowingBody::new(showing, viewer))
                .collect(),
            earliest_start_time: span.map(|span| span.starts.0),
            latest_start_time: span.map(|span| span.starts.1),
            earliest_end_time: span.map(|span| span.ends.0),
            latest_end_time: span.map(|span| span.ends.1),
            badges: badges.bodies(&club.badges),
            created_at: event.created_at,
            updated_at: event.updated_at,
        }
    }
}

impl ShowingBody {
    /// The showing as `viewer` may see it.
    pub fn new(showing: &Showing, viewer: EventViewer) -> Self {
        let sees_location = viewer.is_signed_in || showing.location_is_public;
        Self {
            id: showing.id,
            start_time: showing.start,
            end_time: showing.end,
            location: showing.location.clone().filter(|_| sees_location),
            location_visible_to_public: showing.location_is_public,
            ticketed: showing.needs_tickets(),
            ticket_drop_time: showing.ticket_drop.filter(|_| viewer.is_officer),
            ticket_order_limit: viewer.is_officer.then_some(showing.ticket_order_limit),
        }
    }
}

impl ShowingWithTickets {
    /// The showing as `viewer` may see it. `sale` are its types with their counts, if it has some.
    pub fn new(showing: &Showing, viewer: EventViewer, sale: Option<&SaleCounts>) -> Self {
        let (rules, alone) = (&showing.tickets, ShowingBody::new(showing, viewer));
        let is_officer = viewer.is_officer;
        let is_shown = is_officer || rules.has_types;
        let types = sale
            .iter()
            .flat_map(|(sale, counts, _)| sale.types.iter().zip(counts));
        let has_begun = sale.is_some_and(|(_, _, now)| showing.start <= *now);
        let types =
            types.map(|(one, counts)| TicketTypeBody::new(one, counts, (is_officer, has_begun)));
        Self {
            id: alone.id,
            start_time: alone.start_time,
            end_time: alone.end_time,
            location: alone.location,
            location_visible_to_public: alone.location_visible_to_public,
            ticketed: alone.ticketed,
            ticket_drop_time: showing.ticket_drop.filter(|_| is_shown),
            ticket_order_limit: is_shown.then_some(showing.ticket_order_limit),
            ticket_end_time: rules.end,
            waiting_list: rules.waiting_list,
            ticket_sale: rules.sale,
            ticket_draw_time: rules.draw,
            ticket_types: types.collect(),
        }
    }
}
