//! Questions that one function keeps in memory while another one changes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use http::Method;
use local::engine::{Call, Reply};
use serde_json::json;
use shared::db::{Refusal, TableError};
use shared::domain::Question;
use shared::ids::{self, Id};
use tests::fixtures::{code, id};
use tests::{Setup, TestCampus};

#[tokio::test]
async fn cached_questions_follow_another_function() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let other = campus.another();
    let reader = other.as_("sue");
    let new = json!({ "question_type": 1, "prompt": "Since when?", "precedence": 5 });
    let question = id(&recruitment.officer.post(&path, new).await.created());
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
        let response = recruitment.officer.send(method, target, body).await;
        assert!(response.status.is_success(), "{}", response.text());
        let after = reader.get(&path).await.ok();
        assert_ne!(after, before);
        assert_eq!(after, recruitment.officer.get(&path).await.ok());
    }
    // The application is closed to everybody as soon as it is deleted.
    campus.advance(TimeDelta::minutes(2));
    reader.get(&path).await.ok();
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
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
                let Reply::Response(status, body) = call.apply(&call.body) else {
                    return None;
                };
                let body = if mixes {
                    body.replace("New?", "Old?")
                } else {
                    body
                };
                Some(Reply::Response(status, body))
            })
        }))
        .build();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let one = format!("{path}{}/", recruitment.question);
    let new = json!({ "prompt": "New?" });
    recruitment.officer.patch(&one, new).await.ok();
    let prompt = async || recruitment.officer.get(&one).await.ok()["prompt"].clone();
    beside.store(true, Ordering::SeqCst);
    assert_eq!(prompt().await, "Old?", "the reader beside it");
    beside.store(false, Ordering::SeqCst);
    assert_eq!(prompt().await, "New?");
}

#[tokio::test]
async fn no_question_under_a_deleted_application() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let app = &campus.campus.app;
    let application = recruitment.path.trim_end_matches('/').rsplit('/').next();
    let application = application.and_then(ids::parse).expect("an id");
    let read = app.table.form(&code("chess"), application).await;
    let form = read.expect("an answer").expect("a form");
    recruitment
        .officer
        .delete(&recruitment.path)
        .await
        .no_content();
    let before = campus.stored();
    let question = Question {
        id: Id::new(7),
        ..form.questions[0].clone()
    };
    let stored = app.table.put_question(&question, &form, app.now()).await;
    assert!(matches!(stored, Err(TableError::Refused(Refusal::Changed))));
    assert_eq!(campus.stored(), before);
}
