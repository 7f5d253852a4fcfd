//! `clubs-admin check` and `clubs-admin repair` after erasures, deletions and lost items

use serde_json::{Value, json};
use shared::time::Clock as _;
use tests::TestCampus;
use tests::fixtures::id;

use crate::events;
use crate::slots::Interviewing;

/// A campus that has items of most types.
pub(crate) async fn campus() -> TestCampus {
    let campus = TestCampus::new();
    local::demo::load(&campus.campus)
        .await
        .expect("a demo campus");
    let recruitment = campus.recruitment("chess-club").await;
    for (name, status) in [("sue", 4), ("bob", 2)] {
        let submission = recruitment.submit(&campus.as_(name)).await;
        recruitment.decide(&submission, status, "").await;
        assert!(id(&submission) > 0);
    }
    for kind in ["acceptance", "rejection"] {
        campus
            .with_worker(recruitment.send(kind, json!({})))
            .await
            .ok();
    }
    campus.report().await;
    campus
}

pub(crate) fn findings(campus: &TestCampus, items: &[Value]) -> Vec<String> {
    admin::check(items, campus.campus.clock.now())
}

/// Applies all repairs of what is wrong in `scan`, a reading that began when the table was as in
/// `before`. Returns each finding, and whether it was repaired.
pub(crate) async fn repair(
    campus: &TestCampus,
    before: &[Value],
    scan: &[Value],
) -> Vec<(String, bool)> {
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let mut reading = admin::Reading::default();
    reading.add(before.iter().cloned());
    let repairs = admin::Repairs {
        client: &client,
        table: local::table::TABLE,
        files: Some(&campus.campus.app.table),
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

// proves O6
#[tokio::test(start_paused = true)]
async fn mail_and_erasure_leave_nothing_wrong() {
    let campus = campus().await;
    campus.erase(&campus.as_("sue")).await;
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

// proves O6, O8
#[tokio::test]
async fn invitation_without_its_mail_is_no_error() {
    let campus = TestCampus::new();
    Interviewing::new(&campus).await;
    campus.deliver().await;
    let mut stored = campus.stored();
    stored.retain(|item| item["type"]["S"] != "Mail");
    assert_eq!(findings(&campus, &stored).len(), 1);
    campus.advance(chrono::TimeDelta::days(61));
    let all = findings(&campus, &stored);
    assert!(!all.iter().any(|one| one.contains("mail")), "{all:?}");
}

// proves O6
#[tokio::test]
async fn repair_mends_derived_items_only() {
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
            json!({ "TableName": local::table::TABLE, "Item": item }),
        );
    }
    for kind in ["Word", "Address", "EventClub", "Name"] {
        let item = find(kind);
        call(
            "DeleteItem",
            json!({
                "TableName": local::table::TABLE,
                "Key": { "pk": item["pk"], "sk": item["sk"] },
            }),
        );
    }
    let mut stray = find("EventClub");
    stray["pk"] = json!({ "S": "EVENT#0000000000000007" });
    stray["event"] = json!({ "N": "7" });
    call(
        "PutItem",
        json!({ "TableName": local::table::TABLE, "Item": stray }),
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
// proves O6
#[tokio::test(start_paused = true)]
async fn scan_of_two_moments_is_not_repaired() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (ada, sue) = (&recruitment.officer, campus.as_("sue"));
    sue.get("/api/settings/").await.ok();
    let path = format!("/api/clubs/{}/members/", recruitment.club);
    let submission = recruitment.submit(&campus.as_("cat")).await;
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
    campus.member(&recruitment.club, ada, "bob", 20).await;
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
    let submission = recruitment.submit(&campus.as_("cat")).await;
    let review = format!(
        "{}submissions/{}/reviews/mine/",
        recruitment.path,
        id(&submission)
    );
    ada.put(&review, json!({ "score": 4, "comment": "" }))
        .await
        .ok();
    untouched(scan(&["Submission", "Change"]), 1).await;

    // A person who was erased, and one who came.
    campus.erase(&sue).await;
    untouched(scan(&["Person"]), 6).await;
    campus.as_("dan").get("/api/settings/").await.ok();
    untouched(scan(&["Person"]), 9).await;
    assert_eq!(findings(&campus, &campus.stored()), Vec::<String>::new());
}

// A deletion leaves items in the places of submissions and drafts (X17).
#[expect(clippy::disallowed_methods, reason = "the table of a test is small")]
#[tokio::test(start_paused = true)]
async fn deleted_application_comes_back_with_submissions_and_drafts() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    recruitment.submit(&sue).await;
    let typed = json!({ "question": recruitment.question, "text": "typed", "version": 0 });
    let draft = format!("{}draft/", recruitment.path);
    bob.patch(&draft, json!({ "responses": [typed] }))
        .await
        .ok();
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let scan = client.scan().table_name(local::table::TABLE).send().await;
    let before = scan.expect("a table").items.expect("items");
    let forced = format!("{}?force=true", recruitment.path);
    recruitment.officer.delete(&forced).await.no_content();
    let expected = admin::ItemFilter::new(&[recruitment.application["id"].to_string()]);
    for is_first in [true, false] {
        let mut done = admin::BroughtBack::default();
        for item in before.iter().filter(|item| expected.has(item)) {
            done.put(&client, local::table::TABLE, item.clone())
                .await
                .expect("a write");
        }
        assert!(if is_first {
            done.back > 2 && done.there == 0
        } else {
            done.back == 0
        });
    }
    let path = format!("{}submissions/", recruitment.path);
    let list = recruitment.officer.get(&path).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(bob.get(&draft).await.ok()["responses"][0]["text"], "typed");
}

// proves O6
#[expect(clippy::disallowed_methods, reason = "the table of a test is small")]
#[tokio::test]
async fn restored_event_is_listed_by_warm_functions() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let event = events::event(&ada, "Talk", &[events::showing(24, 25)]).await;
    events::event(&ada, "Match", &[events::showing(48, 50)]).await;
    let client = admin::client(&local::sdk_config(campus.campus.engine.clone()));
    let scan = client.scan().table_name(local::table::TABLE).send().await;
    let before = scan.expect("a table").items.expect("items");
    let anybody = campus.another().anonymous();
    let listed = async || anybody.get("/api/events/").await.ok()["count"].clone();
    let path = format!("/api/clubs/chess/events/{}/", event["id"]);
    ada.delete(&path).await.no_content();
    assert_eq!(listed().await, 1);
    let expected = admin::ItemFilter::new(&[event["id"].to_string()]);
    let mut done = admin::BroughtBack::default();
    for item in before.into_iter().filter(|item| expected.has(item)) {
        done.put(&client, local::table::TABLE, item)
            .await
            .expect("a write");
    }
    done.show(&client, local::table::TABLE)
        .await
        .expect("a write");
    assert_eq!(listed().await, 2);
}

// Lists do not read segments of the catalogue that have no version.
// proves O6
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
            "TableName": local::table::TABLE,
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
// proves Q7
#[tokio::test]
async fn answer_to_deleted_question_is_shown() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let prompt = campus
        .stored()
        .into_iter()
        .find(|item| item["type"]["S"] == "Prompt")
        .expect("a prompt");
    let key = json!({
        "TableName": local::table::TABLE,
        "Key": { "pk": prompt["pk"], "sk": prompt["sk"] },
    });
    campus
        .campus
        .engine
        .json("DeleteItem", &key)
        .expect("a deletion");
    for answer in [
        recruitment.own(&sue, &submission).await,
        recruitment
            .officer
            .get(&format!("{}submissions/", recruitment.path))
            .await
            .ok()[0]
            .clone(),
    ] {
        assert_eq!(
            (
                &answer["responses"][0]["text"],
                &answer["responses"][0]["question"]["id"]
            ),
            (&json!("Because."), &json!(recruitment.question))
        );
    }
    let csv = recruitment
        .officer
        .get(&format!("{}submissions/export/", recruitment.path))
        .await
        .text();
    assert!(csv.contains("Because."), "{csv}");
}
