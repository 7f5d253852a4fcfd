//! How events and showings look (V6).

use serde::Serialize;
use shared::bodies::{BadgeBody, Badges};
use shared::http::Scope;
use shared::media::Media;
use shared::models::{Club, Event, EventType, Image, Showing};
use shared::time::Timestamp;
use utoipa::ToSchema;

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventBody {
    id: u64,
    name: String,
    /// HTML; in lists across clubs its first 2,000 characters.
    pub(crate) description: String,
    /// Code of the host.
    club: String,
    club_name: String,
    /// 0 other, 1 recruitment, 2 GBM, 3 speaker, 4 fair, 5 social, 6 career.
    #[serde(rename = "type")]
    event_type: EventType,
    /// Null for callers who are not signed in.
    url: Option<String>,
    /// At most 600 pixels wide.
    image_url: Option<String>,
    /// Full size.
    large_image_url: Option<String>,
    /// Whether any showing needs tickets.
    ticketed: bool,
    pinned: bool,
    /// By start, then id.
    showings: Vec<ShowingBody>,
    earliest_start_time: Option<Timestamp>,
    latest_start_time: Option<Timestamp>,
    earliest_end_time: Option<Timestamp>,
    latest_end_time: Option<Timestamp>,
    /// The club's.
    badges: Vec<BadgeBody>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// An occurrence of an event.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShowingBody {
    id: u64,
    start_time: Timestamp,
    end_time: Timestamp,
    /// Null when there is none, or it is hidden from callers who are not signed in.
    location: Option<String>,
    location_visible_to_public: bool,
    ticketed: bool,
    /// From when there are tickets. For officers of the club.
    ticket_drop_time: Option<Timestamp>,
    /// Tickets of one order at most. For officers of the club.
    ticket_order_limit: Option<u32>,
}

/// Who looks at events.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventViewer {
    /// Whether they are signed in.
    pub is_signed_in: bool,
    /// Whether they may do what officers of the club do.
    pub is_officer: bool,
}

impl EventViewer {
    /// The caller at a place of a club.
    pub fn of<R, P, O>(scope: &Scope<R, P, O>) -> Self {
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
            event_type: event.event_type,
            url: event.url.clone().filter(|_| viewer.is_signed_in),
            image_url: image(|image| &image.small),
            large_image_url: image(|image| &image.full),
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
