//! `/clubs/{club}/applications/{application}/questions/…`
//!
//! Proves H13, H14, H16, Q1, Q2, Q3, Q4, Q5, Q6, Q7.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use http::Method;
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use shared::ids::{self, Id};
use shared::models::Question;
use shared::table::{Refusal, TableError};
use tests::fixtures::{code, id};
use tests::{Setup, TestCampus};

#[tokio::test]
async fn questions_of_all_types() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let created = drive
        .officer
        .post(&path, json!({ "question_type": 3, "prompt": "Short?" }))
        .await
        .created();
    assert_eq!(
        created,
        json!({
            "id": created["id"],
            "question_type": 3,
            "prompt": "Short?",
            "word_limit": 0,
            "precedence": 0,
            "committee_question": false,
            "committees": [],
            "multiple_choice": [],
        })
    );
    let choice = drive
        .officer
        .post(
            &path,
            json!({
                "question_type": 2,
                "prompt": "Which?",
                "multiple_choice": ["a", { "value": "b" }],
            }),
        )
        .await
        .created();
    assert_eq!(choice["multiple_choice"][1]["value"], "b");
    drive
        .officer
        .post(&path, json!({ "question_type": 4, "prompt": "Read this" }))
        .await
        .created();
    let sue = campus.as_("sue");
    assert_eq!(sue.get(&path).await.ok().as_array().map(Vec::len), Some(4));
    assert_eq!(
        sue.get(&format!("{path}{}/", id(&choice))).await.ok(),
        choice
    );
    assert_eq!(
        sue.get(&drive.path).await.ok()["questions"],
        sue.get(&path).await.ok()
    );
}

#[tokio::test]
async fn wrong_questions_are_named() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let officer = &drive.officer;
    officer
        .post(&path, json!({}))
        .await
        .invalid(&["question_type", "prompt"]);
    for (field, body) in [
        (
            "question_type",
            json!({ "question_type": 5, "prompt": "x" }),
        ),
        (
            "question_type",
            json!({ "question_type": "1", "prompt": "x" }),
        ),
        ("prompt", json!({ "question_type": 1, "prompt": "" })),
        (
            "prompt",
            json!({ "question_type": 1, "prompt": "x".repeat(5_001) }),
        ),
        (
            "word_limit",
            json!({ "question_type": 1, "prompt": "x", "word_limit": -1 }),
        ),
        (
            "precedence",
            json!({ "question_type": 1, "prompt": "x", "precedence": 1.5 }),
        ),
        (
            "multiple_choice",
            json!({ "question_type": 2, "prompt": "x" }),
        ),
        (
            "multiple_choice",
            json!({ "question_type": 2, "prompt": "x", "multiple_choice": ["one"] }),
        ),
        (
            "multiple_choice",
            json!({ "question_type": 1, "prompt": "x", "multiple_choice": ["a", "b"] }),
        ),
        (
            "multiple_choice",
            json!({ "question_type": 2, "prompt": "x", "multiple_choice": vec!["a"; 51] }),
        ),
        (
            "multiple_choice.1",
            json!({ "question_type": 2, "prompt": "x", "multiple_choice": ["a", ""] }),
        ),
        (
            "multiple_choice.1",
            json!({
                "question_type": 2,
                "prompt": "x",
                "multiple_choice": ["a", "x".repeat(1_001)],
            }),
        ),
        (
            "committees",
            json!({ "question_type": 1, "prompt": "x", "committee_question": true }),
        ),
        (
            "committees.0",
            json!({
                "question_type": 1,
                "prompt": "x",
                "committee_question": true,
                "committees": [1],
            }),
        ),
    ] {
        officer.post(&path, body).await.invalid(&[field]);
    }
    assert_eq!(
        officer.get(&path).await.ok().as_array().map(Vec::len),
        Some(1),
        "nothing was stored"
    );
}

#[tokio::test]
async fn patch_and_put_of_a_question() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/{}/", drive.path, drive.question);
    assert_eq!(
        drive
            .officer
            .patch(&path, json!({ "word_limit": 10 }))
            .await
            .ok()["word_limit"],
        10
    );
    let got = drive.officer.get(&path).await.ok();
    assert_eq!(got["prompt"], "Why?");
    assert_eq!(drive.officer.put(&path, got.clone()).await.ok(), got);
    drive
        .officer
        .put(&path, json!({ "question_type": 1, "prompt": "x" }))
        .await
        .invalid(&[
            "word_limit",
            "precedence",
            "committee_question",
            "committees",
            "multiple_choice",
        ]);
    drive.officer.delete(&path).await.no_content();
    drive.officer.get(&path).await.error(404);
    drive.officer.delete(&path).await.error(404);
}

#[tokio::test]
async fn options_that_keep_their_id_keep_their_answers() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": ["a", "b"] });
    let question = drive.officer.post(&path, body).await.created();
    let one = format!("{path}{}/", id(&question));
    let (a, b) = (
        &question["multiple_choice"][0],
        &question["multiple_choice"][1],
    );
    let set = json!({ "multiple_choice": [{ "id": b["id"], "value": "B!" }, "a", "c"] });
    let changed = drive.officer.patch(&one, set).await.ok();
    assert_eq!(
        changed["multiple_choice"][0],
        json!({ "id": b["id"], "value": "B!" })
    );
    assert_eq!(
        changed["multiple_choice"][1], *a,
        "the same text keeps the id"
    );
    drive
        .officer
        .patch(
            &one,
            json!({ "multiple_choice": [{ "id": 5, "value": "x" }, "y"] }),
        )
        .await
        .invalid(&["multiple_choice.0.id"]);
    let other = drive
        .officer
        .post(
            &path,
            json!({ "question_type": 2, "prompt": "?", "multiple_choice": ["x", "y"] }),
        )
        .await
        .created();
    let foreign = json!({
        "multiple_choice": [{ "id": other["multiple_choice"][0]["id"], "value": "x" }, "y"],
    });
    drive
        .officer
        .patch(&one, foreign)
        .await
        .invalid(&["multiple_choice.0.id"]);
}

#[tokio::test]
async fn questions_stand_by_precedence_then_creation() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let mut ids = vec![drive.question];
    for (prompt, precedence) in [("b", 0), ("c", -1), ("d", 0)] {
        let body = json!({ "question_type": 1, "prompt": prompt, "precedence": precedence });
        ids.push(id(&drive.officer.post(&path, body).await.created()));
    }
    let order = async || -> Vec<Value> {
        drive
            .officer
            .get(&path)
            .await
            .ok()
            .as_array()
            .cloned()
            .unwrap_or_default()
            .iter()
            .map(|q| q["id"].clone())
            .collect()
    };
    assert_eq!(order().await, [ids[2], ids[0], ids[1], ids[3]]);
    let sort = format!("{path}precedence/");
    let sorted = drive
        .officer
        .post(&sort, json!({ "precedence": [ids[3], ids[1]] }))
        .await
        .ok();
    assert_eq!(sorted.as_array().map(Vec::len), Some(4));
    assert_eq!(
        order().await,
        [ids[3], ids[1], ids[2], ids[0]],
        "the other questions follow"
    );
    drive
        .officer
        .post(&sort, json!({ "precedence": [ids[0], ids[0]] }))
        .await
        .invalid(&["precedence.1"]);
    drive
        .officer
        .post(&sort, json!({ "precedence": [1] }))
        .await
        .invalid(&["precedence.0"]);
    drive
        .officer
        .post(&sort, json!({}))
        .await
        .invalid(&["precedence"]);
}

#[tokio::test]
async fn a_hundred_questions_and_no_more() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    for n in 1..100 {
        drive
            .officer
            .post(
                &path,
                json!({ "question_type": 1, "prompt": format!("{n}"), "precedence": 1_000_000 }),
            )
            .await
            .created();
    }
    // None of them may be 0, so that each would get another number.
    let first = format!("{path}{}/", drive.question);
    let largest = json!({ "precedence": 1_000_000 });
    drive.officer.patch(&first, largest).await.ok();
    drive
        .officer
        .post(
            &path,
            json!({ "question_type": 1, "prompt": "one too many" }),
        )
        .await
        .error(400);
    let all = drive.officer.get(&path).await.ok();
    let ids: Vec<u64> = all
        .as_array()
        .map(|all| all.iter().rev().map(id).collect())
        .unwrap_or_default();
    // The second time, each question has another place than before.
    let back: Vec<u64> = ids.iter().rev().copied().collect();
    for order in [ids, back] {
        let body = json!({ "precedence": order });
        let sorted = drive
            .officer
            .post(&format!("{path}precedence/"), body)
            .await;
        let sorted = sorted.ok();
        let shown: Vec<u64> = sorted.as_array().into_iter().flatten().map(id).collect();
        assert_eq!(shown, order);
        let numbers = sorted.as_array().into_iter().flatten();
        let mut numbers = numbers.map(|question| question["precedence"].as_i64());
        assert!(numbers.all(|number| number.is_some_and(|number| number <= 1_000_000)));
        assert_eq!(drive.officer.get(&path).await.ok(), sorted);
    }
}

#[tokio::test]
async fn changed_and_deleted_questions_leave_answers_as_they_were() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": ["a", "b"] });
    let choice = drive.officer.post(&path, body).await.created();
    let sue = campus.as_("sue");
    let answer = json!({ "responses": [
        { "question": drive.question, "text": "old" },
        { "question": choice["id"], "multiple_choice": choice["multiple_choice"][0]["id"] },
    ] });
    let before = sue
        .post(&format!("{}submissions/", drive.path), answer)
        .await
        .created();
    drive
        .officer
        .patch(
            &format!("{path}{}/", drive.question),
            json!({ "prompt": "Something else", "word_limit": 1 }),
        )
        .await
        .ok();
    let renamed = json!({
        "multiple_choice": [{ "id": choice["multiple_choice"][0]["id"], "value": "renamed" }, "b"],
    });
    drive
        .officer
        .patch(&format!("{path}{}/", id(&choice)), renamed)
        .await
        .ok();
    drive
        .officer
        .delete(&format!("{path}{}/", id(&choice)))
        .await
        .no_content();
    let officers = drive
        .officer
        .get(&format!("{}submissions/{}/", drive.path, id(&before)))
        .await
        .ok();
    assert_eq!(officers["responses"], before["responses"]);
    assert_eq!(
        drive.own(&sue, &before).await["responses"],
        before["responses"]
    );
    assert_eq!(before["responses"][1]["multiple_choice"]["value"], "a");
    assert_eq!(before["responses"][0]["question"]["prompt"], "Why?");
}

#[tokio::test]
async fn too_many_options_are_told_once() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let options: Vec<String> = (0..51).map(|n| format!("Option {n}")).collect();
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": options });
    let path = format!("{}questions/", drive.path);
    let answer = drive.officer.post(&path, body).await.json();
    assert_eq!(
        answer["errors"],
        json!({ "multiple_choice": ["At most 50 options are allowed."] })
    );
}

#[tokio::test]
async fn questions_in_memory_are_those_that_another_function_changed() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let other = campus.another();
    let reader = other.as_("sue");
    let new = json!({ "question_type": 1, "prompt": "Since when?", "precedence": 5 });
    let question = id(&drive.officer.post(&path, new).await.created());
    let (one, sort) = (format!("{path}{question}/"), format!("{path}precedence/"));
    let order = json!({ "precedence": [question] });
    let changes = [
        (Method::PATCH, &one, Some(json!({ "prompt": "Why?" }))),
        (Method::PATCH, &one, Some(json!({ "precedence": 9 }))),
        (Method::POST, &sort, Some(order)),
        (Method::DELETE, &one, None),
    ];
    for (method, target, body) in changes {
        // Long after the last change, so that forms are kept in memory.
        campus.advance(TimeDelta::minutes(2));
        let before = reader.get(&path).await.ok();
        let response = drive.officer.send(method, target, body).await;
        assert!(response.status.is_success(), "{}", response.text());
        let after = reader.get(&path).await.ok();
        assert_ne!(after, before);
        assert_eq!(after, drive.officer.get(&path).await.ok());
    }
    // The application is closed to everybody as soon as it is deleted.
    campus.advance(TimeDelta::minutes(2));
    reader.get(&path).await.ok();
    drive.officer.delete(&drive.path).await.no_content();
    reader.get(&path).await.error(404);
}

#[tokio::test]
async fn a_question_that_was_read_beside_its_change_is_not_kept() {
    // A reader beside a transaction may get the application of after it, and a question of before.
    let beside = Arc::new(AtomicBool::new(false));
    let mixes = beside.clone();
    let campus = Setup::default()
        .hook(Arc::new(move |call: Call| {
            let mixes = mixes.load(Ordering::SeqCst) && call.operation == "Query";
            Box::pin(async move {
                let Reply::Answer(status, body) = call.apply(&call.body) else {
                    return None;
                };
                let body = if mixes {
                    body.replace("New?", "Old?")
                } else {
                    body
                };
                Some(Reply::Answer(status, body))
            })
        }))
        .build();
    let drive = campus.drive("chess").await;
    let path = format!("{}questions/", drive.path);
    let one = format!("{path}{}/", drive.question);
    let new = json!({ "prompt": "New?" });
    drive.officer.patch(&one, new).await.ok();
    let prompt = async || drive.officer.get(&one).await.ok()["prompt"].clone();
    beside.store(true, Ordering::SeqCst);
    assert_eq!(prompt().await, "Old?", "the reader beside it");
    beside.store(false, Ordering::SeqCst);
    assert_eq!(prompt().await, "New?");
}

#[tokio::test]
async fn no_question_is_stored_under_an_application_that_was_deleted_meanwhile() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let app = &campus.campus.app;
    let application = drive.path.trim_end_matches('/').rsplit('/').next();
    let application = application.and_then(ids::parse).expect("an id");
    let read = app.table.form(&code("chess"), application).await;
    let form = read.expect("an answer").expect("a form");
    drive.officer.delete(&drive.path).await.no_content();
    let before = campus.stored();
    let question = Question {
        id: Id::new(7),
        ..form.questions[0].clone()
    };
    let stored = app.table.put_question(&question, None, app.now()).await;
    assert!(matches!(stored, Err(TableError::Refused(Refusal::Changed))));
    assert_eq!(campus.stored(), before);
}
