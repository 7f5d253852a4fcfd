//! What is asked of an applicant: answers to other questions are left out, and some questions need
//! an answer.

use serde_json::{Value, json};
use tests::TestCampus;

use crate::conditions::{Form, chose, option, with};

// proves S20
#[tokio::test]
async fn answers_to_questions_that_are_not_asked_are_left_out() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let first = form.choice(json!({})).await;
    let second = form.choice(chose(&first, 0)).await;
    let third = form
        .text(with(chose(&second, 0), json!({ "word_limit": 1 })))
        .await;
    let info = json!({ "question_type": 4, "prompt": "Read this" });
    let info = form.add(with(info, chose(&first, 0))).await;
    let submit = format!("{}submissions/", form.recruitment.path);
    let sue = campus.as_("sue");
    let answers = |n: usize, m: usize, text: &str| {
        json!({ "responses": [
            { "question": third["id"], "text": text },
            { "question": first["id"], "multiple_choice": option(&first, n) },
            { "question": second["id"], "multiple_choice": option(&second, m) },
        ] })
    };
    let ids = |submission: &Value| -> Vec<Value> {
        let all = submission["responses"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        all.into_iter()
            .map(|one| one["question"]["id"].clone())
            .collect()
    };
    let all = sue.post(&submit, answers(0, 0, "x")).await.created();
    assert_eq!(
        ids(&all),
        [
            first["id"].clone(),
            second["id"].clone(),
            third["id"].clone()
        ]
    );
    // The second is not asked, so the third is not asked, although its option was chosen.
    let one = sue.post(&submit, answers(1, 0, "many words")).await.ok();
    assert_eq!(ids(&one), [first["id"].clone()]);
    let two = sue.post(&submit, answers(0, 1, "many words")).await.ok();
    assert_eq!(ids(&two), [first["id"].clone(), second["id"].clone()]);
    sue.post(&submit, answers(0, 0, "many words"))
        .await
        .invalid(&["responses.0.text"]);
    // What is not asked is still an answer of the right type to a question of the form, once.
    for (field, response) in [
        (
            "responses.1.multiple_choice",
            json!({ "question": third["id"], "multiple_choice": 5 }),
        ),
        (
            "responses.1.text",
            json!({ "question": second["id"], "text": "x" }),
        ),
        (
            "responses.1.question",
            json!({ "question": info["id"], "text": "x" }),
        ),
        (
            "responses.1.question",
            json!({ "question": 5, "text": "x" }),
        ),
        ("responses.1.question", json!({ "question": first["id"] })),
    ] {
        let b = json!({ "question": first["id"], "multiple_choice": option(&first, 1) });
        let body = json!({ "responses": [b, response] });
        sue.post(&submit, body).await.invalid(&[field]);
    }
}

// proves S20, N4
#[tokio::test]
async fn a_draft_keeps_what_is_not_asked() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let first = form.choice(json!({ "required": true })).await;
    let second = form
        .text(with(chose(&first, 0), json!({ "required": true })))
        .await;
    let sue = campus.as_("sue");
    let draft = format!("{}draft/", form.recruitment.path);
    let body = json!({ "responses": [
        { "question": second["id"], "text": "kept", "version": 0 },
        { "question": first["id"], "multiple_choice": option(&first, 1), "version": 0 },
    ] });
    sue.patch(&draft, body).await.ok();
    let stored = sue.get(&draft).await.ok();
    assert_eq!(stored["responses"].as_array().map(Vec::len), Some(2));
}

// proves Q10
#[tokio::test]
async fn a_required_question_needs_an_answer_while_it_is_asked() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let committee = &form.recruitment.application["committees"][0]["id"];
    let first = form.choice(json!({ "required": true })).await;
    let second = form
        .text(with(chose(&first, 0), json!({ "required": true })))
        .await;
    let only = json!({ "required": true, "committee_question": true, "committees": [committee] });
    let third = form.text(only).await;
    let submit = format!("{}submissions/", form.recruitment.path);
    let sue = campus.as_("sue");
    let none = sue.post(&submit, json!({ "responses": [] })).await;
    assert!(
        none.text().contains(&first["id"].to_string()),
        "{}",
        none.text()
    );
    none.invalid(&["responses"]);
    let a = json!({ "question": first["id"], "multiple_choice": option(&first, 0) });
    let b = json!({ "question": first["id"], "multiple_choice": option(&first, 1) });
    let with_text = |text: &str| json!({ "question": second["id"], "text": text });
    sue.post(&submit, json!({ "responses": [a] }))
        .await
        .invalid(&["responses"]);
    let blank = sue
        .post(&submit, json!({ "responses": [a, with_text(" ")] }))
        .await;
    assert!(
        blank.text().contains(&second["id"].to_string()),
        "{}",
        blank.text()
    );
    blank.invalid(&["responses.1"]);
    sue.post(&submit, json!({ "responses": [b] }))
        .await
        .created();
    sue.post(&submit, json!({ "responses": [a, with_text("x")] }))
        .await
        .ok();
    let for_committee = json!({ "committee": committee, "responses": [b] });
    let missing = sue.post(&submit, for_committee).await;
    assert!(
        missing.text().contains(&third["id"].to_string()),
        "{}",
        missing.text()
    );
    missing.invalid(&["responses"]);
    // An information text takes no answer.
    let info = json!({ "question_type": 4, "prompt": "Read this", "required": true });
    form.recruitment
        .officer
        .post(&form.path, info)
        .await
        .invalid(&["required"]);
    let now = form.patch(&third, json!({ "question_type": 4 })).await.ok();
    assert_eq!(now["required"], false);
}
