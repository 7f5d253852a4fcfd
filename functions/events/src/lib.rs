//! Events, their showings and images, and calendars.

pub mod body;
pub mod calendar;
pub mod club_events;
pub mod events;
mod filter;
pub mod input;
pub mod own_calendar;
mod own_interviews;
pub mod series;
pub mod showings;
mod ticket_types;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(events::list_events))
        .routes(routes!(events::show_event))
        .routes(routes!(showings::list_showings))
        .routes(routes!(showings::show_showing))
        .routes(routes!(
            club_events::list_club_events,
            club_events::create_event
        ))
        .routes(routes!(
            club_events::show_club_event,
            club_events::update_event,
            club_events::delete_event
        ))
        .routes(routes!(club_events::upload_event_image))
        .routes(routes!(
            showings::list_club_showings,
            showings::create_showing
        ))
        .routes(routes!(
            showings::show_club_showing,
            showings::update_showing,
            showings::delete_showing
        ))
        .routes(routes!(series::create_series))
        .routes(routes!(series::duplicate_event))
        .routes(routes!(calendar::show_calendar))
        .routes(routes!(calendar::show_club_calendar))
        .routes(routes!(calendar::show_event_calendar))
        .routes(routes!(calendar::show_showing_calendar))
        .routes(routes!(own_calendar::show_own_calendar))
}
