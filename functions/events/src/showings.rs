//! `/events/{event}/showings/`, `/clubs/{club}/events/{event}/showings/`, `…/{showing}/`

use std::collections::{HashMap, HashSet};

use axum::Json;
use shared::domain::{Event, Showing};
use shared::ids::{Id, of};
use shared::web::scopes::{ClubsRead, EventsWrite};
use shared::web::{
    ApiError, Created, IfMatch, Input, Mode, NewId, NoBody, NoContent, Officer, Params, PathIds,
    Result, SignedIn,
};
use shared::{Context, limits};

use crate::body::{EventViewer, ShowingWithTickets};
use crate::club_events::{Edited, edit_event};
use crate::events::VisibleEvent;
use crate::input::{LONG_LOCATIONS, ShowingInput, TOO_MANY_SHOWINGS};
use crate::ticket_types::{SaleOfPath, cancelled, counted};

pub(crate) async fn bodies(
    app: &Context,
    event: &Event,
    viewer: EventViewer,
) -> Result<Json<Vec<ShowingWithTickets>>> {
    let counted = counted(app, event, None).await?;
    let body =
        |showing: &Showing| ShowingWithTickets::new(showing, viewer, counted.get(&showing.id));
    Ok(Json(event.showings.iter().map(body).collect()))
}

/// One showing as it is now.
async fn body(
    app: &Context,
    event: &Event,
    showing: &Showing,
    viewer: EventViewer,
) -> Result<ShowingWithTickets> {
    let counted = counted(app, event, Some(showing.id)).await?;
    Ok(ShowingWithTickets::new(
        showing,
        viewer,
        counted.get(&showing.id),
    ))
}

/// List the showings of an event.
///
/// For everybody who can see the club. Ordered by start.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/", tag = "showings", security((), ("bearer" = [])),
    params(("event" = u64, Path)), responses((status = 200, body = Vec<ShowingWithTickets>))
)]
pub async fn list_showings(
    app: Context,
    found: VisibleEvent,
) -> Result<Json<Vec<ShowingWithTickets>>> {
    bodies(&app, &found.event, found.viewer).await
}

/// Get a showing.
///
/// For everybody who can see the club.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/{showing}/", tag = "showings",
    security((), ("bearer" = [])), params(("event" = u64, Path), ("showing" = u64, Path)),
    responses((status = 200, body = ShowingWithTickets))
)]
pub async fn show_showing(
    app: Context,
    found: VisibleEvent,
    path: PathIds,
) -> Result<Json<ShowingWithTickets>> {
    let id = path.id("showing");
    let selected = SaleOfPath { id, sale: None };
    let showing = selected.find(&found.event)?;
    Ok(Json(body(&app, &found.event, showing, found.viewer).await?))
}

/// Returns the id of a showing of a series.
pub(crate) fn id_in(series: u64, n: usize) -> Id<of::Showing> {
    Id::derived("showing", &[&series.to_string(), &n.to_string()])
}

/// Returns the ids that showings of a series may have.
pub(crate) fn ids_of(series: u64) -> HashSet<Id<of::Showing>> {
    (0..limits::SHOWINGS).map(|n| id_in(series, n)).collect()
}

/// List the showings of an event of a club.
///
/// For every signed-in user who can see the club. Ordered by start.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/showings/", tag = "showings",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(
        ("club" = String, Path), ("event" = u64, Path),
        ("series" = Option<u64>, Query, description = "Only the showings that were made together: \
            from the header `Location`")
    ),
    responses((status = 200, body = Vec<ShowingWithTickets>))
)]
pub async fn list_club_showings(
    app: Context,
    scope: SignedIn<ClubsRead, Event>,
    params: Params,
) -> Result<Json<Vec<ShowingWithTickets>>> {
    let (viewer, mut event) = (EventViewer::of(&scope), scope.parent);
    if let Some(series) = params.id::<of::Showing>("series")? {
        let made = ids_of(series.get());
        event.showings.retain(|showing| made.contains(&showing.id));
    }
    bodies(&app, &event, viewer).await
}

/// Add a showing to an event.
///
/// For officers. An event has at most 100 showings.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/showings/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body = ShowingInput, responses((status = 201, body = ShowingWithTickets))
)]
pub async fn create_showing(
    app: Context,
    scope: Officer<EventsWrite, Event>,
    new: NewId,
    Input(input): Input<ShowingInput>,
) -> Result<Created<ShowingWithTickets>> {
    let id = new.id();
    let mut showing = input.create(id, new.parts())?;
    showing.start_set_at = Some(app.now());
    let any_state = IfMatch::default();
    let by = (&scope.user, &any_state);
    let edited = Edited::event(&scope.club, &scope.parent);
    let event = edit_event(
        &app,
        by,
        edited,
        |_| (),
        |event| {
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
        },
    )
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
        body: body(&app, &event, showing, EventViewer::of(&scope)).await?,
    })
}

/// Get a showing of an event of a club.
///
/// For every signed-in user who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    responses((status = 200, body = ShowingWithTickets))
)]
pub async fn show_club_showing(
    app: Context,
    scope: SignedIn<ClubsRead, Event, SaleOfPath>,
) -> Result<Json<ShowingWithTickets>> {
    let showing = scope.object.find(&scope.parent)?;
    let viewer = EventViewer::of(&scope);
    Ok(Json(body(&app, &scope.parent, showing, viewer).await?))
}

/// Returns what GET shows of a showing, as far as `If-Match` needs it.
async fn shown(
    app: &Context,
    scope: &Officer<EventsWrite, Event, SaleOfPath>,
) -> Result<impl Fn(&Event) -> Option<ShowingWithTickets>> {
    let (viewer, id) = (EventViewer::of(scope), scope.object.id);
    scope.object.find(&scope.parent)?;
    let counted = if scope.if_match.is_given() {
        counted(app, &scope.parent, id).await?
    } else {
        HashMap::new()
    };
    Ok(move |event: &Event| {
        let showing = event.showings.iter().find(|one| Some(one.id) == id)?;
        let sale = counted.get(&showing.id);
        Some(ShowingWithTickets::new(showing, viewer, sale))
    })
}

/// Change some fields of a showing.
///
/// For officers. With `PUT` every writable field must be sent, except `ticketed`; with `PATCH` the
/// others stay as they are.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path)),
    request_body = ShowingInput, responses((status = 200, body = ShowingWithTickets))
)]
pub async fn update_showing(
    app: Context,
    scope: Officer<EventsWrite, Event, SaleOfPath>,
    mode: Mode,
    Input(input): Input<ShowingInput>,
) -> Result<Json<ShowingWithTickets>> {
    save_showing(&app, scope, &input, mode).await
}

async fn save_showing(
    app: &Context,
    scope: Officer<EventsWrite, Event, SaleOfPath>,
    input: &ShowingInput,
    mode: Mode,
) -> Result<Json<ShowingWithTickets>> {
    let (selected, viewer) = (&scope.object, EventViewer::of(&scope));
    let show = shown(app, &scope).await?;
    let by = (&scope.user, &scope.if_match);
    let edited = Edited::showing(&scope.club, &scope.parent, selected);
    let event = edit_event(app, by, edited, show, |event| {
        let (id, before) = (selected.find(event)?.id, event.location_bytes());
        let showing = event.showings.iter_mut().find(|showing| showing.id == id);
        let showing = showing.ok_or(ApiError::NotFound)?;
        let start = showing.start;
        input.clone().apply(mode, showing, || app.next_id())?;
        if showing.start != start {
            showing.start_set_at = Some(app.now());
        }
        check_locations(event, before)
    })
    .await?;
    Ok(Json(
        body(app, &event, selected.find(&event)?, viewer).await?,
    ))
}

/// 400 if the locations of an event became longer than is allowed (V12). `before` is how long they
/// were.
pub(crate) fn check_locations(event: &Event, before: usize) -> Result<()> {
    let current = event.location_bytes();
    if current > limits::LOCATIONS.max(before) {
        return Err(ApiError::field("location", LONG_LOCATIONS));
    }
    Ok(())
}

/// Delete a showing.
///
/// For officers. It is 400 if there are tickets and it has not begun, unless `force=true`: then they
/// are cancelled.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/events/{event}/showings/{showing}/", tag = "showings",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(
        ("club" = String, Path), ("event" = u64, Path), ("showing" = u64, Path),
        ("force" = Option<bool>, Query, description = "Whether tickets are cancelled")
    ),
    responses((status = 204))
)]
pub async fn delete_showing(
    app: Context,
    scope: Officer<EventsWrite, Event, SaleOfPath>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let force = params.flag("force")?.unwrap_or_default();
    let (selected, show) = (&scope.object, shown(&app, &scope).await?);
    scope.if_match.check(|| show(&scope.parent))?;
    // Before the showing, so that nothing can be ordered for one that is not there.
    for sale in cancelled(&app, selected.sale.as_slice(), force).await? {
        app.table.cancel_sale(&sale, app.now()).await?;
    }
    let by = (&scope.user, &scope.if_match);
    let edited = Edited::event(&scope.club, &scope.parent);
    edit_event(&app, by, edited, show, |event| {
        // Also 404 if somebody else deleted the showing at the same moment.
        let id = selected.find(event)?.id;
        event.showings.retain(|showing| showing.id != id);
        Ok(())
    })
    .await?;
    Ok(NoContent)
}
