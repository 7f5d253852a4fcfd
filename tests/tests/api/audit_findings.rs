//! `clubs-admin check` finds nothing in what the service wrote, and finds each error that a test
//! adds.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::audit::{campus, findings};

/// Adds an error to the items of a table.
type Change = Box<dyn Fn(&mut Vec<Value>)>;

fn number(value: i64) -> Value {
    json!({ "N": value.to_string() })
}

/// Changes the first item of a kind.
fn edit(kind: &'static str, change: impl Fn(&mut Value) + 'static) -> Change {
    Box::new(move |items| {
        change(
            items
                .iter_mut()
                .find(|item| item["type"]["S"] == kind)
                .unwrap_or_else(|| panic!("no {kind}")),
        );
    })
}

fn set(kind: &'static str, field: &'static str, value: Value) -> Change {
    edit(kind, move |item| item[field] = value.clone())
}

/// Removes the first item of a kind.
fn remove(kind: &'static str) -> Change {
    Box::new(move |items| {
        let at = items
            .iter()
            .position(|item| item["type"]["S"] == kind)
            .unwrap_or_else(|| panic!("no {kind}"));
        items.remove(at);
    })
}

/// Changes the submission whose applicant was mailed an acceptance.
fn mailed(change: fn(&mut Value)) -> Change {
    Box::new(move |items| {
        change(
            items
                .iter_mut()
                .find(|item| item["acceptance_mail"]["M"].is_object())
                .expect("a mailed submission"),
        );
    })
}

/// Adds a copy of an item with another key.
fn twice(kind: &'static str) -> Change {
    Box::new(move |items| {
        let mut copy = items
            .iter()
            .find(|item| item["type"]["S"] == kind)
            .cloned()
            .expect("an item");
        copy["sk"] = json!({ "S": "MEMBER#0" });
        items.push(copy);
    })
}

/// Adds a membership request of a person who is a member.
fn request_of_a_member() -> Change {
    Box::new(|items| {
        let member = items
            .iter()
            .find(|item| item["type"]["S"] == "Membership")
            .cloned()
            .expect("a member");
        items.push(json!({
            "type": { "S": "MembershipRequest" },
            "pk": member["pk"],
            "sk": { "S": "REQUEST#1" },
            "club": member["club"],
            "person": member["person"],
        }));
    })
}

/// Checks that each change of a sound table is found, and that no finding names a person.
async fn each_is_found(cases: Vec<(&str, Change)>) {
    let campus = campus().await;
    let stored = campus.stored();
    for (finding, change) in cases {
        let mut items = stored.clone();
        change(&mut items);
        campus.advance(TimeDelta::minutes(20));
        let found = findings(&campus, &items);
        assert!(
            found.iter().any(|text| text.contains(finding)),
            "{finding}: {found:?}"
        );
        let personal = ["sue", "test", "@uni.example", "storm"];
        let named = |text: &String| {
            personal
                .iter()
                .any(|word| text.to_lowercase().contains(word))
        };
        assert!(
            !found.iter().any(named),
            "a finding names a person: {found:?}"
        );
    }
}

// proves O6
#[tokio::test(start_paused = true)]
async fn service_writes_have_no_findings() {
    let campus = campus().await;
    let stored = campus.stored();
    assert_eq!(findings(&campus, &stored), Vec::<String>::new());
    // Records of mails are kept for 400 days, submissions longer.
    campus.advance(TimeDelta::days(401));
    let later: Vec<Value> = stored
        .into_iter()
        .filter(|item| item["type"]["S"] != "Mail")
        .collect();
    assert_eq!(findings(&campus, &later), Vec::<String>::new());
}

// proves O6
#[tokio::test(start_paused = true)]
async fn a_counter_that_is_wrong_is_found() {
    each_is_found(vec![
        ("members, but has", set("Club", "members", number(99))),
        ("owners, but has", set("Club", "owners", number(99))),
        ("favorites, but has", set("Club", "favorites", number(99))),
        ("counts 99 uses", set("Tag", "uses", number(99))),
        ("counts 99 uses", set("Badge", "uses", number(99))),
        ("counts 99 uses", set("School", "uses", number(99))),
        ("counts 99 uses", set("Major", "uses", number(99))),
        ("counts 99 uses", set("YearUses", "uses", number(99))),
        ("counts 99 uses", set("Fair", "uses", number(99))),
        ("events, but has", set("Club", "events", number(99))),
        (
            "counts 99 owned clubs",
            set("Person", "clubs_owned", number(99)),
        ),
    ])
    .await;
}

// proves O6
#[tokio::test(start_paused = true)]
async fn an_item_that_cannot_be_read_or_has_a_wrong_key_is_found() {
    each_is_found(vec![
        (
            "gsi1sk do not follow",
            set("Membership", "gsi1sk", json!({ "S": "MEMBER#other" })),
        ),
        (
            "sk do not follow",
            set("Submission", "sk", json!({ "S": "1" })),
        ),
        (
            "cannot be read",
            set("Submission", "status", json!({ "S": "yes" })),
        ),
        (
            "of no known type",
            set("Question", "type", json!({ "S": "Quiz" })),
        ),
        (
            "do not follow",
            set("Word", "gsi1pk", json!({ "S": "WORDS#s" })),
        ),
        (
            "cannot be read",
            set("Word", "personal", json!({ "S": "?" })),
        ),
        (
            "does not agree with the item",
            set("EventClub", "club", json!({ "S": "other" })),
        ),
        (
            "Registration REGISTRATIONS",
            set("Registration", "club", json!({ "S": "nothing" })),
        ),
    ])
    .await;
}

// proves O6
#[tokio::test(start_paused = true)]
async fn missing_search_and_list_entries_are_found() {
    each_is_found(vec![
        ("there is no Tag", remove("Tag")),
        ("of the catalogue", remove("EventListing")),
        (
            "has items, but no version",
            set("Version", "TAGS", Value::Null),
        ),
        ("versions of the catalogue are missing", remove("Version")),
        (
            "has a different copy in",
            set("Event", "name", json!({ "S": "Other" })),
        ),
        ("does not belong there", remove("Event")),
        ("Word WORDS#… / …", remove("Word")),
        ("Address ADDRESS#…", remove("Address")),
        ("EventClub", remove("EventClub")),
        ("Name TAGS#NAMES", remove("Tag")),
        ("is missing", remove("Name")),
        ("belongs to nothing", remove("Person")),
        (
            "its windows are not those",
            edit("Club", |item| {
                item["windows"]["M"]["7"] = json!({ "M": {} });
            }),
        ),
        (
            "`has_more` does not agree",
            edit("Club", |item| {
                item["profile"]["M"]["has_more"] = json!({ "BOOL": true });
            }),
        ),
    ])
    .await;
}

// proves O6
#[tokio::test(start_paused = true)]
async fn orphans_are_found() {
    each_is_found(vec![
        (
            "its scores are not those of its reviews",
            set("Review", "score", number(1)),
        ),
        (
            "its submission was withdrawn",
            set("Review", "sequence", number(1)),
        ),
        (
            "there is no submission",
            set("Review", "submission", number(7)),
        ),
        (
            "there is no application",
            set("Draft", "application", number(7)),
        ),
        ("there is no club", remove("Club")),
        ("there is no application", remove("Application")),
        ("there is no person", remove("Person")),
        (
            "there is no submission",
            set("Change", "submission", number(7)),
        ),
        (
            "there is no prompt of question",
            Box::new(|items| items.retain(|item| item["type"]["S"] != "Prompt")),
        ),
    ])
    .await;
}

// proves O6
#[tokio::test(start_paused = true)]
async fn a_mail_that_does_not_agree_with_its_submission_is_found() {
    each_is_found(vec![
        (
            "its submission does not refer to it",
            mailed(|submission| submission["acceptance_mail"] = json!({ "NULL": true })),
        ),
        (
            "`notified` is false",
            mailed(|submission| submission["notified"] = json!({ "BOOL": false })),
        ),
        ("there is no such mail", remove("Mail")),
        (
            "shown as",
            mailed(|submission| {
                submission["acceptance_mail"]["M"]["status"] = json!({ "S": "failed" });
            }),
        ),
        (
            "`notified` does not agree",
            mailed(|submission| submission["notified"] = json!({ "BOOL": false })),
        ),
        (
            "has been waiting since",
            set("Mail", "status", json!({ "S": "queued" })),
        ),
    ])
    .await;
}

// proves O6
#[tokio::test(start_paused = true)]
async fn impossible_people_and_clubs_are_found() {
    each_is_found(vec![
        ("has the same person twice", twice("Membership")),
        ("the person is a member", request_of_a_member()),
        (
            "is the second one of its person",
            Box::new(|items| {
                let copy = items
                    .iter()
                    .find(|item| item["type"]["S"] == "Submission")
                    .cloned()
                    .expect("a submission");
                items.push(copy);
            }),
        ),
        (
            "its answers are missing",
            Box::new(|items| items.retain(|item| item["type"]["S"] != "Answers")),
        ),
        (
            "does not have the id that follows",
            edit("Submission", |item| {
                item["person"] = json!({ "N": "12345" });
            }),
        ),
        (
            "has no owner",
            Box::new(|items| {
                for item in items
                    .iter_mut()
                    .filter(|item| item["type"]["S"] == "Membership")
                {
                    item["role"] = json!({ "N": "20" });
                }
            }),
        ),
        (
            "is being deleted",
            set("Application", "deleted", json!({ "BOOL": false })),
        ),
        (
            "the timer has no entry for erasure",
            set("Person", "erasing", json!({ "BOOL": true })),
        ),
    ])
    .await;
}
