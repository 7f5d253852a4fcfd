//! `/events/{event}/showings/`, `/clubs/{club}/events/{event}/showings/`, `…/{showing}/`

use axum::Json;
use shared::domain::{Event, Showing};
use shared::ids::{Id, of};
use shared::web::scopes::{ClubsRead, EventsWrite};
use shared::web::{
    ApiError, Created, IfMatch, Input, Load, Mode, NewId, NoContent, NoInput, Officer, PathIds,
    Result, SignedIn, User,
};
use shared::{Context, limits};

use crate::body::{EventViewer, ShowingBody};
use crate::club_events::edit_event;
use crate::events::VisibleEvent;
use crate::input::{LONG_LOCATIONS, ShowingInput, TOO_MANY_SHOWINGS};

/// The id of the showing in the path. It is looked up in the event after the role of the caller was
/// checked (H3).
pub struct ShowingOfPath(Option<Id<of::Showing>>);

impl Load for ShowingOfPath {
    async fn load(_: &Context, _: &User, path: &PathIds) -> Result<Option<Self>> {
        Ok(Some(Self(path.id("showing"))))
    }
}

impl ShowingOfPath {
    fn find<'a>(&self, event: &'a Event) -> Result<&'a Showing> {
        event
            .showings
            .iter()
            .find(|showing| Some(showing.id) == self.0)
            .ok_or(ApiError::NotFound)
    }
}

fn bodies(event: &Event, viewer: EventViewer) -> Json<Vec<ShowingBody>> {
    Json(
        event
            .showings
            .iter()
            .map(|showing| ShowingBody::new(showing, viewer))
            .collect(),
    )
}

/// List the showings of an event.
///
/// For everybody who can see the club. Ordered by start.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/", tag = "showings", security((), ("bearer" = [])),
    params(("event" = u64, Path)), responses((status = 200, body = Vec<ShowingBody>))
)]
pub async fn list_showings(found: VisibleEvent) -> Json<Vec<ShowingBody>> {
    bodies(&found.event, found.viewer)
}

/// Get a showing.
///
/// For everybody who can see the club.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/{showing}/", tag = "showings",
    security((), ("bearer" = [])), params(("event" = u64, Path), ("showing" = u64, Path)),
    responses((status = 200, body = ShowingBody))
)]
pub async fn show_showing(found: VisibleEvent, path: PathIds) -> Result<Json<ShowingBody>> {
    let showing = ShowingOfPath(path.id("showing"));
    Ok(Json(ShowingBody::new(
        showing.find(&found.event)?,
        found.viewer,
    )))
}

/// List the showings of an event of a club.
///
/// For every signed-in user who can see the club. Ordered by start.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/showings/", tag = "showings",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    responses((status = 200, body = Vec<ShowingBody>))
)]
pub async fn list_club_showings(scope: SignedIn<ClubsRead, Event>) -> Json<Vec<ShowingBody>> {
    bodies(&scope.parent, EventViewer::of(&scope))
}

/// Add a showing to an event.
///
/// For officers. An event has at most 100 showings.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/showings/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body = ShowingInput, responses((status = 201, body = ShowingBody))
)]
pub async fn create_showing(
    app: Context,
    scope: Officer<EventsWrite, Event>,
    new: NewId,
    Input(input): Input<ShowingInput>,
) -> Result<Created<ShowingBody>> {
    let id = new.id();
    let mut showing = input.create(id)?;
    showing.start_set_at = Some(app.now());
    let any_state = IfMatch::default();
    let show = |event: &Event| bodies(event, EventViewer::of(&scope)).0;
    let by = (&scope.user, &any_state);
    let event = edit_event(&app, by, &scope.parent, show, |event| {
        // An earlier attempt of this write already stored it (X10).
        if event.showings.iter().any(|there| there.id == showing.id) {
            return Ok(());
        }
        if event.showings.len() >= limits::SHOWINGS {
            return Err(ApiError::field("showings", TOO_MANY_SHOWINGS));
        }
        let before = event.location_bytes();
        event.showings.push(showing.clone());
        check_locations(event, before)
    })
    .await?;
    let location = format!(
        "/api/clubs/{}/events/{}/showings/{id}/",
        event.club, event.id
    );
    let showing = event
        .showings
        .iter()
        .find(|showing| showing.id == id)
        .ok_or(ApiError::NotFound)?;
    Ok(Created {
        location,
        body: ShowingBody::new(showing, EventViewer::of(&scope)),
    })
}

/// Get a showing of an event of a club.
///
/// For every signed-in user who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    responses((status = 200, body = ShowingBody))
)]
pub async fn show_club_showing(
    scope: SignedIn<ClubsRead, Event, ShowingOfPath>,
) -> Result<Json<ShowingBody>> {
    Ok(Json(ShowingBody::new(
        scope.object.find(&scope.parent)?,
        EventViewer::of(&scope),
    )))
}

/// Change some fields of a showing.
///
/// For officers. With `PUT` every writable field must be sent, except `ticketed`; with `PATCH` the
/// others stay as they are.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    request_body = ShowingInput, responses((status = 200, body = ShowingBody))
)]
pub async fn update_showing(
    app: Context,
    scope: Officer<EventsWrite, Event, ShowingOfPath>,
    mode: Mode,
    Input(input): Input<ShowingInput>,
) -> Result<Json<ShowingBody>> {
    save_showing(&app, scope, &input, mode).await
}

async fn save_showing(
    app: &Context,
    scope: Officer<EventsWrite, Event, ShowingOfPath>,
    input: &ShowingInput,
    mode: Mode,
) -> Result<Json<ShowingBody>> {
    let (selected, viewer) = (&scope.object, EventViewer::of(&scope));
    selected.find(&scope.parent)?;
    let show = |event: &Event| Some(ShowingBody::new(selected.find(event).ok()?, viewer));
    let by = (&scope.user, &scope.if_match);
    let event = edit_event(app, by, &scope.parent, show, |event| {
        let (id, before) = (selected.find(event)?.id, event.location_bytes());
        let showing = event.showings.iter_mut().find(|showing| showing.id == id);
        let showing = showing.ok_or(ApiError::NotFound)?;
        let start = showing.start;
        input.clone().apply(mode, showing)?;
        if showing.start != start {
            showing.start_set_at = Some(app.now());
        }
        check_locations(event, before)
    })
    .await?;
    Ok(Json(ShowingBody::new(selected.find(&event)?, viewer)))
}

/// 400 if the locations of an event became longer than is allowed (V12). `before` is how long they
/// were.
fn check_locations(event: &Event, before: usize) -> Result<()> {
    let current = event.location_bytes();
    if current > limits::LOCATIONS.max(before) {
        return Err(ApiError::field("location", LONG_LOCATIONS));
    }
    Ok(())
}

/// Delete a showing.
///
/// For officers.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    responses((status = 204))
)]
pub async fn delete_showing(
    app: Context,
    scope: Officer<EventsWrite, Event, ShowingOfPath>,
    _: NoInput,
) -> Result<NoContent> {
    let (selected, viewer) = (&scope.object, EventViewer::of(&scope));
    let show = |event: &Event| Some(ShowingBody::new(selected.find(event).ok()?, viewer));
    let by = (&scope.user, &scope.if_match);
    edit_event(&app, by, &scope.parent, show, |event| {
        // Also 404 if somebody else deleted the showing at the same moment.
        let id = selected.find(event)?.id;
        event.showings.retain(|showing| showing.id != id);
        Ok(())
    })
    .await?;
    Ok(NoContent)
}
