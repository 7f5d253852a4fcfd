//! Checks of items that belong to other items, one function for each relation.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use shared::domain::{DERIVED_ENTRIES, NOT_COMPARED, Window, derived_entries};
use shared::time::Timestamp;

use crate::finding::{Finding, Repair};
use crate::{StoredItems, label, number, stored_answers, text};

/// Questions and prompts of an application that does not exist: a copy of an application that was
/// interrupted.
pub(crate) fn duplicates(stored: &StoredItems) -> Vec<Finding> {
    unfinished(stored)
        .into_iter()
        .map(|(id, items)| Finding {
            text: format!(
                "application {id} does not exist, but has {} questions and prompts: a copy that was \
                 interrupted",
                items.len()
            ),
            repair: Some(Repair::DeleteDuplicate(items.into_iter().cloned().collect())),
        })
        .collect()
}

/// The questions and prompts of each application that does not exist, if it has a question.
fn unfinished(stored: &StoredItems) -> BTreeMap<&str, Vec<&Value>> {
    let applications: BTreeSet<&str> = stored
        .of("Application")
        .map(|application| number(&application["id"]))
        .collect();
    let mut duplicates: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for question in stored.of("Question") {
        let id = number(&question["application"]);
        if !applications.contains(id) {
            duplicates.entry(id).or_default().push(question);
        }
    }
    for prompt in stored.of("Prompt") {
        if let Some(items) = duplicates.get_mut(number(&prompt["application"])) {
            items.push(prompt);
        }
    }
    duplicates
}

/// Items whose parent does not exist.
#[expect(
    clippy::too_many_lines,
    reason = "a table: each relation with its items"
)]
pub(crate) fn orphans(stored: &StoredItems) -> Vec<Finding> {
    let ids = |kind: &str, field: &str| -> BTreeSet<String> {
        stored
            .of(kind)
            .map(|item| number(&item[field]).to_owned())
            .collect()
    };
    let applications = ids("Application", "id");
    let submissions: BTreeSet<String> = ids("Submission", "id")
        .into_iter()
        .chain(ids("Withdrawal", "id"))
        .collect();
    let people = ids("Person", "id");
    let clubs: BTreeSet<String> = stored
        .of("Club")
        .map(|club| text(&club["code"]).to_owned())
        .collect();
    let mut wrong = Vec::new();
    let duplicates = unfinished(stored);
    let mut belongs = |kinds: &[&str], field: &str, parents: &BTreeSet<String>, parent: &str| {
        for item in kinds.iter().flat_map(|kind| stored.of(kind)) {
            let id = if item[field]["S"].is_string() {
                text(&item[field])
            } else {
                number(&item[field])
            };
            let is_of_duplicate = ["Question", "Prompt"].contains(&text(&item["type"]))
                && duplicates.contains_key(number(&item["application"]));
            // After an erasure, items have no person.
            if !id.is_empty() && !parents.contains(id) && !is_of_duplicate {
                wrong.push(Finding::from(format!(
                    "{}: there is no {parent} {id}",
                    label(item)
                )));
            }
        }
    };
    belongs(
        &[
            "ApplicationTexts",
            "Question",
            "Prompt",
            "Draft",
            "Extension",
            "Submission",
            "Change",
            "Review",
            "Slot",
            "SlotNote",
            "OwnInterviews",
        ],
        "application",
        &applications,
        "application",
    );
    belongs(
        &["Change", "Review"],
        "submission",
        &submissions,
        "submission",
    );
    belongs(
        &[
            "Application",
            "Event",
            "EventText",
            "Invite",
            "Registration",
            "ClubText",
            "InvitationLog",
            "JoinLink",
            "LinkUse",
            "Subscription",
        ],
        "club",
        &clubs,
        "club",
    );
    belongs(
        &[
            "Membership",
            "MembershipRequest",
            "Review",
            "Draft",
            "Extension",
            "Submission",
            "Favorite",
            "LinkUse",
            "OwnInterviews",
            "Subscription",
        ],
        "person",
        &people,
        "person",
    );
    wrong.extend(withdrawals(stored, &applications));
    wrong
}

/// What is left of withdrawn submissions, but not of their applications. It can be deleted if the
/// application was deleted for sure.
fn withdrawals(stored: &StoredItems, applications: &BTreeSet<String>) -> Vec<Finding> {
    let deleted = stored.of("DeletedApplication");
    let deleted: BTreeSet<&str> = deleted.map(|one| number(&one["application"])).collect();
    let is_left = |one: &&Value| !applications.contains(number(&one["application"]));
    let found = stored.of("Withdrawal").filter(is_left).map(|one| {
        let application = number(&one["application"]);
        let is_deleted = deleted.contains(application);
        Finding {
            text: format!("{}: there is no application {application}", label(one)),
            repair: is_deleted.then(|| Repair::DeleteWithdrawal(one.clone())),
        }
    });
    found.collect()
}

/// Answers and questions whose prompt is missing.
pub(crate) fn prompts(stored: &StoredItems) -> Vec<Finding> {
    let id = |prompt: &Value| {
        (
            number(&prompt["question"]).to_owned(),
            number(&prompt["version"]).to_owned(),
        )
    };
    let existing: BTreeSet<(String, String)> = stored.of("Prompt").map(id).collect();
    let mut wrong = Vec::new();
    for submission in stored.of("Submission").chain(stored.of("Answers")) {
        for answer in stored_answers(submission).read() {
            let (question, version) = (answer.question.to_string(), answer.version.to_string());
            if !existing.contains(&(question.clone(), version.clone())) {
                let what = format!(
                    "{}: there is no prompt of question {question} in version {version}",
                    label(submission)
                );
                wrong.push(Finding::from(what));
            }
        }
    }
    for question in stored.of("Question") {
        if !existing.contains(&id(&question["prompt"]["M"])) {
            wrong.push(Finding::from(format!(
                "{}: its present prompt is not stored",
                label(question)
            )));
        }
    }
    wrong
}

/// Submissions for committees that their application does not have. A removal of a committee that
/// was interrupted may leave them.
pub(crate) fn committees(stored: &StoredItems) -> Vec<Finding> {
    let of = |application: &Value| -> BTreeSet<(String, String)> {
        let id = number(&application["id"]).to_owned();
        let committees = application["committees"]["L"].as_array();
        let all = committees.into_iter().flatten();
        all.map(|one| (id.clone(), number(&one["M"]["id"]).to_owned()))
            .collect()
    };
    let existing: BTreeSet<(String, String)> = stored.of("Application").flat_map(of).collect();
    let is_wrong = |submission: &&Value| {
        let committee = number(&submission["committee"]);
        let application = number(&submission["application"]).to_owned();
        !committee.is_empty() && !existing.contains(&(application, committee.to_owned()))
    };
    let wrong = stored.of("Submission").filter(is_wrong);
    wrong
        .map(|submission| {
            let committee = number(&submission["committee"]);
            let what = format!("{}: there is no committee {committee}", label(submission));
            Finding::from(what)
        })
        .collect()
}

/// Deletions that were interrupted.
pub(crate) fn halves(stored: &StoredItems) -> Vec<Finding> {
    let deleted = stored
        .of("Application")
        .filter(|application| application["deleted"]["BOOL"].is_boolean());
    let deleted = deleted.map(|application| {
        format!(
            "{}: is being deleted; if this does not end, delete it again",
            label(application)
        )
    });
    deleted.map(Finding::from).collect()
}

/// What is compared of an entry: the rest does not follow from the item that it leads to.
fn compared(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(attributes) = entry.as_object_mut() {
        attributes.retain(|name, _| !NOT_COMPARED.contains(&name.as_str()));
    }
    entry
}

/// Entries by which people, events and names are found, if they are missing, wrong or belong to
/// nothing.
pub(crate) fn entries(stored: &StoredItems) -> Vec<Finding> {
    let key = |item: &Value| (text(&item["pk"]).to_owned(), text(&item["sk"]).to_owned());
    let mut expected: BTreeMap<(String, String), Value> = BTreeMap::new();
    for item in stored.all() {
        let Ok(item) = serde_json::from_value::<serde_dynamo::Item>(item.clone()) else {
            continue;
        };
        let beside = derived_entries(&item.into()).into_iter();
        let beside =
            beside.filter_map(|item| serde_json::to_value(serde_dynamo::Item::from(item)).ok());
        expected.extend(beside.map(|item| (key(&item), item)));
    }
    let mut wrong = Vec::new();
    for item in DERIVED_ENTRIES.iter().flat_map(|kind| stored.of(kind)) {
        match expected.remove(&key(item)) {
            None => {
                wrong.push(Finding {
                    text: format!("{}: belongs to nothing", label(item)),
                    repair: Some(Repair::DeleteEntry(item.clone())),
                });
            }
            Some(right) if compared(&right) != compared(item) => {
                wrong.push(Finding::from(format!(
                    "{}: does not agree with the item that it leads to",
                    label(item)
                )));
            }
            Some(_) => {}
        }
    }
    let missing = |item: &Value| Finding {
        text: format!("{}: is missing", label(item)),
        repair: Some(Repair::PutEntry(item.clone())),
    };
    wrong.extend(expected.values().map(missing));
    wrong
}

/// Clubs whose windows (the times of their applications) are not those of their applications. Of
/// applications that have ended, the window may be there or not.
pub(crate) fn windows(stored: &StoredItems, now: DateTime<Utc>) -> Vec<Finding> {
    let now = Timestamp::at(now).to_string();
    let mut all: BTreeMap<&str, Vec<(String, Value, bool)>> = BTreeMap::new();
    for application in stored
        .of("Application")
        .filter(|application| !application["deleted"]["BOOL"].is_boolean())
    {
        let mut window = json!({ "start": application["start"], "end": application["end"] });
        let cut = |name: &Value| text(name).chars().take(Window::NAME).collect();
        let name: String = cut(&application["name"]);
        if !name.is_empty() {
            window["name"] = json!({ "S": name });
        }
        let committees = application["committees"]["L"].as_array();
        let committees = committees.into_iter().flatten().take(Window::COMMITTEES);
        let names: Vec<Value> = committees
            .map(|committee| json!({ "S": cut(&committee["M"]["name"]) }))
            .collect();
        if !names.is_empty() {
            window["committees"] = json!({ "L": names });
        }
        if application["is_active"]["BOOL"] == false {
            window["is_active"] = application["is_active"].clone();
        }
        let of_club = all.entry(text(&application["club"])).or_default();
        let has_ended = *text(&application["end"]) < *now;
        let id = number(&application["id"]).to_owned();
        of_club.push((id, json!({ "M": window }), has_ended));
    }
    let mut wrong = Vec::new();
    for club in stored.of("Club") {
        let mut right = serde_json::Map::new();
        for (id, window, has_ended) in all.remove(text(&club["code"])).unwrap_or_default() {
            if !has_ended || club["windows"]["M"][&id] == window {
                right.insert(id, window);
            }
        }
        let right = json!({ "M": right });
        if club["windows"] != right {
            wrong.push(Finding {
                text: format!(
                    "{}: its windows are not those of its applications",
                    label(club)
                ),
                repair: Some(Repair::SetCount {
                    item: club.clone(),
                    attribute: "windows",
                    value: right,
                }),
            });
        }
    }
    wrong
}

/// Clubs whose `has_more` is wrong. It says whether the whole description is a separate item.
pub(crate) fn descriptions(stored: &StoredItems) -> Vec<Finding> {
    let apart: BTreeSet<&str> = stored
        .of("ClubText")
        .map(|text_of| text(&text_of["club"]))
        .collect();
    let says = |club: &Value| club["profile"]["M"]["has_more"]["BOOL"] == true;
    let wrong = stored
        .of("Club")
        .filter(|club| says(club) != apart.contains(text(&club["code"])));
    wrong
        .map(|club| {
            Finding::from(format!(
                "{}: `has_more` does not agree with the stored description",
                label(club)
            ))
        })
        .collect()
}

/// Submissions whose scores are not those of their reviews, and reviews of submissions that were
/// withdrawn since.
pub(crate) fn scores(stored: &StoredItems) -> Vec<Finding> {
    let id = |item: &Value, name: &str| number(&item[name]).to_owned();
    let mut expected: BTreeMap<String, serde_json::Map<String, Value>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let sequences: BTreeMap<String, String> = stored
        .of("Submission")
        .map(|submission| (id(submission, "id"), id(submission, "sequence")))
        .collect();
    for review in stored.of("Review") {
        let submission = id(review, "submission");
        if sequences.get(&submission) == Some(&id(review, "sequence")) {
            expected
                .entry(submission)
                .or_default()
                .insert(id(review, "id"), review["score"].clone());
        } else {
            wrong.push(Finding {
                text: format!("{}: its submission was withdrawn", label(review)),
                repair: Some(Repair::DeleteReview(review.clone())),
            });
        }
    }
    for submission in stored.of("Submission") {
        let right = json!({ "M": expected.remove(&id(submission, "id")).unwrap_or_default() });
        if submission["reviews"] != right {
            wrong.push(Finding {
                text: format!(
                    "{}: its scores are not those of its reviews",
                    label(submission)
                ),
                repair: Some(Repair::SetCount {
                    item: submission.clone(),
                    attribute: "reviews",
                    value: right,
                }),
            });
        }
    }
    wrong
}
