//! Checks whether the items of a table agree with each other. Each finding is a sentence that names
//! items by ids only.

mod answers;
mod aws_cli;
mod bring_back;
mod catalogue;
mod counts;
mod erase;
mod files;
mod finding;
mod mails;
mod preflight;
mod reconcile;
mod relations;
mod releases;
mod repair;
mod scheduled;
mod seats;
mod tickets;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
pub use bring_back::{BroughtBack, ItemFilter};
use chrono::{DateTime, Utc};
pub use erase::{Erased, erase};
pub use files::{SUBMITTED, UPLOADED};
pub use finding::{Finding, Repair};
pub use preflight::{Checked, DeploymentPlan, preflight};
pub use reconcile::{FoundReceipt, Reconciled, reconcile};
pub use releases::{Stack, Way, back, keep};
pub use repair::{CountVersions, Repairs};
use serde_json::Value;
use shared::domain::misplaced;
use shared::domain::{Answer, Answers, Submission};

/// An item of the SDK.
pub type Item = HashMap<String, AttributeValue>;

/// All items of a table, by type, as JSON of DynamoDB.
#[derive(Debug, Default)]
pub(crate) struct StoredItems(BTreeMap<String, Vec<Value>>);

impl StoredItems {
    fn add(&mut self, item: Value) {
        let of_type = self.0.entry(text(&item["type"]).to_owned()).or_default();
        of_type.push(item);
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

/// The name of an item in findings: its type and key.
pub(crate) fn label(item: &Value) -> String {
    let (pk, sk) = (text(&item["pk"]), text(&item["sk"]));
    // The sort key of these entries begins with a word of a person's name.
    let sk = if pk.starts_with("WORDS#") {
        format!("…#{}", sk.rsplit('#').next().unwrap_or_default())
    } else {
        hidden(sk)
    };
    format!("{} {} / {sk}", text(&item["type"]), hidden(pk))
}

/// A key without addresses and names, because findings are copied into tickets.
fn hidden(key: &str) -> String {
    let personal = ["ADDRESS#", "USERNAME#", "WORDS#"]
        .iter()
        .find(|start| key.starts_with(**start));
    personal.map_or_else(|| key.to_owned(), |start| format!("{start}…"))
}

/// Converts items of the SDK to the JSON of DynamoDB.
pub fn json(items: Vec<Item>) -> Result<Vec<Value>, serde_json::Error> {
    items
        .into_iter()
        .map(|item| serde_json::to_value(serde_dynamo::Item::from(item)))
        .collect()
}

/// The items of a table while they are read, part by part. What people wrote is looked at and not
/// kept, so that an item takes about a kilobyte of memory whatever its size.
#[derive(Debug, Default)]
pub struct Reading {
    items: StoredItems,
    /// The keys of the files of submissions; none if the bucket was not read.
    objects: Option<BTreeSet<String>>,
    count: usize,
    wrong: Vec<Finding>,
}

impl Reading {
    /// Takes some items.
    pub fn add(&mut self, items: impl IntoIterator<Item = Value>) {
        for mut item in items {
            self.count += 1;
            if let Some(error) = item_error(&item) {
                let finding = format!("{}: {error}", label(&item));
                self.wrong.push(Finding::from(finding));
            }
            forget_texts(&mut item);
            self.items.add(item);
        }
    }

    /// Takes the keys of all files of submissions that are in the bucket. They must be read after
    /// the items.
    pub fn add_files(&mut self, keys: impl IntoIterator<Item = String>) {
        self.objects.get_or_insert_default().extend(keys);
    }

    /// The number of items so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The versions of all counters, as they were read. For [`Repairs`].
    pub fn count_versions(&self) -> CountVersions {
        CountVersions::of(self.items.all())
    }

    /// All errors in the table at this time: wrong keys and counters, clubs without an owner,
    /// duplicate submissions, mails and submissions that do not agree, and items that belong to
    /// nothing. If somebody wrote while the items were read, the changes may be found as errors
    /// too.
    pub fn findings(self, now: DateTime<Utc>) -> Vec<Finding> {
        let mut wrong = disagreements(self.wrong, &self.items, now);
        if let Some(objects) = &self.objects {
            wrong.extend(files::check(&self.items, objects, now));
        }
        wrong
    }
}

/// The answers in an item; none if it has none that can be read.
pub(crate) fn stored_answers(item: &Value) -> Answers {
    let value: Option<serde_dynamo::AttributeValue> =
        serde_json::from_value(item["answers"].clone()).ok();
    let answers = value.and_then(|value| serde_dynamo::from_attribute_value(value).ok());
    answers.unwrap_or_default()
}

/// Removes the texts that no check needs.
fn forget_texts(item: &mut Value) {
    match text(&item["type"]) {
        "Submission" | "Answers" if item["answers"].is_object() => {
            let answers = stored_answers(item);
            let bare = answers.read().into_iter().map(|answer| Answer {
                question: answer.question,
                version: answer.version,
                precedence: answer.precedence,
                text: None,
                option: answer.option,
                file: answer.file(),
            });
            let bare = Answers::new(&bare.collect::<Vec<_>>());
            let bare = serde_dynamo::to_attribute_value(bare);
            let bare: Result<serde_dynamo::AttributeValue, _> = bare;
            item["answers"] = serde_json::to_value(bare.ok()).unwrap_or_default();
        }
        "Mail" => {
            for body in ["html", "text"] {
                item[body]["S"] = Value::String(String::new());
            }
        }
        _ => {}
    }
}

/// The findings of [`Reading`] about these items.
pub fn findings(items: &[Value], now: DateTime<Utc>) -> Vec<Finding> {
    let mut reading = Reading::default();
    reading.add(items.iter().cloned());
    reading.findings(now)
}

fn disagreements(
    mut wrong: Vec<Finding>,
    stored: &StoredItems,
    now: DateTime<Utc>,
) -> Vec<Finding> {
    wrong.extend(counts::clubs(stored));
    wrong.extend(counts::owners(stored));
    wrong.extend(counts::uses(stored));
    wrong.extend(catalogue::versions(stored, now));
    wrong.extend(relations::windows(stored, now));
    wrong.extend(answers::check(stored, now));
    wrong.extend(scheduled::check(stored, now));
    let submissions: Vec<Submission> = typed(stored, "Submission");
    wrong.extend(twice(&submissions).into_iter().map(Finding::from));
    wrong.extend(
        mails::check(&submissions, &typed(stored, "Mail"), now)
            .into_iter()
            .map(Finding::from),
    );
    for relation in [
        answers::remembered,
        catalogue::listings,
        seats::check,
        tickets::check,
        relations::duplicates,
        relations::orphans,
        relations::prompts,
        relations::committees,
        relations::halves,
        relations::entries,
        relations::descriptions,
        relations::scores,
    ] {
        wrong.extend(relation(stored));
    }
    wrong
}

/// The texts of [`findings`].
pub fn check(items: &[Value], now: DateTime<Utc>) -> Vec<String> {
    findings(items, now)
        .into_iter()
        .map(|finding| finding.text)
        .collect()
}

/// Why an item cannot be read, or that its keys do not follow from what it holds.
pub fn item_error(item: &Value) -> Option<String> {
    match serde_json::from_value::<serde_dynamo::Item>(item.clone()) {
        Ok(item) => misplaced(&item.into()),
        Err(error) => Some(error.to_string()),
    }
}

/// The items of a type that can be read. The others are findings of [`item_error`].
fn typed<T: serde::de::DeserializeOwned>(stored: &StoredItems, kind: &str) -> Vec<T> {
    let item = |item: &Value| serde_json::from_value::<serde_dynamo::Item>(item.clone()).ok();
    stored
        .of(kind)
        .filter_map(item)
        .filter_map(|item| serde_dynamo::from_item(item).ok())
        .collect()
}

/// Several submissions of one person for one application and committee, and submissions with a
/// wrong id.
fn twice(submissions: &[Submission]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for submission in submissions {
        let Some(person) = submission.person else {
            continue;
        };
        if !seen.insert((submission.application, person, submission.committee)) {
            wrong.push(format!(
                "submission {} is the second one of its person for the application and committee",
                submission.id
            ));
        }
        if submission.id != Submission::id_of(submission.application, person, submission.committee)
        {
            wrong.push(format!(
                "submission {} does not have the id that follows from application, person and \
                 committee",
                submission.id
            ));
        }
    }
    wrong
}

/// A client of this configuration, for repairs.
pub fn client(config: &aws_config::SdkConfig) -> aws_sdk_dynamodb::Client {
    aws_sdk_dynamodb::Client::new(config)
}
