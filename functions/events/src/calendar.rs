//! `/events.ics`, `/clubs/{club}/events.ics`: calendars (RFC 5545) with public data only

use std::collections::HashMap;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use shared::domain::{Club, Event, EventType, Showing};
use shared::ids::{Id, of};
use shared::text::html::to_text;
use shared::text::ics::Component;
use shared::web::{ApiError, Kept, Result, User, Visibility, Visible};
use shared::{Context, limits};

use crate::events::upcoming;

/// Largest size of a calendar in bytes, so that it can pass the gateway (H25).
const MAX_CALENDAR_BYTES: usize = limits::RESPONSE_BODY - 100_000;

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
/// For everybody, with public data only. Each entry is a showing. If there are too many, only the
/// latest are shown. It is 404 if not everybody can see the club.
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
    let events = app.table.events(&club.code).await?;
    let mut showings: Vec<(&Showing, &Event, &Club)> = Vec::new();
    for event in &events {
        showings.extend(event.showings.iter().map(|showing| (showing, event, club)));
    }
    showings.sort_by_key(|(showing, ..)| std::cmp::Reverse((showing.start, showing.id)));
    // The club is visible to everybody, so for anonymous callers a cache may keep it.
    let calendar = calendar(calendar_text(&club.profile.name, entries(showings)));
    Ok(Kept::FiveMinutes.unless_signed_in(scope.user.as_ref(), calendar))
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
