//! Tickets, the parts that count them, and the queues of those who wait (Y5).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::finding::{Finding, Repair};
use crate::{StoredItems, label, number, text};

/// What counts tickets in a part.
const COUNTS: [&str; 4] = ["valid", "over", "waiting", "requested"];

/// As what a ticket is counted.
fn counted_as(ticket: &Value) -> Option<usize> {
    match (text(&ticket["state"]), ticket["queue"]["S"].is_string()) {
        ("valid", false) => Some(0),
        ("valid", true) => Some(1),
        ("waiting", _) => Some(2),
        ("requested", _) => Some(3),
        _ => None,
    }
}

/// The showing, the type and the part that an item is about.
fn part(item: &Value) -> [&str; 3] {
    ["showing", "ticket_type", "part"].map(|name| number(&item[name]))
}

/// Parts that count other tickets than there are, more valid tickets than a part allows, and
/// tickets that wait without an entry in the queue, or the other way round.
pub(crate) fn check(stored: &StoredItems) -> Vec<Finding> {
    let mut wrong = vec![];
    let mut counts: BTreeMap<[&str; 3], [usize; 4]> = BTreeMap::new();
    let mut queued = BTreeSet::new();
    for ticket in stored.of("Ticket") {
        if let Some(count) = counted_as(ticket) {
            counts.entry(part(ticket)).or_default()[count] += 1;
        }
        if ticket["queue"]["S"].is_string() {
            queued.insert((text(&ticket["id"]), text(&ticket["queue"])));
        }
    }
    for item in stored.of("TicketCount") {
        let expected = counts.remove(&part(item)).unwrap_or_default();
        for (attribute, count) in COUNTS.into_iter().zip(expected) {
            if number(&item[attribute]).parse() != Ok(count) {
                let is = number(&item[attribute]);
                wrong.push(Finding {
                    text: format!(
                        "{}: counts {is} as {attribute}, but has {count}",
                        label(item)
                    ),
                    repair: Some(Repair::SetCount {
                        item: item.clone(),
                        attribute,
                        value: json!({ "N": count.to_string() }),
                    }),
                });
            }
        }
        let limit = number(&item["limit"]).parse::<usize>();
        if limit.is_ok_and(|limit| expected[0] > limit) {
            wrong.push(format!("{}: more tickets are valid than it allows", label(item)).into());
        }
    }
    let uncounted = counts.into_iter().filter(|(_, counts)| *counts != [0; 4]);
    wrong.extend(uncounted.map(|([showing, of, part], _)| {
        format!("part {part} of type {of} of showing {showing} has tickets that nothing counts")
            .into()
    }));
    for entry in stored.of("QueuedTicket") {
        if !queued.remove(&(text(&entry["ticket"]), text(&entry["sort"]))) {
            wrong.push(format!("{}: its ticket does not wait", label(entry)).into());
        }
    }
    wrong.extend(
        queued
            .into_iter()
            .map(|(ticket, _)| format!("ticket {ticket} waits, but is in no queue").into()),
    );
    wrong
}
