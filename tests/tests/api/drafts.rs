//! `/clubs/{club}/applications/{application}/draft/`

use serde_json::{Value, json};
use tests::fixtures::{Recruitment, hours, id};
use tests::{Setup, TestCampus};

pub(crate) fn path(recruitment: &Recruitment) -> String {
    format!("{}draft/", recruitment.path)
}

pub(crate) fn text(question: u64, text: &str, version: u64) -> Value {
    json!({ "responses": [{ "question": question, "text": text, "version": version }] })
}

pub(crate) async fn question(recruitment: &Recruitment, more: Value) -> u64 {
    let mut body = json!({ "question_type": 1, "prompt": "And?" });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let path = format!("{}questions/", recruitment.path);
    id(&recruitment.officer.post(&path, body).await.created())
}

// proves N2, N6
#[tokio::test]
async fn answers_are_saved_one_by_one_and_read_on_another_device() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let other = question(&recruitment, json!({})).await;
    sue.get(&path).await.error(404);
    sue.patch(&path, text(recruitment.question, "I", 0))
        .await
        .ok();
    let saved = sue.patch(&path, text(other, "Also", 0)).await.ok();
    let answer = |question: u64, text: &str, version: u64| {
        json!({
            "question": question,
            "text": text,
            "multiple_choice": null,
            "file": null,
            "version": version,
            "updated_at": hours(0),
        })
    };
    let mut answers = vec![
        answer(recruitment.question, "I", 1),
        answer(other, "Also", 1),
    ];
    answers.sort_by_key(|answer| answer["question"].as_u64());
    assert_eq!(
        saved,
        json!({
            "committee": null,
            "responses": answers,
            "updated_at": hours(0),
            "expires_at": hours(24 + 30 * 24),
        })
    );
    assert_eq!(campus.as_("sue").get(&path).await.ok(), saved);
    let next = sue
        .patch(&path, text(recruitment.question, "I like", 1))
        .await
        .ok();
    assert!(next["responses"].as_array().unwrap().contains(&answer(
        recruitment.question,
        "I like",
        2
    )));
}

// proves N1
#[tokio::test]
async fn a_draft_is_its_owners_alone() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    sue.patch(&path, text(recruitment.question, "Secret", 0))
        .await
        .ok();
    for other in [&recruitment.officer, &campus.as_("bob"), &campus.admin()] {
        other.get(&path).await.error(404);
        other.delete(&path).await.no_content();
    }
    assert_eq!(sue.get(&path).await.ok()["responses"][0]["text"], "Secret");
    campus.anonymous().get(&path).await.error(401);
}

// proves N2
#[tokio::test]
async fn second_tab_gets_what_the_first_saved() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let other = question(&recruitment, json!({})).await;
    sue.patch(&path, text(recruitment.question, "first tab", 0))
        .await
        .ok();
    let both = json!({ "responses": [
        { "question": other, "text": "untouched", "version": 0 },
        { "question": recruitment.question, "text": "second tab", "version": 0 },
    ] });
    let refused = sue.patch(&path, both).await;
    assert_eq!(refused.status, 412);
    let body = refused.json();
    assert_eq!(body["code"], "draft_conflict");
    assert_eq!(
        body["conflicts"],
        json!([{
            "question": recruitment.question,
            "text": "first tab",
            "multiple_choice": null,
            "file": null,
            "version": 1,
            "updated_at": hours(0),
        }])
    );
    // Nothing was stored, and answers that nobody touched are in nobody's way.
    let draft = sue.get(&path).await.ok();
    assert_eq!(draft["responses"].as_array().map(Vec::len), Some(1));
    sue.patch(&path, text(other, "untouched", 0)).await.ok();
    // The same request again is no conflict: its answer is there already.
    sue.patch(&path, text(other, "untouched", 0)).await.ok();
    sue.patch(&path, text(recruitment.question, "merged", 1))
        .await
        .ok();
}

// proves N2
#[tokio::test]
async fn concurrent_tabs_store_one_draft_and_report_conflicts() {
    let campus = Setup::default().latency(5).build();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    sue.get("/api/settings/").await.ok();
    let tabs = (0..8).map(|n| {
        let (sue, path) = (sue.clone(), path.clone());
        async move {
            sue.patch(&path, text(recruitment.question, &format!("tab {n}"), 0))
                .await
        }
    });
    let answers = futures::future::join_all(tabs).await;
    let stored: Vec<Value> = answers
        .iter()
        .filter(|response| response.status == 200)
        .map(tests::Response::json)
        .collect();
    assert_eq!(stored.len(), 1);
    assert!(
        answers
            .iter()
            .all(|response| [200, 412].contains(&response.status.as_u16()))
    );
    assert_eq!(sue.get(&path).await.ok(), stored[0]);
}

// proves N1, N3, N8
#[tokio::test]
async fn a_version_never_comes_again() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    sue.patch(&path, text(recruitment.question, "one", 0))
        .await
        .ok();
    let removal =
        json!({ "responses": [{ "question": recruitment.question, "text": null, "version": 1 }] });
    assert_eq!(sue.patch(&path, removal).await.ok()["responses"], json!([]));
    sue.get(&path).await.error(404);
    // Somebody who still shows the removed answer is told.
    let late = sue.patch(&path, text(recruitment.question, "two", 1)).await;
    assert_eq!(late.status, 412);
    assert_eq!(late.json()["conflicts"][0]["text"], json!(null));
    let again = sue
        .patch(&path, text(recruitment.question, "three", 0))
        .await
        .ok();
    assert_eq!(again["responses"][0]["version"], 3);
    sue.delete(&path).await.no_content();
    sue.delete(&path).await.no_content();
    sue.get(&path).await.error(404);
    let anew = sue
        .patch(&path, text(recruitment.question, "four", 0))
        .await
        .ok();
    assert_eq!(anew["responses"][0]["version"], 5);
}

// proves N1, N4, N5
#[tokio::test]
async fn each_committee_has_its_own_draft() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let [tech, outreach] = [0, 1].map(|n| id(&recruitment.application["committees"][n]));
    let only_tech = question(
        &recruitment,
        json!({ "committee_question": true, "committees": [tech] }),
    )
    .await;
    let of = |committee: u64| format!("{path}?committee={committee}");
    let draft = sue.patch(&of(tech), text(only_tech, "code", 0)).await.ok();
    assert_eq!(draft["committee"], tech);
    sue.patch(&of(outreach), text(only_tech, "talk", 0))
        .await
        .invalid(&["responses.0.question"]);
    sue.patch(&path, text(only_tech, "talk", 0))
        .await
        .invalid(&["responses.0.question"]);
    sue.get(&of(outreach)).await.error(404);
    sue.get(&path).await.error(404);
    // A parameter that is wrong does not mean the draft without a committee.
    let stored = sue
        .patch(&path, text(recruitment.question, "x", 0))
        .await
        .ok();
    let removed = json!({ "question": recruitment.question, "text": null, "version": 1 });
    let removed = json!({ "responses": [removed] });
    for wrong in ["x", "0", "null"] {
        let wrong = format!("{path}?committee={wrong}");
        sue.get(&wrong).await.invalid(&["committee"]);
        sue.patch(&wrong, removed.clone())
            .await
            .invalid(&["committee"]);
        sue.delete(&wrong).await.invalid(&["committee"]);
    }
    assert_eq!(sue.get(&path).await.ok(), stored);
    sue.delete(&path).await.no_content();
    for wrong in ["7", "x", "0"] {
        let wrong = format!("{path}?committee={wrong}");
        sue.get(&wrong).await.invalid(&["committee"]);
        sue.patch(&wrong, text(recruitment.question, "x", 0))
            .await
            .invalid(&["committee"]);
        sue.delete(&wrong).await.invalid(&["committee"]);
    }
    let submission = json!({ "committee": tech, "responses": [] });
    sue.post(&format!("{}submissions/", recruitment.path), submission)
        .await
        .created();
    sue.get(&of(tech)).await.error(404);
}

// proves N3, N4
#[tokio::test]
async fn wrong_answers_are_named_and_unfinished_ones_are_not() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let short = question(&recruitment, json!({ "word_limit": 2 })).await;
    let choice = json!({
        "prompt": "Which?",
        "question_type": 2,
        "multiple_choice": [{ "value": "Yes" }, { "value": "No" }],
    });
    let questions = format!("{}questions/", recruitment.path);
    let choice = recruitment.officer.post(&questions, choice).await.created();
    let info = question(&recruitment, json!({ "question_type": 4 })).await;
    sue.patch(&path, text(short, "many more words than two", 0))
        .await
        .ok();
    let option = id(&choice["multiple_choice"][0]);
    let chosen = json!({ "responses": [
        { "question": id(&choice), "multiple_choice": option, "version": 0 },
    ] });
    let draft = sue.patch(&path, chosen).await.ok();
    assert!(
        draft["responses"]
            .as_array()
            .unwrap()
            .iter()
            .any(|answer| answer["multiple_choice"] == option)
    );
    let wrong = json!({ "responses": [
        { "question": 7, "text": "x", "version": 0 },
        { "text": "x", "version": 0 },
        { "question": recruitment.question, "text": "x" },
        { "question": short, "text": "x", "version": 1 },
        { "question": short, "text": "y", "version": 1 },
        { "question": info, "text": "x", "version": 0 },
        { "question": id(&choice), "text": "x", "version": 0 },
    ] });
    sue.raw(
        http::Method::PATCH,
        &path,
        Some("application/json"),
        wrong.to_string(),
    )
    .await
    .invalid(&[
        "responses.0.question",
        "responses.1.question",
        "responses.2.version",
        "responses.4.question",
        "responses.5.question",
        "responses.6.text",
    ]);
    let forgotten = json!({ "responses": [{ "question": recruitment.question, "version": 0 }] });
    sue.patch(&path, forgotten)
        .await
        .invalid(&["responses.0.text"]);
    let foreign = json!({ "responses": [
        { "question": id(&choice), "multiple_choice": 7, "version": 1 },
        { "question": recruitment.question, "multiple_choice": option, "version": 0 },
    ] });
    sue.patch(&path, foreign)
        .await
        .invalid(&["responses.0.multiple_choice", "responses.1.multiple_choice"]);
    let long = text(recruitment.question, &"x".repeat(20_001), 0).to_string();
    sue.raw(http::Method::PATCH, &path, Some("application/json"), long)
        .await
        .invalid(&["responses.0.text"]);
}

// A transaction has at most 100 writes.
// proves N1
#[tokio::test]
async fn a_draft_begins_with_a_hundred_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut questions = vec![recruitment.question];
    for _ in 1..100 {
        questions.push(question(&recruitment, json!({})).await);
    }
    let answer = |question: &u64| json!({ "question": question, "version": 0, "text": "x" });
    let all: Vec<Value> = questions.iter().map(answer).collect();
    let path = format!("{}draft/", recruitment.path);
    let sue = campus.as_("sue");
    let draft = sue.patch(&path, json!({ "responses": all })).await.ok();
    assert_eq!(draft["responses"].as_array().map(Vec::len), Some(100));
}

/// The committees of drafts that the list of open applications shows.
async fn listed(sue: &tests::Client) -> Value {
    let open = sue.get("/api/applications/open/").await.ok();
    open[0]["drafts"].clone()
}

// proves N3, A13
#[tokio::test]
async fn a_draft_is_listed_until_its_last_answer_is_removed() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let (first, second) = (
        recruitment.question,
        question(&recruitment, json!({})).await,
    );
    let removed = |question: u64, version: u64| json!({ "responses": [{ "question": question, "text": null, "version": version }] });
    sue.patch(&path, text(first, "one", 0)).await.ok();
    sue.patch(&path, text(second, "two", 0)).await.ok();
    sue.patch(&path, removed(first, 1)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
    sue.patch(&path, removed(second, 1)).await.ok();
    assert_eq!(listed(&sue).await, json!([]));
    sue.patch(&path, text(first, "again", 0)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
    sue.delete(&path).await.no_content();
    assert_eq!(listed(&sue).await, json!([]));
    sue.patch(&path, text(second, "and again", 0)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
    recruitment.submit(&sue).await;
    let open = sue.get("/api/applications/open/").await.ok();
    assert_eq!(open[0]["draft"], false);
    sue.patch(&path, text(first, "later", 0)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
    let entries = |campus: &TestCampus| {
        let stored = campus.stored();
        let begun = stored
            .iter()
            .filter(|item| item["type"]["S"] == "BegunDraft");
        begun.count()
    };
    assert_eq!(entries(&campus), 1);
    campus.erase(&sue).await;
    assert_eq!(entries(&campus), 0);
}

// Without a second look, the entry is gone and the answer is there.
// proves N3
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_saved_while_another_device_removes_the_last_one_is_listed() {
    let campus = crate::races::slow();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let second = question(&recruitment, json!({})).await;
    sue.patch(&path, text(recruitment.question, "one", 0))
        .await
        .ok();
    let removed =
        json!({ "responses": [{ "question": recruitment.question, "text": null, "version": 1 }] });
    let (a, b) = futures::join!(
        sue.patch(&path, removed),
        sue.patch(&path, text(second, "two", 0))
    );
    a.ok();
    b.ok();
    assert_eq!(listed(&sue).await, json!([null]));
}

// proves N10
#[tokio::test]
async fn lists_read_one_entry_a_draft_and_no_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let committees: Vec<Value> = (0..49)
        .map(|n| json!({ "name": format!("C{n}") }))
        .collect();
    let body = json!({ "committees": committees });
    let changed = recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    let mut questions = vec![recruitment.question];
    for _ in 0..5 {
        questions.push(question(&recruitment, json!({})).await);
    }
    let sue = campus.as_("sue");
    let path = path(&recruitment);
    let responses: Vec<Value> = questions
        .iter()
        .map(|question| json!({ "question": question, "text": "x", "version": 0 }))
        .collect();
    for committee in changed["committees"].as_array().expect("committees") {
        let path = format!("{path}?committee={}", committee["id"]);
        sue.patch(&path, json!({ "responses": responses }))
            .await
            .ok();
    }
    let home = sue.get("/api/home/").await;
    assert!(home.usage.read_units <= 75.0, "{:?}", home.usage);
    assert_eq!(
        home.ok()["applications"][0]["drafts"]
            .as_array()
            .map(Vec::len),
        Some(49)
    );
    let address = crate::own_calendar::calendar(&sue).await;
    let calendar = campus.anonymous().get(&address).await;
    assert!(calendar.usage.read_units <= 10.0, "{:?}", calendar.usage);
}

// An entry that was lost, or that a submission has overtaken, is right again with the next save.
// proves N3
#[tokio::test]
async fn the_next_save_tells_again_that_a_draft_has_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let second = question(&recruitment, json!({})).await;
    sue.patch(&path, text(recruitment.question, "one", 0))
        .await
        .ok();
    // A device that removed the last answer when another one saved this one.
    let table = &campus.campus.app.table;
    let person = sue.get("/api/settings/").await.ok()["id"]
        .as_u64()
        .unwrap_or_default();
    let of = (
        shared::ids::Id::new(id(&recruitment.application)),
        shared::ids::Id::new(person),
    );
    table.end_draft(of, None).await.expect("a table");
    assert_eq!(listed(&sue).await, json!([]));
    sue.patch(&path, text(second, "two", 0)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
    table.end_draft(of, None).await.expect("a table");
    // The same once more stores no answer.
    sue.patch(&path, text(second, "two", 0)).await.ok();
    assert_eq!(listed(&sue).await, json!([null]));
}

// proves N6
#[tokio::test]
async fn an_earlier_end_ends_the_draft_in_lists_too() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (campus.as_("sue"), path(&recruitment));
    let second = question(&recruitment, json!({})).await;
    let end_at = async |days: i64| {
        let release = hours(24 * (days + 1));
        let body =
            json!({ "application_end_time": hours(24 * days), "result_release_time": release });
        recruitment
            .officer
            .patch(&recruitment.path, body)
            .await
            .ok();
    };
    end_at(60).await;
    sue.patch(&path, text(recruitment.question, "one", 0))
        .await
        .ok();
    end_at(5).await;
    sue.patch(&path, text(second, "two", 0)).await.ok();
    campus.advance(chrono::TimeDelta::days(20));
    let unsent = sue.get("/api/applications/unsent/").await.ok();
    assert_eq!(unsent.as_array().map(Vec::len), Some(1));
    campus.advance(chrono::TimeDelta::days(20));
    sue.get(&path).await.error(404);
    assert_eq!(sue.get("/api/applications/unsent/").await.ok(), json!([]));
}
