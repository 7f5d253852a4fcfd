//! Calendars (RFC 5545): `/events.ics` and `/clubs/{club}/events.ics`, with public data only, and
//! the files of one event and of one showing, `/events/{event}.ics` and
//! `/events/{event}/showings/{showing}.ics`

use std::collections::HashMap;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use shared::domain::{Club, Event, EventType, Showing};
use shared::ids::{self, Id, of};
use shared::text::html::to_text;
use shared::text::ics::Component;
use shared::time::Timestamp;
use shared::web::{ApiError, Kept, PathIds, Result, User, Visibility, Visible};
use shared::{Context, limits};

use crate::events::{VisibleEvent, since_then, upcoming};

/// Largest size of a calendar in bytes, so that it can pass the gateway (H25).
const MAX_CALENDAR_BYTES: usize = limits::RESPONSE_BODY - 100_000;

/// How long the calendar of a club has what is over.
const PAST: TimeDelta = TimeDelta::days(366);

/// Get the calendar of all clubs.
///
/// For everybody, with public data only. Each entry is a showing that has not ended. If there are
/// too many, only the soonest are shown.
#[utoipa::path(
    get, path = "/api/events.ics", tag = "events", security((), ("bearer" = [])),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_calendar(app: Context, user: Option<User>) -> Result<Response> {
    let (found, now) = (upcoming(&app).await?, app.now());
    let mut showings: Vec<(&Showing, &Event, &Club)> = Vec::new();
    for (event, club) in found.pairs() {
        showings.extend(
            event
                .showings
                .iter()
                .filter(|showing| showing.end >= now)
                .map(|showing| (showing, event, club)),
        );
    }
    showings.sort_by_key(|(showing, ..)| (showing.start, showing.id));
    let calendar = calendar(calendar_text("Club events", entries(showings)));
    Ok(Kept::FiveMinutes.unless_signed_in(user.as_ref(), calendar))
}

/// Get the calendar of a club.
///
/// For everybody, with public data only. Each entry is a showing that ended at most a year ago. If
/// there are too many, only the latest are shown. It is 404 if not everybody can see the club.
#[utoipa::path(
    get, path = "/api/clubs/{club}/events.ics", tag = "events",
    security((), ("bearer" = []), ("token" = ["clubs:read"])),
    params(("club" = String, Path)),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_club_calendar(app: Context, scope: Visible) -> Result<Response> {
    let club = &scope.club;
    if !Visibility::default().sees(club) {
        return Err(ApiError::NotFound);
    }
    let versions = app.table.versions().await?;
    let since = Timestamp::at(app.clock.now() - PAST);
    // From the catalogue in memory: reading the events of the club would cost as much as their
    // whole texts.
    let found = since_then(&app, &versions, since, |one| one.code == club.code).await?;
    let mut showings: Vec<(&Showing, &Event, &Club)> = Vec::new();
    for (event, club) in found.pairs() {
        let recent = event.showings.iter().filter(|showing| showing.end >= since);
        showings.extend(recent.map(|showing| (showing, event, club)));
    }
    showings.sort_by_key(|(showing, ..)| std::cmp::Reverse((showing.start, showing.id)));
    // The club is visible to everybody, so for anonymous callers a cache may keep it.
    let calendar = calendar(calendar_text(&club.profile.name, entries(showings)));
    Ok(Kept::FiveMinutes.unless_signed_in(scope.user.as_ref(), calendar))
}

/// Get the calendar file of an event.
///
/// For everybody who can see its club, with one entry for each showing. Signed-in people get its
/// address and all places. It is 404 if the event has no showings.
#[utoipa::path(
    get, path = "/api/events/{event}", tag = "events", security((), ("bearer" = [])),
    params(("event" = String, Path, description = "The id of the event, and `.ics`")),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_event_calendar(
    app: Context,
    user: Option<User>,
    path: PathIds,
) -> Result<Response> {
    let id = file_id(&path, "event")?;
    let found = VisibleEvent::find(&app, user.as_ref(), id).await?;
    event_calendar(&found, |_| true)
}

/// Get the calendar file of a showing.
///
/// As that of its event, with this showing alone.
#[utoipa::path(
    get, path = "/api/events/{event}/showings/{showing}", tag = "showings",
    security((), ("bearer" = [])),
    params(
        ("event" = u64, Path),
        ("showing" = String, Path, description = "The id of the showing, and `.ics`")
    ),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_showing_calendar(found: VisibleEvent, path: PathIds) -> Result<Response> {
    let id = file_id(&path, "showing")?;
    event_calendar(&found, |showing| showing.id == id)
}

/// The id in a segment that names a calendar file.
fn file_id<T>(path: &PathIds, segment: &str) -> Result<Id<T>> {
    let id = path.text(segment).strip_suffix(".ics");
    id.and_then(ids::parse).ok_or(ApiError::NotFound)
}

/// The file of those showings of an event that are selected, as its reader may see them.
fn event_calendar(
    found: &VisibleEvent,
    is_selected: impl Fn(&Showing) -> bool,
) -> Result<Response> {
    let VisibleEvent {
        event,
        club,
        viewer,
    } = found;
    let sees = if viewer.is_signed_in {
        Sees::Signed
    } else {
        Sees::Public
    };
    let mut showings: Vec<&Showing> = event
        .showings
        .iter()
        .filter(|one| is_selected(one))
        .collect();
    if showings.is_empty() {
        return Err(ApiError::NotFound);
    }
    showings.sort_by_key(|showing| (showing.start, showing.id));
    let mut texts = Texts::default();
    let entries = showings
        .into_iter()
        .map(|showing| texts.entry(event, showing, club, sees));
    Ok(calendar(calendar_text(&event.name, entries)))
}

/// The entries of showings, with public data.
fn entries(showings: Vec<(&Showing, &Event, &Club)>) -> impl Iterator<Item = Component> {
    let mut texts = Texts::default();
    showings
        .into_iter()
        .map(move |(showing, event, club)| texts.entry(event, showing, club, Sees::Public))
}

/// The texts of events. An event may have a hundred showings, so its text is made only once.
#[derive(Default)]
pub(crate) struct Texts(HashMap<Id<of::Event>, String>);

impl Texts {
    /// The entry of a showing.
    pub(crate) fn entry(
        &mut self,
        event: &Event,
        showing: &Showing,
        club: &Club,
        sees: Sees,
    ) -> Component {
        let text = self
            .0
            .entry(event.id)
            .or_insert_with(|| description_text(&event.description));
        entry(event, showing, &club.profile.name, text, sees)
    }
}

/// What the reader of a calendar may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sees {
    /// What everybody may see.
    Public,
    /// What a signed-in person may see: also places that are not public.
    Signed,
}

/// The text of a calendar with the first entries, as many as fit.
pub(crate) fn calendar_text(name: &str, entries: impl Iterator<Item = Component>) -> String {
    let mut calendar = Component::calendar();
    calendar
        .raw("CALSCALE", "GREGORIAN")
        .text("X-WR-CALNAME", name);
    let mut is_empty = true;
    for entry in entries {
        is_empty = false;
        if calendar.size() + entry.size() > MAX_CALENDAR_BYTES {
            break;
        }
        calendar.push(entry);
    }
    if is_empty {
        calendar.push(utc());
    }
    calendar.into_text()
}

/// The content of a calendar without entries, because a calendar needs at least one component (RFC
/// 5545, 3.6).
fn utc() -> Component {
    let mut standard = Component::new("STANDARD");
    standard
        .raw("DTSTART", "19700101T000000")
        .raw("TZOFFSETFROM", "+0000")
        .raw("TZOFFSETTO", "+0000")
        .raw("TZNAME", "UTC");
    let mut zone = Component::new("VTIMEZONE");
    zone.raw("TZID", "Etc/UTC").push(standard);
    zone
}

/// A calendar as an answer.
pub(crate) fn calendar(text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")];
    (kind, text).into_response()
}

/// The data of a showing. All its timestamps come from the event, so an unchanged calendar
/// is answered with 304 (V19).
fn entry(event: &Event, showing: &Showing, club: &str, text: &str, sees: Sees) -> Component {
    let mut entry = Component::new("VEVENT");
    // RFC 5545 allows integers up to 2,147,483,647.
    let sequence = i32::try_from(event.version - 1).unwrap_or(i32::MAX);
    entry
        .raw("UID", &format!("showing-{}@clubs", showing.id))
        .time("DTSTAMP", event.updated_at.moment())
        .time("CREATED", event.created_at.moment())
        .time("LAST-MODIFIED", event.updated_at.moment())
        .raw("SEQUENCE", &sequence.to_string())
        .text("SUMMARY", &format!("{} ({club})", event.name))
        .raw("CATEGORIES", category(event.event_type))
        .time("DTSTART", showing.start.moment());
    // An end that equals the start is not allowed (RFC 5545, 3.8.2.2).
    if showing.end > showing.start {
        entry.time("DTEND", showing.end.moment());
    }
    if !text.is_empty() {
        entry.text("DESCRIPTION", text);
    }
    // Only signed-in people see the address of an event.
    if let Some(url) = event.url.as_ref().filter(|_| sees == Sees::Signed) {
        entry.raw("URL", url);
    }
    if let Some(location) = showing
        .location
        .as_ref()
        .filter(|_| showing.location_is_public || sees == Sees::Signed)
    {
        entry.text("LOCATION", location);
    }
    entry
}

/// The beginning of an HTML text, as plain text for a calendar.
fn description_text(html: &str) -> String {
    let text = to_text(html);
    text.chars().take(limits::SHORTENED_DESCRIPTION).collect()
}

fn category(event_type: EventType) -> &'static str {
    match event_type {
        EventType::Other => "Other",
        EventType::Recruitment => "Recruitment",
        EventType::GeneralBodyMeeting => "General body meeting",
        EventType::Speaker => "Speaker",
        EventType::Fair => "Fair",
        EventType::Social => "Social",
        EventType::Career => "Career",
    }
}
