//! `/events/`, `/events/{event}/`: what is on, across clubs

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use shared::bodies::Badges;
use shared::catalogue::{Clubs, ListedEvent};
use shared::http::User;
use shared::http::{ApiError, Envelope, Page, Params, PathIds, Result, Visibility, is_officer};
use shared::models::{Club, Event, Fair, Showing};
use shared::table::{TableError, Versions};
use shared::text::Word;
use shared::time::Timestamp;
use shared::{App, Shared};

use crate::body::{EventBody, EventViewer};

/// Which events of the catalogue are asked for.
struct EventFilter {
    words: Vec<Word>,
    club: Option<String>,
    event_type: Option<u64>,
    /// Ends after this moment: the usual window.
    ends_after: Option<Timestamp>,
    earliest_start: Option<Timestamp>,
    latest_start: Option<Timestamp>,
    earliest_end: Option<Timestamp>,
    latest_end: Option<Timestamp>,
    fair: Option<u64>,
}

impl EventFilter {
    fn read(params: &Params, now: Timestamp) -> Result<Self> {
        let [earliest_start, latest_start, earliest_end, latest_end] = [
            "earliest_start_time",
            "latest_start_time",
            "earliest_end_time",
            "latest_end_time",
        ]
        .map(|name| params.time(name));
        let mut filter = Self {
            words: params.search()?,
            club: params
                .text("club__code")
                .filter(|code| !code.is_empty())
                .map(str::to_owned),
            event_type: params.number("type", 0, 6)?,
            ends_after: None,
            earliest_start: earliest_start?,
            latest_start: latest_start?,
            earliest_end: earliest_end?,
            latest_end: latest_end?,
            fair: params.number("fair", 1, shared::ids::MAX_ID)?,
        };
        let times = [
            filter.earliest_start,
            filter.latest_start,
            filter.earliest_end,
            filter.latest_end,
        ];
        if times.iter().all(Option::is_none) {
            filter.ends_after = Some(now);
        }
        Ok(filter)
    }

    /// What is on from now on.
    pub fn upcoming(now: Timestamp) -> Self {
        Self {
            words: vec![],
            club: None,
            event_type: None,
            ends_after: Some(now),
            earliest_start: None,
            latest_start: None,
            earliest_end: None,
            latest_end: None,
            fair: None,
        }
    }

    /// The parts of the catalogue in which such an event may stand: by when its last showing ends.
    fn parts(&self, versions: &Versions) -> Vec<String> {
        // An event that starts or first ends after a moment ends after it.
        let from = [self.ends_after, self.earliest_start, self.earliest_end]
            .into_iter()
            .flatten()
            .max();
        versions.event_parts(from, self.latest_end)
    }

    fn matches(&self, listed: &ListedEvent, club_name: &str, fair: Option<&AtFair>) -> bool {
        let event = &listed.event;
        let Some(span) = event.span() else {
            return false;
        };
        let not_before =
            |limit: Option<Timestamp>, time: Timestamp| limit.is_none_or(|limit| time >= limit);
        let not_after =
            |limit: Option<Timestamp>, time: Timestamp| limit.is_none_or(|limit| time <= limit);
        not_before(self.ends_after, span.ends.1)
            && not_before(self.earliest_start, span.starts.0)
            && not_after(self.latest_start, span.starts.1)
            && not_before(self.earliest_end, span.ends.0)
            && not_after(self.latest_end, span.ends.1)
            && self.club.as_ref().is_none_or(|club| event.club == *club)
            && self
                .event_type
                .is_none_or(|wanted| u64::from(event.event_type.code()) == wanted)
            && fair.is_none_or(|fair| fair.has(event))
            && self
                .words
                .iter()
                .all(|word| word.is_in(&listed.text) || word.is_in(club_name))
    }
}

/// The clubs of a fair, and its time.
struct AtFair {
    clubs: HashSet<String>,
    time: RangeInclusive<Timestamp>,
}

impl AtFair {
    /// Those of the fair with this id; nobody, if there is none.
    async fn of(app: &App, fair: u64, versions: &Versions) -> Result<Self, TableError> {
        let registrations = app
            .lookups
            .registrations(&app.table, versions, app.clock.now());
        let (fairs, registrations) =
            futures::try_join!(app.entries::<Fair>(versions), registrations)?;
        let time = fairs
            .get(fair)
            .map_or(Timestamp::default()..=Timestamp::default(), |fair| {
                fair.value.start..=fair.value.end
            });
        let clubs = registrations
            .iter()
            .filter(|registration| registration.fair == fair && fairs.get(fair).is_some());
        Ok(Self {
            clubs: clubs
                .map(|registration| registration.club.clone())
                .collect(),
            time,
        })
    }

    /// Whether an event is one of the fair: one of its clubs has a showing inside its time.
    fn has(&self, event: &Event) -> bool {
        let inside = |showing: &Showing| {
            self.time.contains(&showing.start) && self.time.contains(&showing.end)
        };
        self.clubs.contains(&event.club) && event.showings.iter().any(inside)
    }
}

/// Events of the catalogue with their clubs. What is in memory is lent, not copied.
pub struct MatchingEvents {
    clubs: Clubs,
    badges: Badges,
    parts: Vec<Arc<Vec<ListedEvent>>>,
    /// Part and place of each, in the order of the list.
    places: Vec<(usize, usize)>,
}

impl MatchingEvents {
    /// By earliest start and id.
    pub fn pairs(&self) -> Vec<(&Event, &Club)> {
        let pair = |(part, place): &(usize, usize)| {
            let event = &self.parts.get(*part)?.get(*place)?.event;
            Some((event, &self.clubs.get(&event.club)?.club))
        };
        self.places.iter().filter_map(pair).collect()
    }
}

/// The events of the catalogue that match, for this caller: 1 read when nothing changed.
async fn find(app: &Shared, filter: &EventFilter, user: Option<&User>) -> Result<MatchingEvents> {
    let versions = app.table.versions().await?;
    let wanted = filter.parts(&versions);
    let fair = async {
        match filter.fair {
            Some(fair) => AtFair::of(app, fair, &versions).await.map(Some),
            None => Ok(None),
        }
    };
    let events = app
        .events
        .parts(&app.table, &versions, &wanted, app.clock.now());
    let (clubs, events, fair, badges) = futures::try_join!(
        app.all_clubs(&versions),
        events,
        fair,
        app.entries(&versions)
    )?;
    let parts = events;
    let mut hits: Vec<(&ListedEvent, &Club, (usize, usize))> = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        for (i, listed) in part.iter().enumerate() {
            let host = clubs
                .get(&listed.event.club)
                .filter(|host| !host.club.archived);
            if let Some(host) =
                host.filter(|host| filter.matches(listed, &host.name, fair.as_ref()))
            {
                hits.push((listed, &host.club, (p, i)));
            }
        }
    }
    let visibility = Visibility::of(app, user, hits.iter().map(|(_, club, _)| *club)).await?;
    hits.retain(|(_, club, _)| visibility.sees(club));
    // One that moved to another part stands in both, or still in the first one: the younger copy is
    // right.
    hits.sort_by_key(|(listed, ..)| (listed.event.id, std::cmp::Reverse(listed.event.version)));
    hits.dedup_by_key(|(listed, ..)| listed.event.id);
    hits.sort_by_key(|(listed, ..)| {
        (
            listed.event.span().map(|span| span.starts.0),
            listed.event.id,
        )
    });
    let places = hits.into_iter().map(|(_, _, place)| place).collect();
    Ok(MatchingEvents {
        clubs,
        badges: Badges(badges),
        parts,
        places,
    })
}

/// What anybody may see of what is on from now on, with its clubs.
pub async fn upcoming(app: &Shared) -> Result<MatchingEvents> {
    find(app, &EventFilter::upcoming(app.now()), None).await
}

/// Events with showings across clubs, by earliest start; without any of the four times, those that
/// have not ended. Anybody.
#[utoipa::path(get, path = "/api/events/", tag = "events", security((), ("bearer" = [])),
    params(("search" = Option<String>, Query, description = "Words that must all occur in name, description or club name"),
        ("club__code" = Option<String>, Query), ("type" = Option<u8>, Query, description = "0–6"),
        ("earliest_start_time" = Option<Timestamp>, Query, description = "Not before"),
        ("latest_start_time" = Option<Timestamp>, Query, description = "Not after"),
        ("earliest_end_time" = Option<Timestamp>, Query, description = "Not before"),
        ("latest_end_time" = Option<Timestamp>, Query, description = "Not after"),
        ("fair" = Option<u64>, Query, description = "Id of a club fair"),
        ("page" = Option<u64>, Query), ("page_size" = Option<u64>, Query, description = "25, at most 100")),
    responses((status = 200, body = Envelope<EventBody>)))]
pub async fn list_events(
    State(app): State<Shared>,
    user: Option<User>,
    params: Params,
    page: Page,
) -> Result<Json<Envelope<EventBody>>> {
    let filter = EventFilter::read(&params, app.now())?;
    let found = find(&app, &filter, user.as_ref()).await?;
    // Across clubs nobody is an officer: what only officers read stands in the club's own list.
    let viewer = EventViewer {
        is_signed_in: user.is_some(),
        is_officer: false,
    };
    let page = page.of(&found.pairs(), |(event, club)| {
        EventBody::new(event, club, viewer, &found.badges, &app.media)
    })?;
    Ok(Json(page))
}

/// An event by its id alone, with its club: both are there for the caller.
pub struct VisibleEvent {
    /// The event.
    pub event: Event,
    /// Its club.
    pub club: Club,
    /// Who looks at it.
    pub viewer: EventViewer,
}

impl FromRequestParts<Shared> for VisibleEvent {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self> {
        let user = parts.extensions.get::<User>().cloned();
        let path = PathIds::from_request_parts(parts, app).await?;
        let id = path.id("event").ok_or(ApiError::NotFound)?;
        let code = app
            .table
            .club_of_event(id)
            .await?
            .ok_or(ApiError::NotFound)?;
        let person = user.as_ref().map(User::id);
        let (event, (club, membership)) = futures::try_join!(
            app.table.event(&code, id),
            app.table.club_and_membership(&code, person)
        )?;
        let is_admin = user.as_ref().is_some_and(User::is_admin);
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

/// One event. Anybody who can see its club.
#[utoipa::path(get, path = "/api/events/{event}/", tag = "events", security((), ("bearer" = [])), params(("event" = u64, Path)),
    responses((status = 200, body = EventBody)))]
pub async fn show_event(State(app): State<Shared>, found: VisibleEvent) -> Result<Json<EventBody>> {
    let badges = Badges::of(&app, &found.club).await?;
    Ok(Json(EventBody::new(
        &found.event,
        &found.club,
        found.viewer,
        &badges,
        &app.media,
    )))
}
