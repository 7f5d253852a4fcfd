//! `/clubs/{club}/applications/{application}/submissions/…`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, for_officer, hours, id};

// proves Q2, S8, S10
#[tokio::test]
async fn a_submission_is_stored_as_it_was_sent() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let tech = &recruitment.application["committees"][0];
    let sue = campus.as_("sue");
    sue.patch("/api/settings/", json!({ "graduation_year": 2028 }))
        .await
        .ok();
    let body = json!({
        "committee": tech["id"],
        "responses": [{ "question": recruitment.question, "text": " Because <b> \n" }],
    });
    let path = format!("{}submissions/", recruitment.path);
    let submission = sue.post(&path, body).await.created();
    let me = id(&sue.get("/api/settings/").await.ok());
    assert_eq!(
        submission,
        json!({
            "id": submission["id"],
            "club": recruitment.club,
            "application": recruitment.application["id"],
            "user": {
                "id": me,
                "username": "sue",
                "name": "sue Test",
                "first_name": "sue",
                "last_name": "Test",
                "email": "sue@uni.example",
                "graduation_year": 2028,
                "school": [],
                "major": [],
            },
            "status": 1,
            "reason": "",
            "committee": tech,
            "responses": [{
                "question": {
                    "id": recruitment.question,
                    "question_type": 1,
                    "prompt": "Why?",
                    "word_limit": 0,
                    "precedence": 0,
                },
                "text": " Because <b> \n",
                "multiple_choice": null,
            "file": null,
            }],
            "notified": false,
            "email_status": null,
            "undelivered": null,
            "interview": null,
            "revision": 1,
            "receipt": submission["receipt"],
            "created_at": hours(0),
            "submitted_at": "2026-11-21T09:00:00Z",
            "updated_at": hours(0),
        })
    );
    let shown = for_officer(&submission);
    assert_eq!(recruitment.officer.get(&path).await.ok(), json!([shown]));
    let one = format!("{path}{}/", id(&submission));
    assert_eq!(recruitment.officer.get(&one).await.ok(), shown);
    assert_eq!(sue.get(&one).await.ok(), submission);
    campus.as_("bob").get(&one).await.error(403);
    campus.as_("bob").get(&format!("{path}1/")).await.error(403);
    recruitment
        .officer
        .get(&format!("{path}1/"))
        .await
        .error(404);
}

/// A recruitment with questions of every type, and another one.
struct Scene {
    campus: TestCampus,
    recruitment: Recruitment,
    other: Recruitment,
    limited: u64,
    info: u64,
    choice: Value,
    /// An option of another question.
    foreign: Value,
    /// A question for the first committee alone.
    special: u64,
}

impl Scene {
    async fn new() -> Self {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let other = campus.recruitment("go").await;
        let questions = format!("{}questions/", recruitment.path);
        let new = async |body: Value| recruitment.officer.post(&questions, body).await.created();
        let limited = json!({ "question_type": 3, "prompt": "Short", "word_limit": 3 });
        let limited = id(&new(limited).await);
        let info = id(&new(json!({ "question_type": 4, "prompt": "Info" })).await);
        let choice =
            json!({ "question_type": 2, "prompt": "Which", "multiple_choice": ["a", "b"] });
        let choice = new(choice).await;
        let second =
            json!({ "question_type": 2, "prompt": "Which", "multiple_choice": ["c", "d"] });
        let second = new(second).await;
        let special = id(&new(json!({
            "question_type": 1,
            "prompt": "For tech",
            "committee_question": true,
            "committees": [recruitment.application["committees"][0]["id"]],
        }))
        .await);
        Self {
            foreign: second["multiple_choice"][0]["id"].clone(),
            campus,
            recruitment,
            other,
            limited,
            info,
            choice,
            special,
        }
    }

    /// Sends these bodies. Each must be refused for its field, and nothing may be stored.
    async fn refuses(&self, cases: Vec<(&str, Value)>) {
        let sue = self.campus.as_("sue");
        let path = format!("{}submissions/", self.recruitment.path);
        for (field, body) in cases {
            let response = sue.post(&path, body.clone()).await;
            assert!(response.status == 400, "{body}: {}", response.text());
            response.invalid(&[field]);
        }
        assert_eq!(self.recruitment.officer.get(&path).await.ok(), json!([]));
    }
}

// proves H6, S3, S5
#[tokio::test]
async fn broken_answer_rules_are_named_and_store_nothing() {
    let scene = Scene::new().await;
    let (limited, info, choice) = (scene.limited, scene.info, &scene.choice);
    let (option, foreign) = (&choice["multiple_choice"][0]["id"], &scene.foreign);
    let free = scene.recruitment.question;
    let cases = vec![
        ("responses", json!({})),
        ("responses", json!({ "responses": null })),
        ("responses", json!({ "responses": {} })),
        ("responses", json!({ "responses": vec![json!({}); 106] })),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": free, "text": 1 }] }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "text": "x" }] }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "question": scene.other.question, "text": "x" }] }),
        ),
        (
            "responses.1.question",
            json!({
                "responses": [{ "question": free, "text": "x" }, { "question": free, "text": "y" }],
            }),
        ),
        (
            "responses.0.question",
            json!({ "responses": [{ "question": info, "text": "x" }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": limited, "text": "one two  three\nfour" }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": free, "text": "x".repeat(20_001) }] }),
        ),
        (
            "responses.0.text",
            json!({ "responses": [{ "question": choice["id"], "text": "a" }] }),
        ),
        (
            "responses.0.multiple_choice",
            json!({ "responses": [{ "question": choice["id"], "multiple_choice": foreign }] }),
        ),
        (
            "responses.0.multiple_choice",
            json!({ "responses": [{ "question": free, "multiple_choice": option }] }),
        ),
    ];
    scene.refuses(cases).await;
}

// proves S3, S4
#[tokio::test]
async fn broken_committee_rules_are_named_and_store_nothing() {
    let scene = Scene::new().await;
    let special = scene.special;
    let outreach = &scene.recruitment.application["committees"][1]["id"];
    let elsewhere = &scene.other.application["committees"][0]["id"];
    let cases = vec![
        (
            "responses.0.question",
            json!({ "responses": [{ "question": special, "text": "x" }] }),
        ),
        (
            "responses.0.question",
            json!({ "committee": outreach, "responses": [{ "question": special, "text": "x" }] }),
        ),
        ("committee", json!({ "committee": 1, "responses": [] })),
        (
            "committee",
            json!({ "committee": elsewhere, "responses": [] }),
        ),
        ("committee", json!({ "committee": "Tech", "responses": [] })),
    ];
    scene.refuses(cases).await;
}

// proves S3, S4, S5
#[tokio::test]
async fn answers_to_questions_of_every_type_are_stored() {
    let scene = Scene::new().await;
    let (limited, info, special) = (scene.limited, scene.info, scene.special);
    let (choice, free) = (&scene.choice, scene.recruitment.question);
    let option = &choice["multiple_choice"][0]["id"];
    let tech = &scene.recruitment.application["committees"][0]["id"];
    let sue = scene.campus.as_("sue");
    let path = format!("{}submissions/", scene.recruitment.path);
    let fine = json!({ "committee": tech, "responses": [
        { "question": limited, "text": "one two\u{a0}three " },
        { "question": info, "text": "" },
        { "question": choice["id"], "multiple_choice": option },
        { "question": special, "text": "x" },
        { "question": free, "text": "" },
    ] });
    let stored = sue.post(&path, fine).await.created();
    let answered: Vec<&Value> = stored["responses"]
        .as_array()
        .map(|all| all.iter().map(|r| &r["question"]["id"]).collect())
        .unwrap_or_default();
    assert_eq!(
        answered,
        [&json!(limited), &choice["id"], &json!(special)],
        "an empty text counts as no answer"
    );
}

// proves S5
#[tokio::test]
async fn all_answers_together_have_a_limit_in_bytes() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut responses = Vec::new();
    for n in 0..16 {
        let body = json!({ "question_type": 1, "prompt": n.to_string() });
        let question = recruitment
            .officer
            .post(&format!("{}questions/", recruitment.path), body)
            .await
            .created();
        responses.push(json!({ "question": question["id"], "text": "x".repeat(20_000) }));
    }
    let (sue, path) = (
        campus.as_("sue"),
        format!("{}submissions/", recruitment.path),
    );
    sue.post(&path, json!({ "responses": responses }))
        .await
        .invalid(&["responses"]);
    responses.pop();
    sue.post(&path, json!({ "responses": responses }))
        .await
        .created();
}

// proves S2, S6, S7
#[tokio::test]
async fn submitting_again_replaces_the_answers_as_a_whole() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&sue).await;
    campus.advance(TimeDelta::hours(1));
    let again = sue.post(&path, json!({ "responses": [] })).await.ok();
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["created_at"], hours(0));
    assert_eq!(again["updated_at"], hours(1));
    assert_eq!(again["responses"], json!([]));
    assert_eq!(
        recruitment.officer.get(&path).await.ok(),
        json!([for_officer(&again)])
    );
    let tech = &recruitment.application["committees"][0]["id"];
    let second = sue
        .post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .created();
    assert_ne!(
        second["id"], first["id"],
        "each committee has its own submission"
    );
    sue.post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .ok();
}

// proves A4, S1
#[tokio::test]
async fn only_open_applications_take_submissions() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, path) = (
        campus.as_("sue"),
        format!("{}submissions/", recruitment.path),
    );
    let closed = async |change: Value| {
        recruitment
            .officer
            .patch(&recruitment.path, change)
            .await
            .ok();
        sue.post(&path, recruitment.answer("x")).await.error(400)
    };
    closed(json!({ "is_active": false })).await;
    closed(json!({ "is_active": true, "application_start_time": hours(1) })).await;
    closed(json!({ "application_start_time": hours(-3), "application_end_time": hours(-1) })).await;
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "application_end_time": hours(0) }),
        )
        .await
        .ok();
    recruitment.submit(&sue).await;
}
