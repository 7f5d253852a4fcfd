//! `/clubs/{club}/applications/{application}/questions/…`

use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, id};

// proves Q1, Q5
#[tokio::test]
async fn questions_of_all_types() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let created = recruitment
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
            "show_if": null,
            "required": false,
            "formats": [],
            "max_mb": null,
            "shrink_photos": false,
        })
    );
    let choice = recruitment
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
    recruitment
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
        sue.get(&recruitment.path).await.ok()["questions"],
        sue.get(&path).await.ok()
    );
}

/// Sends these bodies. Each must be refused for its field, and nothing may be stored.
async fn are_named(recruitment: &Recruitment, cases: Vec<(&str, Value)>) {
    let path = format!("{}questions/", recruitment.path);
    let officer = &recruitment.officer;
    for (field, body) in cases {
        officer.post(&path, body).await.invalid(&[field]);
    }
    assert_eq!(
        officer.get(&path).await.ok().as_array().map(Vec::len),
        Some(1),
        "nothing was stored"
    );
}

// proves H16, Q1, Q2
#[tokio::test]
async fn wrong_questions_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), json!({}))
        .await
        .invalid(&["question_type", "prompt"]);
    let cases = vec![
        (
            "question_type",
            json!({ "question_type": 6, "prompt": "x" }),
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
    ];
    are_named(&recruitment, cases).await;
}

// proves H16, Q4, Q5
#[tokio::test]
async fn wrong_options_and_committees_of_questions_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let cases = vec![
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
    ];
    are_named(&recruitment, cases).await;
}

// proves H13, H14
#[tokio::test]
async fn patch_and_put_of_a_question() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/{}/", recruitment.path, recruitment.question);
    assert_eq!(
        recruitment
            .officer
            .patch(&path, json!({ "word_limit": 10 }))
            .await
            .ok()["word_limit"],
        10
    );
    let got = recruitment.officer.get(&path).await.ok();
    assert_eq!(got["prompt"], "Why?");
    assert_eq!(recruitment.officer.put(&path, got.clone()).await.ok(), got);
    recruitment
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
    recruitment.officer.delete(&path).await.no_content();
    recruitment.officer.get(&path).await.error(404);
    recruitment.officer.delete(&path).await.error(404);
}

// proves Q5
#[tokio::test]
async fn options_that_keep_their_id_keep_their_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": ["a", "b"] });
    let question = recruitment.officer.post(&path, body).await.created();
    let one = format!("{path}{}/", id(&question));
    let (a, b) = (
        &question["multiple_choice"][0],
        &question["multiple_choice"][1],
    );
    let set = json!({ "multiple_choice": [{ "id": b["id"], "value": "B!" }, "a", "c"] });
    let changed = recruitment.officer.patch(&one, set).await.ok();
    assert_eq!(
        changed["multiple_choice"][0],
        json!({ "id": b["id"], "value": "B!" })
    );
    assert_eq!(
        changed["multiple_choice"][1], *a,
        "the same text keeps the id"
    );
    recruitment
        .officer
        .patch(
            &one,
            json!({ "multiple_choice": [{ "id": 5, "value": "x" }, "y"] }),
        )
        .await
        .invalid(&["multiple_choice.0.id"]);
    let other = recruitment
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
    recruitment
        .officer
        .patch(&one, foreign)
        .await
        .invalid(&["multiple_choice.0.id"]);
}

// proves Q7
#[tokio::test]
async fn changed_and_deleted_questions_keep_answers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": ["a", "b"] });
    let choice = recruitment.officer.post(&path, body).await.created();
    let sue = campus.as_("sue");
    let answer = json!({ "responses": [
        { "question": recruitment.question, "text": "old" },
        { "question": choice["id"], "multiple_choice": choice["multiple_choice"][0]["id"] },
    ] });
    let before = sue
        .post(&format!("{}submissions/", recruitment.path), answer)
        .await
        .created();
    recruitment
        .officer
        .patch(
            &format!("{path}{}/", recruitment.question),
            json!({ "prompt": "Something else", "word_limit": 1 }),
        )
        .await
        .ok();
    let renamed = json!({
        "multiple_choice": [{ "id": choice["multiple_choice"][0]["id"], "value": "renamed" }, "b"],
    });
    recruitment
        .officer
        .patch(&format!("{path}{}/", id(&choice)), renamed)
        .await
        .ok();
    recruitment
        .officer
        .delete(&format!("{path}{}/", id(&choice)))
        .await
        .no_content();
    let officers = recruitment
        .officer
        .get(&format!("{}submissions/{}/", recruitment.path, id(&before)))
        .await
        .ok();
    assert_eq!(officers["responses"], before["responses"]);
    assert_eq!(
        recruitment.own(&sue, &before).await["responses"],
        before["responses"]
    );
    assert_eq!(before["responses"][1]["multiple_choice"]["value"], "a");
    assert_eq!(before["responses"][0]["question"]["prompt"], "Why?");
}

// proves Q5
#[tokio::test]
async fn too_many_options_are_one_error() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let options: Vec<String> = (0..51).map(|n| format!("Option {n}")).collect();
    let body = json!({ "question_type": 2, "prompt": "Which?", "multiple_choice": options });
    let path = format!("{}questions/", recruitment.path);
    let response = recruitment.officer.post(&path, body).await.json();
    assert_eq!(
        response["errors"],
        json!({ "multiple_choice": ["At most 50 are allowed."] })
    );
}

// proves Q2
#[tokio::test]
async fn a_question_has_so_many_versions() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let one = format!("{}questions/{}/", recruitment.path, recruitment.question);
    for n in 1..200 {
        let body = json!({ "prompt": n.to_string() });
        recruitment.officer.patch(&one, body).await.ok();
    }
    let more = recruitment
        .officer
        .patch(&one, json!({ "prompt": "more" }))
        .await;
    assert_eq!(more.json()["code"], "quota");
    let required = json!({ "precedence": 7 });
    recruitment.officer.patch(&one, required).await.ok();
}
