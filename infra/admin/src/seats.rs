//! Places in slots and the submissions that have booked them (K7).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::finding::{Finding, Repair};
use crate::{StoredItems, label, number};

/// The slot that a submission has booked, by its id.
fn booked(submission: &Value) -> Option<&str> {
    let interview = &submission["interview"]["M"];
    let is_current = number(&interview["sequence"]) == number(&submission["sequence"]);
    let slot = number(&interview["slot"]);
    (is_current && !slot.is_empty()).then_some(slot)
}

/// Places that no submission has booked, submissions without the place that they have booked, and
/// slots with more bookings than places.
pub(crate) fn check(stored: &StoredItems) -> Vec<Finding> {
    let mut expected: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for submission in stored.of("Submission") {
        if let Some(slot) = booked(submission) {
            let seat = (number(&submission["id"]), number(&submission["sequence"]));
            expected.entry(slot).or_default().extend([seat]);
        }
    }
    let mut wrong = vec![];
    for slot in stored.of("Slot") {
        let mut expected = expected.remove(number(&slot["id"])).unwrap_or_default();
        let mut find = |submission: &str, why: &str| {
            wrong.push(Finding {
                text: format!("{}: submission {submission} {why}", label(slot)),
                repair: Some(Repair::SetSeat {
                    slot: slot.clone(),
                    submission: submission.parse().unwrap_or_default(),
                }),
            });
        };
        let seats = slot["seats"]["M"].as_object();
        for (submission, sequence) in seats.into_iter().flatten() {
            if expected.remove(submission.as_str()) != Some(number(sequence)) {
                find(submission, "has a place and has not booked it");
            }
        }
        for submission in expected.keys() {
            find(submission, "has booked it and has no place");
        }
        let capacity: usize = number(&slot["capacity"]).parse().unwrap_or_default();
        if seats.map_or(0, serde_json::Map::len) > capacity {
            let text = format!("{}: has more bookings than places", label(slot));
            wrong.push(Finding::from(text));
        }
    }
    let lost = expected.into_iter().flat_map(|(slot, submissions)| {
        let text = move |id| format!("submission {id} has booked slot {slot}, which is not there");
        submissions.into_keys().map(text)
    });
    wrong.extend(lost.map(Finding::from));
    wrong
}
