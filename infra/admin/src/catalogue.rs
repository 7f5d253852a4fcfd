//! Checks of the catalogue: the copies of events, and the versions of its segments.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::domain::{Event, EventListing, listed, segment_of};
use shared::ids::{Id, of};

use crate::finding::{Finding, Repair};
use crate::{StoredItems, text, typed};

/// Events whose copies in the catalogue are missing or wrong. An event has a copy in the segment of
/// its month.
pub(crate) fn listings(stored: &StoredItems) -> Vec<Finding> {
    let mut listed_events: BTreeMap<(String, Id<of::Event>), Event> =
        typed::<EventListing>(stored, "EventListing")
            .into_iter()
            .map(|listing| ((listing.segment, listing.event.id), listing.event))
            .collect();
    let mut wrong = Vec::new();
    for event in typed::<Event>(stored, "Event") {
        if let Some(segment) = segment_of(&event) {
            match listed_events.remove(&(segment.clone(), event.id)) {
                None => wrong.push(format!(
                    "event {} is not in {segment} of the catalogue",
                    event.id
                )),
                Some(copy) if copy != listed(&event) => {
                    wrong.push(format!(
                        "event {} has a different copy in {segment} of the catalogue",
                        event.id
                    ));
                }
                Some(_) => {}
            }
        }
    }
    wrong.extend(listed_events.keys().map(|(segment, id)| {
        format!("{segment} of the catalogue has event {id}, which does not belong there")
    }));
    wrong.into_iter().map(Finding::from).collect()
}

/// The types of items that stand in segments of the catalogue.
pub(crate) const LISTED: [&str; 9] = [
    "Badge",
    "Club",
    "EventListing",
    "Fair",
    "Major",
    "Registration",
    "School",
    "Tag",
    "Year",
];

/// Parts of the catalogue without a version. Lists take them for empty.
pub(crate) fn versions(stored: &StoredItems, now: DateTime<Utc>) -> Vec<Finding> {
    let items = LISTED.iter().flat_map(|kind| stored.of(kind));
    let segments: BTreeSet<&str> = items.map(|item| text(&item["pk"])).collect();
    let Some(version) = stored.of("Version").next() else {
        let mut new = json!({
            "pk": { "S": "CATALOGUE" },
            "sk": { "S": "VERSION" },
            "type": { "S": "Version" },
        });
        for segment in &segments {
            new[*segment] = beyond(now);
        }
        let finding = Finding {
            text: "the versions of the catalogue are missing".to_owned(),
            repair: Some(Repair::PutVersions(new)),
        };
        return if segments.is_empty() {
            vec![]
        } else {
            vec![finding]
        };
    };
    let unknown = segments
        .into_iter()
        .filter(|segment| version[*segment].is_null());
    unknown
        .map(|segment| Finding {
            text: format!("{segment} has items, but no version in the catalogue"),
            repair: Some(Repair::SetVersion {
                item: version.clone(),
                segment: segment.to_owned(),
                value: beyond(now),
            }),
        })
        .collect()
}

/// A version above all that functions may still have in memory: versions increase by one with each
/// change, far more slowly than the seconds since 1970.
fn beyond(now: DateTime<Utc>) -> Value {
    json!({ "N": now.timestamp().to_string() })
}
