//! Which events a list has

use std::collections::HashSet;
use std::ops::RangeInclusive;

use shared::Context;
use shared::db::TableError;
use shared::domain::{Event, Fair, ListedEvent, Showing, Versions};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text::{ClubCode, Word};
use shared::time::Timestamp;
use shared::web::{ApiError, Params, Result};

/// The filters of a request.
#[derive(Default)]
pub(crate) struct EventFilter {
    pub(crate) words: Vec<Word>,
    pub(crate) club: Option<String>,
    pub(crate) event_type: Option<u64>,
    /// Only events that end at this time or later. Set if the request has no times (V2).
    pub(crate) ends_after: Option<Timestamp>,
    pub(crate) earliest_start: Option<Timestamp>,
    pub(crate) latest_start: Option<Timestamp>,
    pub(crate) earliest_end: Option<Timestamp>,
    pub(crate) latest_end: Option<Timestamp>,
    /// Only events with a showing that has not ended at the first time and has begun at the second.
    pub(crate) from: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    pub(crate) fair: Option<Id<Fair>>,
    /// If the order is by the next showing: by the first one that ends after this time.
    pub(crate) next_after: Option<Timestamp>,
}

impl EventFilter {
    pub(crate) fn read(params: &Params, now: Timestamp) -> Result<Self> {
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
            from: params.time("from")?,
            until: params.time("until")?,
            fair: params.id("fair")?,
            next_after: None,
        };
        match params.text("ordering") {
            None | Some("start_time") => {}
            Some("next_start_time") => filter.next_after = filter.from.or(Some(now)),
            Some(_) => {
                let why = Reason::not_one_of(["start_time", "next_start_time"]);
                return Err(ApiError::field("ordering", why));
            }
        }
        let times = [
            filter.earliest_start,
            filter.latest_start,
            filter.earliest_end,
            filter.latest_end,
            filter.from,
            filter.until,
        ];
        if times.iter().all(Option::is_none) {
            filter.ends_after = Some(now);
        }
        Ok(filter)
    }

    /// The filter for all events that have not ended.
    pub(crate) fn upcoming(now: Timestamp) -> Self {
        Self {
            ends_after: Some(now),
            ..Self::default()
        }
    }

    /// The segments of the catalogue that may contain matching events. The end of the last showing
    /// decides in which segment an event is.
    pub(crate) fn segments(&self, versions: &Versions) -> Vec<String> {
        // An event whose start, first end or any showing is after a time also ends after it.
        let from = [
            self.ends_after,
            self.earliest_start,
            self.earliest_end,
            self.from,
        ]
        .into_iter()
        .flatten()
        .max();
        versions.event_segments(from, self.latest_end)
    }

    pub(crate) fn matches(
        &self,
        listed: &ListedEvent,
        club_name: &str,
        fair: Option<&AtFair>,
    ) -> bool {
        let event = &listed.event;
        let Some(span) = &listed.span else {
            return false;
        };
        let not_before =
            |limit: Option<Timestamp>, time: Timestamp| limit.is_none_or(|limit| time >= limit);
        let not_after =
            |limit: Option<Timestamp>, time: Timestamp| limit.is_none_or(|limit| time <= limit);
        let is_during = |showing: &Showing| {
            not_before(self.from, showing.end) && not_after(self.until, showing.start)
        };
        let has_span = self.from.is_some() || self.until.is_some();
        not_before(self.ends_after, span.ends.1)
            && (!has_span || event.showings.iter().any(is_during))
            && not_before(self.earliest_start, span.starts.0)
            && not_after(self.latest_start, span.starts.1)
            && not_before(self.earliest_end, span.ends.0)
            && not_after(self.latest_end, span.ends.1)
            && self.club.as_ref().is_none_or(|club| *event.club == **club)
            && self
                .event_type
                .is_none_or(|type_code| u64::from(event.event_type.code()) == type_code)
            && fair.is_none_or(|fair| fair.has(event))
            && self
                .words
                .iter()
                .all(|word| word.is_in(&listed.text) || word.is_in(club_name))
    }
}

/// The registered clubs of a fair and its time.
pub(crate) struct AtFair {
    clubs: HashSet<ClubCode>,
    time: RangeInclusive<Timestamp>,
}

impl AtFair {
    /// Reads the fair with this id. Without such a fair, no event matches.
    pub(crate) async fn of(
        app: &Context,
        fair: Id<Fair>,
        versions: &Versions,
    ) -> Result<Self, TableError> {
        let registrations = app
            .reference_data
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

    /// Whether an event belongs to the fair (F7).
    fn has(&self, event: &Event) -> bool {
        let inside = |showing: &Showing| {
            self.time.contains(&showing.start) && self.time.contains(&showing.end)
        };
        self.clubs.contains(&event.club) && event.showings.iter().any(inside)
    }
}
