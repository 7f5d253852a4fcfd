//! `/events.ics`, `/clubs/{club}/events.ics`: calendars (RFC 5545) with public data only

use std::collections::HashMap;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use icalendar::{Calendar, Component as _, Event as Entry, EventLike as _};
use shared::domain::{Club, Event, EventType, Showing};
use shared::ids::Id;
use shared::text::html::to_text;
use shared::web::{ApiError, Kept, Result, User, Visibility, Visible};
use shared::{Shared, limits};

use crate::events::upcoming;

/// The content of a calendar without entries, because a calendar needs at least one component (RFC
/// 5545, 3.6).
const UTC_TIMEZONE: &str = "BEGIN:VTIMEZONE\r\nTZID:Etc/UTC\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\n\
    TZOFFSETTO:+0000\r\nTZNAME:UTC\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
/// Largest size of a calendar in bytes, so that it can pass the gateway (H25).
const MAX_CALENDAR_BYTES: usize = limits::ANSWER_BODY - 100_000;

/// Get the calendar of all clubs.
///
/// For everybody, with public data only. Each entry is a showing that has not ended. If there are
/// too many, only the soonest are shown.
#[utoipa::path(
    get, path = "/api/events.ics", tag = "events", security((), ("bearer" = [])),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_calendar(State(app): State<Shared>, user: Option<User>) -> Result<Response> {
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
pub async fn show_club_calendar(State(app): State<Shared>, scope: Visible) -> Result<Response> {
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
fn entries(showings: Vec<(&Showing, &Event, &Club)>) -> impl Iterator<Item = Entry> {
    let mut texts = Texts::default();
    showings
        .into_iter()
        .map(move |(showing, event, club)| texts.entry(event, showing, club, Sees::Public))
}

/// The texts of events. An event may have a hundred showings, so its text is made only once.
#[derive(Default)]
pub(crate) struct Texts(HashMap<Id<Event>, String>);

impl Texts {
    /// The entry of a showing.
    pub(crate) fn entry(
        &mut self,
        event: &Event,
        showing: &Showing,
        club: &Club,
        sees: Sees,
    ) -> Entry {
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
pub(crate) fn calendar_text(name: &str, entries: impl Iterator<Item = Entry>) -> String {
    let mut calendar = Calendar::empty();
    for property in [
        ("VERSION", "2.0"),
        ("PRODID", "-//Clubs//Clubs//EN"),
        ("CALSCALE", "GREGORIAN"),
        ("X-WR-CALNAME", &one_line(name)),
    ] {
        calendar.append_property(property);
    }
    let mut is_empty = true;
    let mut size = 0;
    for entry in entries {
        is_empty = false;
        size += entry.to_string().len();
        if size > MAX_CALENDAR_BYTES {
            break;
        }
        calendar.push(entry);
    }
    let mut text = calendar.to_string();
    // A name may hold the same words, so only the last line is replaced.
    if is_empty && let Some(body) = text.trim_end().strip_suffix("END:VCALENDAR") {
        text = format!("{body}{UTC_TIMEZONE}END:VCALENDAR\r\n");
    }
    text
}

/// A calendar as an answer.
pub(crate) fn calendar(text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")];
    (kind, text).into_response()
}

/// The data of a showing. All its timestamps come from the event, so an unchanged calendar
/// is answered with 304 (V19).
fn entry(event: &Event, showing: &Showing, club: &str, text: &str, sees: Sees) -> Entry {
    let mut entry = Entry::new();
    entry
        .uid(&format!("showing-{}@clubs", showing.id))
        .timestamp(event.updated_at.moment())
        .created(event.created_at.moment())
        .last_modified(event.updated_at.moment())
        .sequence(u32::try_from(event.version - 1).unwrap_or(u32::MAX))
        .summary(&without_control_characters(&format!(
            "{} ({club})",
            event.name
        )))
        .categories([category(event.event_type)])
        .starts(showing.start.moment());
    // An end that equals the start is not allowed (RFC 5545, 3.8.2.2).
    if showing.end > showing.start {
        entry.ends(showing.end.moment());
    }
    if !text.is_empty() {
        entry.description(text);
    }
    if let Some(location) = showing
        .location
        .as_ref()
        .filter(|_| showing.location_is_public || sees == Sees::Signed)
    {
        entry.location(&without_control_characters(location));
    }
    entry.done()
}

/// The beginning of an HTML text, as plain text for a calendar.
fn description_text(html: &str) -> String {
    let text: String = to_text(html)
        .chars()
        .take(limits::SHORTENED_DESCRIPTION)
        .collect();
    without_control_characters(&text)
}

/// Removes control characters except line breaks. Calendars must not contain them.
pub(crate) fn without_control_characters(text: &str) -> String {
    text.chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect()
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
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
