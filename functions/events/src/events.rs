//! `/events/`, `/events/{event}/`: the events of all clubs

use std::ops::RangeInclusive;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::Response;
use shared::bodies::Badges;
use shared::domain::{
    Club, Clubs, Event, EventType, ListedAt, ListedEvent, SegmentItems, Versions,
};
use shared::ids::{Id, of};
use shared::openapi::fields::{Count, EventOrdering, SearchText};
use shared::time::Timestamp;
use shared::web::{
    ApiError, Envelope, Kept, Page, Params, PathIds, Result, User, Visibility, is_officer,
};
use shared::{Context, Shared};

use crate::body::{EventBody, EventViewer};
use crate::filter::{AtFair, EventFilter};

/// Matching events of the catalogue with their clubs. Refers to the catalogue in memory instead of
/// copying it.
pub struct MatchingEvents {
    clubs: Clubs,
    badges: Badges,
    segments: SegmentItems<ListedEvent>,
    hits: Vec<Hit>,
}

/// A matching event: what the order of the list needs, and where event and club are.
#[derive(Clone, Copy)]
struct Hit {
    starts: Option<Timestamp>,
    id: Id<of::Event>,
    version: u64,
    event: ListedAt,
    club: ListedAt,
}

impl Hit {
    /// The order of the list.
    fn key(&self) -> (Option<Timestamp>, Id<of::Event>) {
        (self.starts, self.id)
    }
}

impl MatchingEvents {
    fn pair(&self, hit: &Hit) -> (&Event, &Club) {
        let ListedAt { segment, position } = hit.event;
        let event = &self.segments[segment][position].event;
        (event, &self.clubs.at(hit.club).club)
    }

    /// Keeps only the events of some clubs.
    fn keep(&mut self, is_selected: impl Fn(&Club) -> bool) {
        let clubs = &self.clubs;
        self.hits
            .retain(|hit| is_selected(&clubs.at(hit.club).club));
    }

    /// All clubs.
    pub fn clubs(&self) -> &Clubs {
        &self.clubs
    }

    /// All events with their clubs, ordered by earliest start and id.
    pub fn pairs(&self) -> Vec<(&Event, &Club)> {
        let mut sorted = self.hits.clone();
        sorted.sort_unstable_by_key(Hit::key);
        sorted.iter().map(|hit| self.pair(hit)).collect()
    }
}

/// The matching events that the caller can see. Needs 1 read if the catalogue did not change.
async fn find(app: &Context, filter: &EventFilter, user: Option<&User>) -> Result<MatchingEvents> {
    let versions = app.table.versions().await?;
    let mut found = find_all(app, filter, &versions).await?;
    let hosts = found.hits.iter().map(|hit| &found.clubs.at(hit.club).club);
    let visibility = Visibility::of(app, user, hosts).await?;
    found.keep(|club| visibility.sees(club));
    Ok(found)
}

/// The matching events of clubs that are not archived, whoever can see them.
async fn find_all(
    app: &Context,
    filter: &EventFilter,
    versions: &Versions,
) -> Result<MatchingEvents> {
    let requested = filter.segments(versions);
    let fair = async {
        match filter.fair {
            Some(fair) => AtFair::of(app, fair, versions).await.map(Some),
            None => Ok(None),
        }
    };
    let events = app
        .events
        .segments(&app.table, versions, &requested, app.clock.now());
    let (clubs, segments, fair, badges) =
        futures::try_join!(app.all_clubs(versions), events, fair, app.entries(versions))?;
    let mut hits: Vec<Hit> = Vec::new();
    for (segment, events) in segments.iter().enumerate() {
        for (position, listed) in events.iter().enumerate() {
            let Some(club) = listed.host(&clubs) else {
                continue;
            };
            let host = clubs.at(club);
            if !host.club.archived && filter.matches(listed, &host.name, fair.as_ref()) {
                hits.push(Hit {
                    starts: listed.span.as_ref().map(|span| span.starts.0),
                    id: listed.event.id,
                    version: listed.event.version,
                    event: ListedAt { segment, position },
                    club,
                });
            }
        }
    }
    // An event that moved to another segment may be in both. The copy with the higher version is
    // right.
    hits.sort_unstable_by_key(|hit| (hit.id, std::cmp::Reverse(hit.version)));
    hits.dedup_by_key(|hit| hit.id);
    Ok(MatchingEvents {
        clubs,
        badges: Badges(badges),
        segments,
        hits,
    })
}

/// The events of these clubs with a showing in this time, whoever can see them.
pub async fn of_clubs(
    app: &Context,
    versions: &Versions,
    during: RangeInclusive<Timestamp>,
    is_selected: impl Fn(&Club) -> bool,
) -> Result<MatchingEvents> {
    let mut filter = EventFilter::upcoming(*during.start());
    filter.from = Some(*during.start());
    filter.until = Some(*during.end());
    let mut found = find_all(app, &filter, versions).await?;
    found.keep(is_selected);
    Ok(found)
}

/// The events of these clubs that have not ended before this time, whoever can see them.
pub async fn since_then(
    app: &Context,
    versions: &Versions,
    since: Timestamp,
    is_selected: impl Fn(&Club) -> bool,
) -> Result<MatchingEvents> {
    let mut found = find_all(app, &EventFilter::upcoming(since), versions).await?;
    found.keep(is_selected);
    Ok(found)
}

/// The events that have not ended and that everybody can see.
pub async fn upcoming(app: &Context) -> Result<MatchingEvents> {
    find(app, &EventFilter::upcoming(app.now()), None).await
}

/// List the events of all clubs.
///
/// For everybody. Only events with showings, of clubs that the caller can see. Without any of the
/// times, only events that have not ended. In pages, ordered by the earliest start, unless
/// `ordering` says otherwise.
#[utoipa::path(
    get, path = "/api/events/", tag = "events", security((), ("bearer" = [])),
    params(
        ("search" = Option<SearchText>, Query,
            description = "Every word must occur in the name, description or club name"),
        ("club__code" = Option<String>, Query,
            description = "Only events of the club with this code"),
        ("type" = Option<EventType>, Query, description = "Only events of this type"),
        ("earliest_start_time" = Option<Timestamp>, Query,
            description = "Only events whose earliest start is at this time or later"),
        ("latest_start_time" = Option<Timestamp>, Query,
            description = "Only events whose latest start is at this time or earlier"),
        ("earliest_end_time" = Option<Timestamp>, Query,
            description = "Only events whose earliest end is at this time or later"),
        ("latest_end_time" = Option<Timestamp>, Query,
            description = "Only events whose latest end is at this time or earlier"),
        ("from" = Option<Timestamp>, Query,
            description = "Only events with a showing that ends at this time or later and, with \
                `until`, starts then or earlier: what is on in a week"),
        ("until" = Option<Timestamp>, Query,
            description = "Only events with a showing that starts at this time or earlier"),
        ("fair" = Option<u64>, Query,
            description = "Id of a club fair: only events of its clubs, with a showing inside its \
                time"),
        ("ordering" = Option<EventOrdering>, Query,
            description = "`start_time`: by the earliest start. `next_start_time`: by the start of \
                the next showing, which is the first one that ends after `from`, or after now if \
                `from` is not sent; of the last one if all have ended"),
        ("page" = Option<Count>, Query, description = "Number of the page, from 1. 404 if there is no such page"),
        ("page_size" = Option<Count>, Query,
            description = "Results on one page: 25 by default. More than 100 counts as 100")
    ),
    responses((status = 200, body = Envelope<EventBody>))
)]
pub async fn list_events(
    app: Context,
    user: Option<User>,
    params: Params,
    page: Page,
) -> Result<Response> {
    let filter = EventFilter::read(&params, app.now())?;
    let found = find(&app, &filter, user.as_ref()).await?;
    // Fields for officers are shown only in the list of the club (V6).
    let viewer = EventViewer {
        is_signed_in: user.is_some(),
        is_officer: false,
    };
    let mut hits = found.hits.clone();
    if let Some(time) = filter.next_after {
        for hit in &mut hits {
            hit.starts = found.pair(hit).0.next_showing(time).map(|one| one.start);
        }
    }
    let show = |hit: &Hit| {
        let (event, club) = found.pair(hit);
        EventBody::new(event, club, viewer, &found.badges, &app.media)
    };
    let page = page.of_sorted(&mut hits, |a, b| a.key().cmp(&b.key()), show)?;
    Ok(Kept::MinuteInDistribution.unless_signed_in(user.as_ref(), Json(page)))
}

/// The event that the path names, if the caller can see its club.
pub struct VisibleEvent {
    pub event: Event,
    pub club: Club,
    pub viewer: EventViewer,
}

impl FromRequestParts<Shared> for VisibleEvent {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self> {
        let app = &Context::of(parts, state);
        let user = Option::<User>::from_request_parts(parts, state).await?;
        let path = PathIds::from_request_parts(parts, state).await?;
        let id = path.id("event").ok_or(ApiError::NotFound)?;
        Self::find(app, user.as_ref(), id).await
    }
}

impl VisibleEvent {
    /// The event with this id, if the caller can see its club.
    pub async fn find(app: &Context, user: Option<&User>, id: Id<of::Event>) -> Result<Self> {
        let code = app
            .table
            .club_of_event(id)
            .await?
            .ok_or(ApiError::NotFound)?;
        let person = user.map(User::id);
        let (event, (club, membership)) = futures::try_join!(
            app.table.event(&code, id),
            app.table.club_and_membership(&code, person)
        )?;
        let is_admin = user.is_some_and(User::is_admin);
        let visibility = Visibility::with(membership.as_ref(), is_admin);
        let (event, club) = event
            .zip(club.filter(|club| visibility.sees(club)))
            .ok_or(ApiError::NotFound)?;
        let is_officer = is_officer(membership.map(|membership| membership.role), is_admin);
        Ok(Self {
            event,
            club,
            viewer: EventViewer {
                is_signed_in: user.is_some(),
                is_officer,
            },
        })
    }
}

/// Get an event.
///
/// For everybody who can see its club.
#[utoipa::path(
    get, path = "/api/events/{event}/", tag = "events", security((), ("bearer" = [])),
    params(("event" = u64, Path)), responses((status = 200, body = EventBody))
)]
pub async fn show_event(app: Context, found: VisibleEvent) -> Result<Json<EventBody>> {
    let badges = Badges::of(&app, &found.club).await?;
    Ok(Json(EventBody::new(
        &found.event,
        &found.club,
        found.viewer,
        &badges,
        &app.media,
    )))
}
