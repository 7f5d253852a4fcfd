//! `/settings/calendar/`: the address of the caller's calendar

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::domain::Person;
use shared::web::{PublicUrl, Result, User, shown_at};
use shared::{Context, calendars};
use utoipa::ToSchema;

/// Where the calendar of the caller is.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnCalendarBody {
    /// Address for programs that show calendars. Whoever knows it can read the calendar.
    url: String,
}

impl OwnCalendarBody {
    /// The calendar has the host that the caller called.
    fn new(app: &Context, PublicUrl(asked): &PublicUrl, person: &Person) -> Json<Self> {
        let base = asked.split("/api/settings/").next().unwrap_or_default();
        let token = calendars::token(&app.settings.secrets.invite, person);
        Json(Self {
            url: format!("{base}/api/calendars/{token}.ics"),
        })
    }
}

/// Get the address of the calendar of the caller.
///
/// For every signed-in user. Programs that show calendars need no other credentials, so it should
/// not be passed on.
#[utoipa::path(
    get, path = "/api/settings/calendar/", tag = "me", security(("bearer" = [])),
    responses((status = 200, body = OwnCalendarBody))
)]
pub async fn show_calendar_address(
    app: Context,
    url: PublicUrl,
    user: User,
) -> Result<Json<OwnCalendarBody>> {
    Ok(OwnCalendarBody::new(&app, &url, user.person().await?))
}

/// Replace the address of the calendar of the caller.
///
/// For every signed-in user. The old address ends.
#[utoipa::path(
    post, path = "/api/settings/calendar/", tag = "me", security(("bearer" = [])),
    responses((status = 200, body = OwnCalendarBody))
)]
pub async fn renew_calendar_address(app: Context, url: PublicUrl, user: User) -> Result<Response> {
    let person = user.person().await?;
    let calendar = app.table.renew_calendar(person).await?;
    let renewed = Person {
        calendar,
        ..person.clone()
    };
    let body = OwnCalendarBody::new(&app, &url, &renewed);
    // A repeat gets the address that is valid then. The secret in it is stored nowhere.
    Ok(shown_at("/api/settings/calendar/".to_owned(), body))
}
