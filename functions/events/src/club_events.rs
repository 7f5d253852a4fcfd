//! `/clubs/{club}/events/`, `…/{event}/`, `…/{event}/upload/`: the events of a club

use axum::Json;
use axum::response::Response;
use serde::Serialize;
use shared::bodies::Badges;
use shared::db::{Refusal, TableError};
use shared::domain::{Club, Event, EventType, Sale};
use shared::ids::{Id, of};
use shared::openapi::fields::ImageUpload;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::html::beginning;
use shared::time::Timestamp;
use shared::web::scopes::{ClubsRead, EventsWrite};
use shared::web::{
    ApiError, Code, Created, IfMatch, Mode, NewId, NoBody, NoContent, Officer, Params, Result,
    SignedIn, Upload, User, WithImage, create, edit, remove_unless_saved, shown_at, store_image,
};
use shared::{Context, limits};

use crate::body::{EventBody, EventViewer};
use crate::input::EventInput;
use crate::ticket_types::{self, SaleOfPath};

/// List all events of a club.
///
/// For every signed-in user who can see the club. Ordered by the earliest start; events without
/// showings are last. A description is shortened to its first 2,000 characters; the event itself
/// has the whole.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/", tag = "events",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path)), responses((status = 200, body = Vec<EventBody>))
)]
pub async fn list_club_events(
    app: Context,
    scope: SignedIn<ClubsRead>,
) -> Result<Json<Vec<EventBody>>> {
    let (mut events, badges) = futures::try_join!(
        app.table.events(&scope.club.code),
        Badges::of(&app, &scope.club)
    )?;
    events.sort_by_key(|event| {
        let start = event.span().map(|span| span.starts.0);
        (start.is_none(), start, event.id)
    });
    for event in &mut events {
        event.description = beginning(&event.description);
    }
    let viewer = EventViewer::of(&scope);
    Ok(Json(
        events
            .iter()
            .map(|event| EventBody::new(event, &scope.club, viewer, &badges, &app.media))
            .collect(),
    ))
}

/// Create an event.
///
/// For officers. JSON, or a form with an image in the part `image`. The event may be created
/// together with its showings. A club has at most 1,000 events that have not ended.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/", tag = "events",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path)),
    request_body(content((EventInput = "application/json"), (EventInput = "multipart/form-data"))),
    responses((status = 201, body = EventBody))
)]
pub async fn create_event(
    app: Context,
    scope: Officer<EventsWrite>,
    new: NewId,
    WithImage { input, image }: WithImage<EventInput>,
) -> Result<Created<EventBody>> {
    let now = app.now();
    let mut event = Event {
        id: new.id(),
        club: scope.club.code.clone(),
        version: 1,
        name: String::new(),
        description: String::new(),
        event_type: EventType::Other,
        url: None,
        image: None,
        image_alt: String::new(),
        pinned: false,
        showings: vec![],
        text: None,
        created_at: now,
        updated_at: now,
    };
    input.apply(Mode::Create, &mut event, scope.user.is_admin(), new.parts())?;
    // Read this before the image is stored. If it failed later, a repeat would store the image
    // again.
    let badges = Badges::of(&app, &scope.club).await?;
    if let Some(bytes) = image {
        event.image = Some(store_image(&app.media, "image", bytes).await?);
    }
    let event = store_event(&app, &scope.user, event).await?;
    let location = format!("/api/clubs/{}/events/{}/", event.club, event.id);
    Ok(Created {
        location,
        body: EventBody::new(
            &event,
            &scope.club,
            EventViewer::of(&scope),
            &badges,
            &app.media,
        ),
    })
}

/// Stores a new event, and the types of its showings. If it is refused, its image is removed.
/// Admins may have more events than a club (V12).
pub(crate) async fn store_event(app: &Context, user: &User, event: Event) -> Result<Event> {
    let is_over = has_ended(&event, app.now());
    let (most, in_all) = event_quotas(app);
    let first = if is_over { in_all } else { most };
    let mut limit = Some(first).filter(|_| !user.is_admin());
    let mut retries = app.table.retries();
    let stored = loop {
        retries.next().await?;
        match app.table.create_event(&event, limit).await {
            Err(TableError::Refused(Refusal::Quota)) => {
                match event_limit(app, &event.club, is_over).await {
                    Ok(event_limit) => limit = Some(event_limit),
                    Err(error) => {
                        let image = event.image.as_ref();
                        return remove_unless_saved(&app.media, Err(error), image).await;
                    }
                }
            }
            stored => break stored,
        }
    };
    if let Err(TableError::Refused(_)) = stored {
        app.media.forget(event.image.as_ref(), None).await;
    }
    let showings = event.showings.clone();
    let club = event.club.clone();
    let read = app.table.event(&club, event.id);
    let event = create(event, stored, read, |_| true, |_| ApiError::NotFound).await?;
    ticket_types::create_sales(app, &event, &showings).await?;
    Ok(event)
}

/// How many events of a club may be to come, and how many it may have in all (V12).
fn event_quotas(app: &Context) -> (usize, usize) {
    let most = app.settings.quotas.club_events as usize;
    (most, most * limits::EVENTS_IN_ALL)
}

fn too_many(why: Reason) -> ApiError {
    ApiError::rule(why).coded(Code::Quota)
}

/// Returns how many events this club has, and how many of them have ended. It is 400 if it already
/// has as many as may be to come (V12). An event without showings counts as not ended.
async fn check_to_come(app: &Context, club: &ClubCode) -> Result<(usize, usize)> {
    let (mut events, mut ended, now) = (0, 0, app.now());
    let count = |event: Event| {
        events += 1;
        ended += usize::from(has_ended(&event, now));
    };
    app.table.each_event(club, count).await?;
    let (most, _) = event_quotas(app);
    if events - ended >= most {
        return Err(too_many(Reason::TooManyOpenEvents { limit: most }));
    }
    Ok((events, ended))
}

/// The largest number of events that this club may have before one more that is over, or is to
/// come. It is 400 if it has as many as it may.
async fn event_limit(app: &Context, club: &ClubCode, is_over: bool) -> Result<usize> {
    let (most, in_all) = event_quotas(app);
    let (all, ended) = if is_over {
        (in_all, 0)
    } else {
        check_to_come(app, club).await?
    };
    if all >= in_all {
        return Err(too_many(Reason::TooManyEvents { limit: in_all }));
    }
    Ok(in_all.min(most + ended))
}

fn has_ended(event: &Event, now: Timestamp) -> bool {
    event.span().is_some_and(|span| span.ends.1 < now)
}

/// Get an event of a club.
///
/// For every signed-in user who can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events/{event}/", tag = "events",
    security(("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    responses((status = 200, body = EventBody))
)]
pub async fn show_club_event(
    app: Context,
    scope: SignedIn<ClubsRead, (), Event>,
) -> Result<Json<EventBody>> {
    let badges = Badges::of(&app, &scope.club).await?;
    Ok(Json(EventBody::new(
        &scope.object,
        &scope.club,
        EventViewer::of(&scope),
        &badges,
        &app.media,
    )))
}

/// Change some fields of an event.
///
/// For officers. JSON, or a form with an image in the part `image`. With `PUT` every writable field
/// must be sent, except `image`, `pinned` and `showings`; with `PATCH` the others stay as they are.
/// `image: null` removes the image, in JSON only.
#[utoipa::path(
    method(put, patch), path = "/api/clubs/{club}/events/{event}/", tag = "events",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body(content((EventInput = "application/json"), (EventInput = "multipart/form-data"))),
    responses((status = 200, body = EventBody))
)]
pub async fn update_event(
    app: Context,
    scope: Officer<EventsWrite, (), Event>,
    mode: Mode,
    input: WithImage<EventInput>,
) -> Result<Json<EventBody>> {
    save_event(&app, scope, input, mode).await
}

async fn save_event(
    app: &Context,
    scope: Officer<EventsWrite, (), Event>,
    WithImage { input, image }: WithImage<EventInput>,
    mode: Mode,
) -> Result<Json<EventBody>> {
    let badges = Badges::of(app, &scope.club).await?;
    let viewer = EventViewer::of(&scope);
    let show = |event: &Event| EventBody::new(event, &scope.club, viewer, &badges, &app.media);
    let apply = |event: &mut Event| {
        let input = input.clone();
        input.apply(mode, event, scope.user.is_admin(), || app.next_id())
    };
    // Wrong input is refused before an image is stored.
    scope.if_match.check(|| show(&scope.object))?;
    apply(&mut scope.object.clone())?;
    let image = match image {
        Some(bytes) => Some(store_image(&app.media, "image", bytes).await?),
        None => None,
    };
    let by = (&scope.user, &scope.if_match);
    let event = edit_event(
        app,
        by,
        Edited::event(&scope.club, &scope.object),
        show,
        |event| {
            if image.is_some() {
                event.image_alt.clear();
            }
            apply(event)?;
            event.image = image.clone().or_else(|| event.image.take());
            Ok(())
        },
    )
    .await;
    let event = remove_unless_saved(&app.media, event, image.as_ref()).await?;
    Ok(Json(show(&event)))
}

/// Upload the image of an event.
///
/// For officers. The form has the image in the part `file`: PNG, JPEG, WebP or GIF, at most 4 MiB
/// and 40 megapixels.
#[utoipa::path(
    post, path = "/api/clubs/{club}/events/{event}/upload/", tag = "events",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(("club" = String, Path), ("event" = u64, Path)),
    request_body(content = ImageUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = EventBody))
)]
pub async fn upload_event_image(
    app: Context,
    scope: Officer<EventsWrite, (), Event>,
    Upload(field, bytes): Upload,
) -> Result<Response> {
    let badges = Badges::of(&app, &scope.club).await?;
    let viewer = EventViewer::of(&scope);
    let show = |event: &Event| EventBody::new(event, &scope.club, viewer, &badges, &app.media);
    let image = store_image(&app.media, &field, bytes).await?;
    let by = (&scope.user, &scope.if_match);
    let event = edit_event(
        &app,
        by,
        Edited::event(&scope.club, &scope.object),
        show,
        |event| {
            event.image = Some(image.clone());
            event.image_alt.clear();
            Ok(())
        },
    )
    .await;
    let event = remove_unless_saved(&app.media, event, Some(&image)).await?;
    Ok(shown_at(
        format!("/api/clubs/{}/events/{}/", event.club, event.id),
        Json(show(&event)),
    ))
}

/// Delete an event.
///
/// For officers. Its showings and its image are deleted too. It is 400 if there are tickets for a
/// showing that has not begun, unless `force=true`: then they are cancelled.
#[utoipa::path(
    delete, path = "/api/clubs/{club}/events/{event}/", tag = "events",
    security(("bearer" = []), ("token" = ["events:write"])),
    params(
        ("club" = String, Path), ("event" = u64, Path),
        ("force" = Option<bool>, Query, description = "Whether tickets are cancelled")
    ),
    responses((status = 204))
)]
pub async fn delete_event(
    app: Context,
    scope: Officer<EventsWrite, (), Event>,
    params: Params,
    _: NoBody,
) -> Result<NoContent> {
    params.only(&["force"])?;
    let force = params.flag("force")?.unwrap_or_default();
    let badges = Badges::of(&app, &scope.club).await?;
    let viewer = EventViewer::of(&scope);
    let show = |event: &Event| EventBody::new(event, &scope.club, viewer, &badges, &app.media);
    let (app, id) = (&app, scope.object.id);
    let read = || app.table.event(&scope.club.code, id);
    let event = scope.object.clone();
    edit(
        app,
        &scope.if_match,
        event,
        show,
        read,
        |event: Event| async move {
            let sales = app.table.sales(event.sales()).await?;
            for cancelled in ticket_types::cancelled(app, &sales, force).await? {
                app.table.cancel_sale(&cancelled, app.now()).await?;
            }
            app.table.delete_event(&event).await?;
            app.media.forget(event.image.as_ref(), None).await;
            Ok(NoContent)
        },
    )
    .await
}

/// An event that is changed, or one of its showings.
pub struct Edited<'a> {
    club: &'a Club,
    event: &'a Event,
    /// The showing, whose types are read with the event.
    showing: Option<&'a SaleOfPath>,
}

impl<'a> Edited<'a> {
    /// The event itself.
    pub fn event(club: &'a Club, event: &'a Event) -> Self {
        Self {
            club,
            event,
            showing: None,
        }
    }

    /// A showing with its types.
    pub fn showing(club: &'a Club, event: &'a Event, showing: &'a SaleOfPath) -> Self {
        Self {
            club,
            event,
            showing: Some(showing),
        }
    }
}

/// Puts the types of a showing into the event.
fn attach(event: &mut Event, id: Option<Id<of::Showing>>, sale: Option<Sale>) {
    let showing = event.showings.iter_mut().find(|one| Some(one.id) == id);
    if let Some(showing) = showing {
        showing.types = Some(sale.map(|sale| sale.types).unwrap_or_default());
    }
}

async fn read_with_types(
    app: &Context,
    event: &Event,
    showing: Option<Id<of::Showing>>,
) -> std::result::Result<Option<Event>, TableError> {
    let found = app.table.event(&event.club, event.id).await?;
    let sale = match showing {
        Some(id) => app.table.sale(event.id, id).await?,
        None => None,
    };
    Ok(found.map(|mut event| {
        attach(&mut event, showing, sale);
        event
    }))
}

/// Applies a change to the newest state of the event, so that other changes at the same moment are
/// not lost (X7). Admins may have more events than a club (V12).
pub async fn edit_event<B: Serialize>(
    app: &Context,
    (user, if_match): (&User, &IfMatch),
    edited: Edited<'_>,
    show: impl Fn(&Event) -> B,
    change: impl Fn(&mut Event) -> Result<()>,
) -> Result<Event> {
    let change = &change;
    let Edited {
        club,
        event,
        showing,
    } = edited;
    let id = showing.and_then(|showing| showing.id);
    let mut first = event.clone();
    attach(
        &mut first,
        id,
        showing.and_then(|showing| showing.sale.clone()),
    );
    let read = || read_with_types(app, event, id);
    edit(app, if_match, first, show, read, |old: Event| async move {
        let mut new = old.clone();
        change(&mut new)?;
        if new == old {
            return Ok(new);
        }
        let begins_again = has_ended(&old, app.now()) && !has_ended(&new, app.now());
        if begins_again && !user.is_admin() {
            check_to_come(app, &old.club).await?;
        }
        new.sort_showings();
        new.version += 1;
        new.updated_at = app.now();
        let mut changes = ticket_types::changes(&old, &new);
        let mut beside = Vec::new();
        for change in &mut changes {
            beside.extend(change.prepare(app).await?);
        }
        app.table.update_event(&old, &new, beside).await?;
        if new.name != old.name {
            app.table
                .rename_sales(&new)
                .await
                .map_err(TableError::after_write)?;
        }
        let (before, now) = (old.image.as_ref(), new.image.as_ref());
        app.media.forget(before, now).await;
        for change in &changes {
            change.finish(app, club).await?;
        }
        Ok(new)
    })
    .await
}
