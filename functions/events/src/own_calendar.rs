//! `/calendars/{calendar}`: the calendar of one person, for programs that have its address

use std::collections::{HashMap, HashSet};

use axum::http::{HeaderValue, header};
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use shared::domain::{
    Club, Event, OwnEntries, Showing, Slot, Ticket, TicketOrders, TicketState, Window,
};
use shared::ids::{self, Id, of};
use shared::text::ClubCode;
use shared::text::ics::Component;
use shared::time::Timestamp;
use shared::web::{ApiError, IfNoneMatch, PathIds, Result, SourceTag, Visibility};
use shared::{Context, calendars};

use crate::calendar::{Sees, Texts, calendar, calendar_text};
use crate::events::{MatchingEvents, of_clubs};
use crate::own_interviews::{Appointments, Role};

/// What a calendar has of the past, and of the time to come.
const PAST: TimeDelta = TimeDelta::days(90);
const FUTURE: TimeDelta = TimeDelta::days(365);
/// The largest number of entries.
const MOST: usize = 1_000;

/// Something in the calendar of a person.
#[derive(Clone, Copy)]
enum Item<'a> {
    Showing(&'a Showing, &'a Event, &'a Club),
    /// A slot that the person has booked, or one in which they hold interviews.
    Interview(&'a Slot, Role, &'a Club),
    /// Until when the person can submit to an application.
    Deadline(Id<of::Application>, &'a Window, Timestamp, &'a Club),
}

impl Item<'_> {
    /// When it begins and ends, and a number that tells apart what begins at the same time.
    fn sort_key(&self) -> (Timestamp, Timestamp, u64) {
        match self {
            Self::Showing(showing, ..) => (showing.start, showing.end, showing.id.get()),
            Self::Interview(slot, ..) => (slot.start, slot.end, slot.id.get()),
            Self::Deadline(id, _, end, _) => (*end, *end, id.get()),
        }
    }
}

/// Get the calendar of a person.
///
/// For everybody who knows the address, which `GET /settings/calendar/` tells. It has the showings
/// of events of the clubs that the person is in or follows, as the person may see them, and those
/// for which they have a valid ticket; booked
/// interviews, and slots in which the person holds interviews; and ends of open applications: of
/// clubs that the person follows, and of those that they have begun to answer. It reaches from 90
/// days ago to a year ahead and has at most 1,000 entries, those to come first. It is 404 if the
/// address was replaced or the person erased.
#[utoipa::path(
    get, path = "/api/calendars/{calendar}", tag = "events", security(()),
    params(("calendar" = String, Path, description = "The token of the address, and `.ics`")),
    responses((status = 200, body = String, content_type = "text/calendar"))
)]
pub async fn show_own_calendar(
    app: Context,
    states: IfNoneMatch,
    path: PathIds,
) -> Result<Response> {
    let token = path
        .text("calendar")
        .strip_suffix(".ics")
        .ok_or(ApiError::NotFound)?;
    let id = calendars::person_of(token).ok_or(ApiError::NotFound)?;
    let (person, followed, orders) = app.table.follower(id).await?;
    let person = person
        .filter(|person| !person.erasing)
        .filter(|person| calendars::is_present(&app.settings.secrets.invite, person, token))
        .ok_or(ApiError::NotFound)?;
    let (versions, own, (booked, interviewing)) = futures::try_join!(
        app.table.eventual_versions(),
        app.table.own_entries(id),
        app.table.appointments(id)
    )?;
    let now = app.clock.now();
    let during = Timestamp::at(now - PAST)..=Timestamp::at(now + FUTURE);
    // Admins follow clubs as everybody does: the address proves no group.
    let visibility = Visibility::with_all(own.clubs.iter().cloned(), false);
    let tickets = valid_tickets(&app, id, &orders).await?;
    let is_own = |club: &Club| own.clubs.contains(&club.code) || followed.contains(&club.code);
    let found = of_clubs(&app, &versions, during.clone(), |club| {
        let has_ticket = tickets.iter().any(|ticket| ticket.club == club.code);
        visibility.sees(club) && (is_own(club) || has_ticket)
    })
    .await?;
    let pairs = found.pairs();
    let showings = pairs.iter().flat_map(|(event, club)| {
        let own = event.showings.iter().filter(|showing| {
            is_own(club) || tickets.iter().any(|ticket| ticket.showing == showing.id)
        });
        own.map(|showing| Item::Showing(showing, event, club))
    });
    let mut items: Vec<Item<'_>> = showings
        .filter(|item| {
            let (start, end, _) = item.sort_key();
            end >= *during.start() && start <= *during.end()
        })
        .collect();
    let windows = windows(&found, &followed, &own, &visibility);
    let begun = windows
        .iter()
        .filter(|(_, window, _)| window.start.moment() <= now);
    let begun = begun.map(|(id, ..)| *id);
    let extended = app.table.extended_ends(&own, begun).await?;
    let has_extension = !extended.is_empty();
    items.extend(deadlines(windows, &extended, now, *during.end()));
    let beside = (booked, interviewing);
    let appointments = Appointments::of(&person, &own, beside, found.clubs(), has_extension);
    in_order(&mut items, app.now());
    let revised = appointments.tag(facts(&items), Timestamp::at(now))?;
    if let Some(response) = revised.as_ref().and_then(|tag| tag.not_modified(&states)) {
        return Ok(kept(response));
    }
    let interviews = appointments.read(&app).await?;
    items.extend(interviews.iter().filter_map(|(slot, role)| {
        let club = appointments.club(&slot.club)?;
        let is_near = slot.end >= *during.start() && slot.start <= *during.end();
        is_near.then_some(Item::Interview(slot, *role, club))
    }));
    in_order(&mut items, app.now());
    let tag = match revised {
        Some(tag) => tag,
        None => SourceTag::of(&facts(&items))?,
    };
    if let Some(response) = tag.not_modified(&states) {
        return Ok(kept(response));
    }
    Ok(kept(tag.on(calendar(rendered(items, &app)))))
}

/// Returns the valid tickets of a person: 1 batch read per 100, if they have ordered any.
async fn valid_tickets(
    app: &Context,
    person: Id<of::Person>,
    orders: &[TicketOrders],
) -> Result<Vec<Ticket>> {
    let ids = orders.iter();
    let ids = ids.flat_map(|one| one.tickets.iter().map(|id| (one.showing, *id)));
    let mut tickets = app.table.tickets(ids.collect::<Vec<_>>()).await?;
    tickets.retain(|one| one.state == TicketState::Valid && one.person == Some(person));
    Ok(tickets)
}

/// Raise it when the text of an entry changes: programs that have a calendar keep it while its tag
/// is the same.
const TEXT_VERSION: u32 = 1;

/// What the text of an entry is made of.
#[derive(Serialize)]
struct Fact<'a> {
    kind: &'static str,
    id: u64,
    version: u64,
    name: &'a str,
    club: &'a str,
    start: Timestamp,
    end: Timestamp,
    location: &'a str,
}

/// What the text of a calendar is made of, in an order that the present time does not change.
fn facts<'a>(items: &[Item<'a>]) -> (u32, Vec<Fact<'a>>) {
    let fact = |item: &Item<'a>| {
        let (start, end, number) = item.sort_key();
        let (kind, id, version, name, club, location) = match *item {
            // The version of the event stands for all of its texts.
            Item::Showing(_, event, club) => ("showing", number, event.version, "", club, ""),
            Item::Interview(slot, role, club) => {
                let (kind, id, version) = role.revision(slot);
                (kind, id, version, "", club, slot.location.as_str())
            }
            Item::Deadline(_, window, _, club) => {
                let opened = window.start.epoch_seconds().unsigned_abs();
                ("deadline", number, opened, window.name.as_str(), club, "")
            }
        };
        let club = club.profile.name.as_str();
        Fact {
            kind,
            id,
            version,
            name,
            club,
            start,
            end,
            location,
        }
    };
    let mut facts: Vec<Fact<'a>> = items.iter().map(fact).collect();
    facts.sort_by_key(|fact| (fact.start, fact.id));
    (TEXT_VERSION, facts)
}

/// The answer with its policy for caches.
fn kept(mut response: Response) -> Response {
    let policy = HeaderValue::from_static("private, no-cache");
    response.headers_mut().insert(header::CACHE_CONTROL, policy);
    response
}

/// The text of a calendar with these items.
fn rendered(items: Vec<Item<'_>>, app: &Context) -> String {
    let site = &app.settings.addresses.site_url;
    let mut texts = Texts::default();
    let entries = items.into_iter().map(|item| match item {
        Item::Showing(showing, event, club) => texts.entry(event, showing, club, Sees::Signed),
        Item::Interview(slot, role, club) => role.entry(slot, club, site),
        Item::Deadline(id, window, end, club) => deadline(id, window, end, club, site),
    });
    calendar_text("Clubs", entries)
}

/// The applications whose end the person may want to know, with the times that their club keeps.
type Windows<'a> = Vec<(Id<of::Application>, &'a Window, &'a Club)>;

/// The applications of clubs that the person follows, and those that they have begun to answer.
fn windows<'a>(
    found: &'a MatchingEvents,
    followed: &HashSet<ClubCode>,
    own: &OwnEntries,
    visibility: &Visibility,
) -> Windows<'a> {
    let clubs = found.clubs().iter().map(|listed| &listed.club);
    let visible = clubs.filter(|club| visibility.sees(club));
    let all = visible.flat_map(|club| club.windows.iter().map(move |one| (club, one)));
    all.filter_map(|(club, (id, window))| Some((ids::parse(id)?, window, club)))
        .filter(|(id, _, club)| followed.contains(&club.code) || own.drafted.contains(id))
        .filter(|(_, window, _)| window.is_active)
        .collect()
}

/// The ends of those that are open for the person, if they are not after `until`.
fn deadlines<'a>(
    windows: Windows<'a>,
    extended: &HashMap<Id<of::Application>, Timestamp>,
    now: DateTime<Utc>,
    until: Timestamp,
) -> impl Iterator<Item = Item<'a>> {
    windows.into_iter().filter_map(move |(id, window, club)| {
        let end = extended
            .get(&id)
            .map_or(window.end, |end| window.end.max(*end));
        let is_open = window.start.moment() <= now && now <= end.moment();
        (is_open && end <= until).then_some(Item::Deadline(id, window, end, club))
    })
}

/// What is to come first, the soonest first; then what is over, the latest first.
fn in_order(items: &mut Vec<Item<'_>>, now: Timestamp) {
    items.sort_by_key(Item::sort_key);
    let (mut coming, mut past): (Vec<_>, Vec<_>) = std::mem::take(items)
        .into_iter()
        .partition(|item| item.sort_key().1 >= now);
    past.reverse();
    coming.append(&mut past);
    coming.truncate(MOST);
    *items = coming;
}

/// The entry of a deadline. Its time stamp is the opening, so that an unchanged calendar stays the
/// same.
fn deadline(
    id: Id<of::Application>,
    window: &Window,
    end: Timestamp,
    club: &Club,
    site: &str,
) -> Component {
    let (name, code) = (&club.profile.name, &club.code);
    // A club may have several applications that end together.
    let summary = match window.name.as_str() {
        "" => format!("Applications close ({name})"),
        application => format!("{application}: applications close ({name})"),
    };
    let mut entry = Component::new("VEVENT");
    entry
        .raw("UID", &format!("deadline-{id}@clubs"))
        .time("DTSTAMP", window.start.moment())
        .text("SUMMARY", &summary)
        .time("DTSTART", end.moment())
        .raw("URL", &format!("{site}/clubs/{code}/apply/{id}/"));
    entry
}
