//! Tickets of showings: orders, the tickets of a person, those of a showing for officers, and the
//! door.

mod body;
mod checkins;
mod code;
mod draw;
mod officers;
mod order;
mod own;

use shared::{Shared, routes};
use utoipa_axum::router::OpenApiRouter;

/// The routes of this function.
pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(shared::openapi::base())
        .routes(routes!(order::order_tickets))
        .routes(routes!(draw::show_draw))
        .routes(routes!(own::list_tickets))
        .routes(routes!(own::show_ticket, own::return_ticket))
        .routes(routes!(own::show_ticket_code))
        .routes(routes!(own::transfer_ticket))
        .routes(routes!(
            officers::list_showing_tickets,
            officers::issue_tickets
        ))
        .routes(routes!(officers::cancel_ticket))
        .routes(routes!(checkins::check_in))
        .routes(routes!(checkins::take_back_checkin))
}
