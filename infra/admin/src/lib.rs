//! What must hold between the items of a table: each finding is a sentence that names what is
//! wrong, by ids alone.

mod counts;
mod finding;
mod mails;
mod relations;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, Utc};
pub use finding::{Finding, Repair};
use serde_json::Value;
use shared::models::{Event, Submission};
use shared::table::{EventListing, listed, listing_parts, misplaced};

/// An item as the SDK has it.
pub type Item = HashMap<String, AttributeValue>;

/// Everything that is stored, by type, as JSON of DynamoDB.
pub(crate) struct Stored(BTreeMap<String, Vec<Value>>);

impl Stored {
    fn new(items: &[Value]) -> Self {
        let mut by_type: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for item in items {
            by_type
                .entry(text(&item["type"]).to_owned())
                .or_default()
                .push(item.clone());
        }
        Self(by_type)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Value> {
        self.0.values().flatten()
    }

    pub(crate) fn of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0.get(kind).into_iter().flatten()
    }
}

pub(crate) fn text(value: &Value) -> &str {
    value["S"].as_str().unwrap_or_default()
}

pub(crate) fn number(value: &Value) -> &str {
    value["N"].as_str().unwrap_or_default()
}

/// What an item is called in findings.
pub(crate) fn place(item: &Value) -> String {
    let (pk, sk) = (text(&item["pk"]), text(&item["sk"]));
    // The entries of people under words of their names.
    let sk = if pk.starts_with("WORDS#") {
        format!("…#{}", sk.rsplit('#').next().unwrap_or_default())
    } else {
        hidden(sk)
    };
    format!("{} {} / {sk}", text(&item["type"]), hidden(pk))
}

/// A key without addresses and names: findings go into tickets.
fn hidden(key: &str) -> String {
    let personal = ["ADDRESS#", "USERNAME#", "WORDS#"]
        .iter()
        .find(|start| key.starts_with(**start));
    personal.map_or_else(|| key.to_owned(), |start| format!("{start}…"))
}

/// Items of the SDK in the JSON that DynamoDB itself uses.
pub fn json(items: Vec<Item>) -> Result<Vec<Value>, serde_json::Error> {
    items
        .into_iter()
        .map(|item| serde_json::to_value(serde_dynamo::Item::from(item)))
        .collect()
}

/// Everything that is wrong with a table whose items are these, at this time: places and keys,
/// counters, owners, submissions that stand twice, mails and what submissions say of them, and
/// items without those that they belong to. Items should have been read while nobody wrote: what
/// changed meanwhile is found wrong as well.
pub fn findings(items: &[Value], now: DateTime<Utc>) -> Vec<Finding> {
    let misplaced = items
        .iter()
        .filter_map(|item| Some(format!("{}: {}", place(item), wrong_place(item)?)));
    let mut wrong: Vec<Finding> = misplaced.map(Finding::from).collect();
    let stored = Stored::new(items);
    wrong.extend(counts::clubs(&stored));
    wrong.extend(counts::owners(&stored));
    wrong.extend(counts::uses(&stored));
    let submissions: Vec<Submission> = typed(&stored, "Submission");
    wrong.extend(twice(&submissions).into_iter().map(Finding::from));
    wrong.extend(
        mails::check(&submissions, &typed(&stored, "Mail"), now)
            .into_iter()
            .map(Finding::from),
    );
    wrong.extend(listings(&stored).into_iter().map(Finding::from));
    for relation in [
        relations::orphans,
        relations::prompts,
        relations::halves,
        relations::entries,
        relations::windows,
        relations::descriptions,
    ] {
        wrong.extend(relation(&stored));
    }
    wrong
}

/// The sentences of [`findings`].
pub fn check(items: &[Value], now: DateTime<Utc>) -> Vec<String> {
    findings(items, now)
        .into_iter()
        .map(|finding| finding.text)
        .collect()
}

fn wrong_place(item: &Value) -> Option<String> {
    match serde_json::from_value::<serde_dynamo::Item>(item.clone()) {
        Ok(item) => misplaced(&item.into()),
        Err(error) => Some(error.to_string()),
    }
}

/// The items of a type that can be read; the others are found by their place.
fn typed<T: serde::de::DeserializeOwned>(stored: &Stored, kind: &str) -> Vec<T> {
    let item = |item: &Value| serde_json::from_value::<serde_dynamo::Item>(item.clone()).ok();
    stored
        .of(kind)
        .filter_map(item)
        .filter_map(|item| serde_dynamo::from_item(item).ok())
        .collect()
}

/// Submissions of one person to one application and committee, and those that are not called after
/// them.
fn twice(submissions: &[Submission]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for submission in submissions {
        let Some(person) = submission.person else {
            continue;
        };
        if !seen.insert((submission.application, person, submission.committee)) {
            wrong.push(format!(
                "submission {} is somebody's second to the same application and committee",
                submission.id
            ));
        }
        if submission.id != Submission::id_of(submission.application, person, submission.committee)
        {
            wrong.push(format!("submission {} does not have the id that follows from application, person and committee", submission.id));
        }
    }
    wrong
}

/// Events and their copies in the catalogue: in the part of their month, and in the one that they
/// left last.
fn listings(stored: &Stored) -> Vec<String> {
    let mut copies: BTreeMap<(String, u64), Event> = typed::<EventListing>(stored, "EventListing")
        .into_iter()
        .map(|listing| ((listing.part, listing.event.id), listing.event))
        .collect();
    let mut wrong = Vec::new();
    for event in typed::<Event>(stored, "Event") {
        for part in listing_parts(&event) {
            match copies.remove(&(part.clone(), event.id)) {
                None => wrong.push(format!(
                    "event {} is not in {part} of the catalogue",
                    event.id
                )),
                Some(copy) if copy != listed(&event) => {
                    wrong.push(format!(
                        "event {} stands otherwise in {part} of the catalogue",
                        event.id
                    ));
                }
                Some(_) => {}
            }
        }
    }
    wrong.extend(copies.keys().map(|(part, id)| {
        format!("{part} of the catalogue has event {id}, which does not belong there")
    }));
    wrong
}

/// A client of this configuration, for repairs.
pub fn client(config: &aws_config::SdkConfig) -> aws_sdk_dynamodb::Client {
    aws_sdk_dynamodb::Client::new(config)
}
