//! The keys of events in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::club::keys::club_items;
use crate::ids::{Id, of};
use crate::text::ClubCode;

/// The years whose months have their own partitions. Events that end earlier share one partition,
/// and so do events that end later. Without this limit, anybody who may write events could create a
/// partition for each month of 10,000 years.
const EVENT_YEARS: std::ops::RangeInclusive<&str> = "2020"..="2040";

pub(crate) const EVENTS: &str = "EVENT#";

pub(crate) fn event(club: &ClubCode, event: Id<of::Event>) -> Key {
    Key::new(club_items(club), format!("{EVENTS}{}", padded(event)))
}

/// Returns the key of the whole description of an event.
pub(crate) fn event_text(club: &ClubCode, event: Id<of::Event>) -> Key {
    Key::new(club_items(club), format!("TEXT#EVENT#{}", padded(event)))
}

pub(crate) fn event_club(event: Id<of::Event>) -> Key {
    Key::new(format!("EVENT#{}", padded(event)), "CLUB".into())
}

/// The prefix of the partitions of events.
pub(crate) const EVENT_SEGMENTS: &str = "EVENTS#";

/// Returns the partition of events whose last showing ends in the month of `time`. `time` has the
/// format of the API (for example `2026-11-21T09:00:00Z`).
pub(crate) fn events(time: &str) -> String {
    // The order of the segments is the order of time: digits sort before letters.
    let segment = match (
        time.get(..4).unwrap_or_default(),
        time.get(..7).unwrap_or_default(),
    ) {
        (year, month) if EVENT_YEARS.contains(&year) => month,
        (year, _) if year < *EVENT_YEARS.start() => "0000",
        _ => "later",
    };
    format!("{EVENT_SEGMENTS}{segment}")
}

/// Returns the key of the catalogue copy of an event in a segment.
pub(crate) fn event_listing(segment: &str, event: Id<of::Event>) -> Key {
    Key::new(segment.to_owned(), padded(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_events_stand_in_the_order_of_time_and_are_few() {
        let times = [
            "0001-01-01T00:00:00Z",
            "2019-12-31T23:59:59Z",
            "2020-01-01T00:00:00Z",
            "2026-11-21T09:00:00Z",
            "2040-12-31T23:59:59Z",
        ];
        let segments: Vec<String> = times
            .iter()
            .chain(&["2041-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
            .map(|time| events(time))
            .collect();
        assert!(segments.is_sorted(), "{segments:?}");
        assert_eq!((&segments[0], &segments[5]), (&segments[1], &segments[6]));
        assert_eq!(segments[3], "EVENTS#2026-11");
    }
}
