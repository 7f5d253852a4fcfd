//! `clubs-admin check` finds nothing in what the service wrote, and finds each error that a test
//! adds.
//!
//! Proves Q7, O6.

use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::TestCampus;
use tests::fixtures::id;

/// A campus that has items of most types.
async fn campus() -> TestCampus {
    let campus = TestCampus::new();
    local::demo::load(&campus.campus)
        .await
        .expect("a demo campus");
    let drive = campus.drive("chess-club").await;
    for (name, status) in [("sue", 4), ("bob", 2)] {
        let submission = drive.submit(&campus.as_(name)).await;
        drive.decide(&submission, status, "").await;
        assert!(id(&submission) > 0);
    }
    for kind in ["acceptance", "rejection"] {
        campus.with_worker(drive.send(kind, json!({}))).await.ok();
    }
    campus.report().await;
    campus
}

/// Adds an error to the items of a table.
type Change<'a> = Box<dyn Fn(&mut Vec<Value>) + 'a>;

fn findings(campus: &TestCampus, items: &[Value]) -> Vec<String> {
    admin::check(items, campus.campus.clock.now())
}

/// Applies all repairs of what is wrong in `scan`, a reading that began when the table was as in
/// `before`. Returns each finding, and whether it was repaired.
pub async fn repair(campus: &TestCampus, before: &[Value], scan: &[Value]) -> Vec<(String, bool)> {
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let mut reading = admin::Reading::default();
    reading.add(before.iter().cloned());
    let repairs = admin::Repairs {
        client: &client,
        table: local::engine::TABLE,
        before: &reading.count_versions(),
    };
    let mut done = Vec::new();
    for finding in admin::findings(scan, campus.campus.clock.now()) {
        let repair = finding.repair.as_ref();
        let repair = repair.unwrap_or_else(|| panic!("{finding:?}"));
        let is_done = repairs.apply(repair).await.expect("an answer");
        done.push((finding.text, is_done));
    }
    done
}

#[tokio::test(start_paused = true)]
async fn what_the_service_wrote_is_sound_and_each_thing_made_wrong_is_found() {
    let campus = campus().await;
    let stored = campus.stored();
    assert_eq!(findings(&campus, &stored), Vec::<String>::new());

    let number = |value: i64| json!({ "N": value.to_string() });
    let edit = |kind: &'static str, change: Box<dyn Fn(&mut Value)>| -> Change<'_> {
        Box::new(move |items| {
            change(
                items
                    .iter_mut()
                    .find(|item| item["type"]["S"] == kind)
                    .unwrap_or_else(|| panic!("no {kind}")),
            );
        })
    };
    let set = |kind: &'static str, field: &'static str, value: Value| {
        edit(kind, Box::new(move |item| item[field] = value.clone()))
    };
    let drop = |kind: &'static str| -> Change<'_> {
        Box::new(move |items| {
            let at = items
                .iter()
                .position(|item| item["type"]["S"] == kind)
                .unwrap_or_else(|| panic!("no {kind}"));
            items.remove(at);
        })
    };
    let mailed = |change: fn(&mut Value)| -> Change<'_> {
        Box::new(move |items| {
            change(
                items
                    .iter_mut()
                    .find(|item| item["acceptance_mail"]["M"].is_object())
                    .expect("a mailed submission"),
            );
        })
    };
    let cases: Vec<(&str, Change<'_>)> = vec![
        ("members, but has", set("Club", "members", number(99))),
        ("owners, but has", set("Club", "owners", number(99))),
        ("favorites, but has", set("Club", "favorites", number(99))),
        ("counts 99 uses", set("Tag", "uses", number(99))),
        ("there is no Tag", drop("Tag")),
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
        ("of the catalogue", drop("EventListing")),
        (
            "has items, but no version",
            set("Version", "TAGS", Value::Null),
        ),
        ("versions of the catalogue are missing", drop("Version")),
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
        (
            "has a different copy in",
            set("Event", "name", json!({ "S": "Other" })),
        ),
        ("does not belong there", drop("Event")),
        (
            "its submission does not refer to it",
            mailed(|submission| submission["acceptance_mail"] = json!({ "NULL": true })),
        ),
        (
            "do not follow",
            set("Word", "gsi1pk", json!({ "S": "WORDS#s" })),
        ),
        (
            "cannot be read",
            set("Word", "personal", json!({ "S": "?" })),
        ),
        ("has the same person twice", twice("Membership")),
        ("the person is a member", request_of_a_member()),
        (
            "`notified` is false",
            mailed(|submission| submission["notified"] = json!({ "BOOL": false })),
        ),
        ("counts 99 uses", set("Badge", "uses", number(99))),
        ("counts 99 uses", set("School", "uses", number(99))),
        ("counts 99 uses", set("Major", "uses", number(99))),
        ("counts 99 uses", set("YearUses", "uses", number(99))),
        ("counts 99 uses", set("Fair", "uses", number(99))),
        ("there is no such mail", drop("Mail")),
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
            "does not have the id that follows",
            edit(
                "Submission",
                Box::new(|item| item["person"] = json!({ "N": "12345" })),
            ),
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
        ("there is no club", drop("Club")),
        ("events, but has", set("Club", "events", number(99))),
        (
            "counts 99 owned clubs",
            set("Person", "clubs_owned", number(99)),
        ),
        ("there is no application", drop("Application")),
        ("there is no person", drop("Person")),
        (
            "there is no submission",
            set("Change", "submission", number(7)),
        ),
        (
            "there is no prompt of question",
            Box::new(|items| items.retain(|item| item["type"]["S"] != "Prompt")),
        ),
        (
            "is being deleted",
            set("Application", "deleted", json!({ "BOOL": false })),
        ),
        (
            "is being erased",
            set("Person", "erasing", json!({ "BOOL": true })),
        ),
        ("Word WORDS#… / …", drop("Word")),
        ("Address ADDRESS#…", drop("Address")),
        ("EventClub", drop("EventClub")),
        ("Name TAGS#NAMES", drop("Tag")),
        ("is missing", drop("Name")),
        ("belongs to nothing", drop("Person")),
        (
            "does not agree with the item",
            set("EventClub", "club", json!({ "S": "other" })),
        ),
        (
            "its windows are not those",
            edit(
                "Club",
                Box::new(|item| item["windows"]["M"]["7"] = json!({ "M": {} })),
            ),
        ),
        (
            "`has_more` does not agree",
            edit(
                "Club",
                Box::new(|item| item["profile"]["M"]["has_more"] = json!({ "BOOL": true })),
            ),
        ),
        (
            "Registration REGISTRATIONS",
            set("Registration", "club", json!({ "S": "nothing" })),
        ),
    ];
    for (finding, change) in cases {
        let mut items = stored.clone();
        change(&mut items);
        campus.advance(chrono::TimeDelta::minutes(20));
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
    // Records of mails are kept for 400 days, submissions longer.
    campus.advance(chrono::TimeDelta::days(401));
    let later: Vec<Value> = stored
        .into_iter()
        .filter(|item| item["type"]["S"] != "Mail")
        .collect();
    assert_eq!(findings(&campus, &later), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn whoever_was_mailed_and_erased_leaves_nothing_that_is_wrong() {
    let campus = campus().await;
    campus
        .as_("sue")
        .delete("/api/settings/")
        .await
        .no_content();
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

#[tokio::test]
async fn what_follows_from_the_rest_is_repaired_and_nothing_else_is_touched() {
    let campus = campus().await;
    let stored = campus.stored();
    let engine = &campus.campus.engine;
    let call = |operation: &str, body: Value| engine.json(operation, &body).expect("a write");
    let find = |kind: &str| {
        stored
            .iter()
            .find(|item| item["type"]["S"] == kind)
            .cloned()
            .expect("an item")
    };
    for (kind, attribute) in [
        ("Club", "members"),
        ("Person", "clubs_owned"),
        ("Tag", "uses"),
    ] {
        let mut item = find(kind);
        item[attribute] = json!({ "N": "77" });
        call(
            "PutItem",
            json!({ "TableName": local::engine::TABLE, "Item": item }),
        );
    }
    for kind in ["Word", "Address", "EventClub", "Name"] {
        let item = find(kind);
        call(
            "DeleteItem",
            json!({
                "TableName": local::engine::TABLE,
                "Key": { "pk": item["pk"], "sk": item["sk"] },
            }),
        );
    }
    let mut stray = find("EventClub");
    stray["pk"] = json!({ "S": "EVENT#0000000000000007" });
    stray["event"] = json!({ "N": "7" });
    call(
        "PutItem",
        json!({ "TableName": local::engine::TABLE, "Item": stray }),
    );
    let seen = campus.stored();
    let wrong = admin::findings(&seen, campus.campus.clock.now());
    assert_eq!(wrong.len(), 8, "{wrong:?}");
    let done = repair(&campus, &seen, &seen).await;
    assert!(done.iter().all(|(_, done)| *done), "{done:?}");
    // An item that was repaired, or changed since it was read, stays as it is.
    let done = repair(&campus, &seen, &seen).await;
    assert!(done.iter().all(|(_, done)| !done), "{done:?}");
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
    let sort = |mut items: Vec<Value>| {
        items.sort_by_key(Value::to_string);
        items
    };
    assert!(
        sort(campus.stored()) == sort(stored),
        "the table is not as it was"
    );
}

// A scan may show one item as it was before a change and another one as it is after it (O6).
#[tokio::test(start_paused = true)]
async fn what_a_scan_shows_of_two_moments_is_not_repaired() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (ada, sue) = (&drive.officer, campus.as_("sue"));
    sue.get("/api/settings/").await.ok();
    let path = format!("/api/clubs/{}/members/", drive.club);
    let submission = drive.submit(&campus.as_("cat")).await;
    let begun = campus.stored();

    // Items of these types are seen as they were when the scan began.
    let scan = |early: &[&str]| -> Vec<Value> {
        let is_early = |item: &&Value| early.contains(&item["type"]["S"].as_str().expect("a type"));
        let now = campus.stored();
        let early = begun.iter().filter(is_early);
        let late = now.iter().filter(|item| !is_early(item));
        early.chain(late).cloned().collect()
    };
    let untouched = async |scan: Vec<Value>, count: usize| {
        let now = campus.stored();
        let done = repair(&campus, &begun, &scan).await;
        assert_eq!(done.len(), count, "{done:?}");
        assert!(done.iter().all(|(_, done)| !done), "{done:?}");
        assert!(campus.stored() == now, "the table is not as it was");
    };

    // Somebody joins, is seen, and leaves: the counter is what it was.
    campus.member(&drive.club, ada, "bob", 20).await;
    let joined = campus.stored();
    ada.delete(&format!("{path}bob/")).await.no_content();
    let is_bobs = |item: &&Value| item["type"]["S"] == "Membership" && item["role"]["N"] == "20";
    let mut seen = scan(&[]);
    seen.extend(joined.iter().filter(is_bobs).cloned());
    let done = repair(&campus, &begun, &seen).await;
    assert!(done.len() == 1 && !done[0].1, "{done:?}");

    // The scores of a submission that was withdrawn, sent and reviewed again.
    let own = format!("/api/submissions/{}/", id(&submission));
    campus.as_("cat").delete(&own).await.no_content();
    let submission = drive.submit(&campus.as_("cat")).await;
    let review = format!(
        "{}submissions/{}/reviews/mine/",
        drive.path,
        id(&submission)
    );
    ada.put(&review, json!({ "score": 4, "comment": "" }))
        .await
        .ok();
    untouched(scan(&["Submission", "Change"]), 1).await;

    // A person who was erased, and one who came.
    sue.delete("/api/settings/").await.no_content();
    untouched(scan(&["Person"]), 6).await;
    campus.as_("dan").get("/api/settings/").await.ok();
    untouched(scan(&["Person"]), 9).await;
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

// A deletion leaves items in the places of submissions and drafts (X17).
#[expect(clippy::disallowed_methods, reason = "the table of a test is small")]
#[tokio::test(start_paused = true)]
async fn a_deleted_application_comes_back_with_its_submissions_and_drafts() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    drive.submit(&sue).await;
    let typed = json!({ "question": drive.question, "text": "typed", "version": 0 });
    let draft = format!("{}draft/", drive.path);
    bob.patch(&draft, json!({ "responses": [typed] }))
        .await
        .ok();
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let scan = client.scan().table_name(local::engine::TABLE).send().await;
    let before = scan.expect("a table").items.expect("items");
    let forced = format!("{}?force=true", drive.path);
    drive.officer.delete(&forced).await.no_content();
    let wanted = admin::Wanted::new(&[drive.application["id"].to_string()]);
    for is_first in [true, false] {
        let mut done = admin::BroughtBack::default();
        for item in before.iter().filter(|item| wanted.has(item)) {
            done.put(&client, local::engine::TABLE, item.clone())
                .await
                .expect("a write");
        }
        assert!(if is_first {
            done.back > 2 && done.there == 0
        } else {
            done.back == 0
        });
    }
    let path = format!("{}submissions/", drive.path);
    let list = drive.officer.get(&path).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(bob.get(&draft).await.ok()["responses"][0]["text"], "typed");
}

// Lists do not read parts of the catalogue that have no version.
#[tokio::test]
async fn a_lost_version_of_the_catalogue_is_found_and_repaired() {
    let campus = TestCampus::new();
    campus.club("chess", &campus.as_("ada")).await;
    let engine = &campus.campus.engine;
    // What is in memory does not matter.
    let shown = async || {
        let (warm, cold) = (campus.anonymous(), campus.another().anonymous());
        let counts = [warm, cold].map(async |client| {
            let list = client.get("/api/clubs/").await.ok();
            list["count"].as_u64()
        });
        let counts = futures::future::join_all(counts).await;
        assert_eq!(counts[0], counts[1]);
        counts[0]
    };
    assert_eq!(shown().await, Some(1));
    let part = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Club")
        .expect("a club")["pk"]["S"]
        .clone();
    let (all, one) = ("DeleteItem", "UpdateItem");
    let lose = |operation: &str| {
        let mut call = json!({
            "TableName": local::engine::TABLE,
            "Key": { "pk": { "S": "CATALOGUE" }, "sk": { "S": "VERSION" } },
        });
        if operation == one {
            call["UpdateExpression"] = json!("REMOVE #part");
            call["ExpressionAttributeNames"] = json!({ "#part": part });
        }
        engine.json(operation, &call).expect("a write");
    };
    for operation in [one, all] {
        lose(operation);
        assert_eq!(shown().await, Some(0));
        let wrong = admin::findings(&campus.stored(), campus.campus.clock.now());
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        let seen = campus.stored();
        for is_needed in [true, false] {
            let done = repair(&campus, &seen, &seen).await;
            assert_eq!(
                done.iter().map(|(_, done)| *done).collect::<Vec<_>>(),
                [is_needed]
            );
        }
        assert_eq!(shown().await, Some(1));
        assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
    }
    // The item is deleted after it was read: a repair of one attribute does not create it again.
    lose(one);
    let seen = campus.stored();
    lose(all);
    let done = repair(&campus, &seen, &seen).await;
    assert!(done.len() == 1 && !done[0].1, "{done:?}");
}

// An earlier version did not show an answer whose question was missing.
#[tokio::test]
async fn an_answer_is_shown_although_its_question_is_gone() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.as_("sue");
    let submission = drive.submit(&sue).await;
    let prompt = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Prompt")
        .expect("a prompt");
    let key = json!({
        "TableName": local::engine::TABLE,
        "Key": { "pk": prompt["pk"], "sk": prompt["sk"] },
    });
    campus
        .campus
        .engine
        .json("DeleteItem", &key)
        .expect("a deletion");
    for answer in [
        drive.own(&sue, &submission).await,
        drive
            .officer
            .get(&format!("{}submissions/", drive.path))
            .await
            .ok()[0]
            .clone(),
    ] {
        assert_eq!(
            (
                &answer["responses"][0]["text"],
                &answer["responses"][0]["question"]["id"]
            ),
            (&json!("Because."), &json!(drive.question))
        );
    }
    let csv = drive
        .officer
        .get(&format!("{}submissions/export/", drive.path))
        .await
        .text();
    assert!(csv.contains("Because."), "{csv}");
}

/// Adds a copy of an item with another key.
fn twice(kind: &'static str) -> Change<'static> {
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
fn request_of_a_member() -> Change<'static> {
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
