//! `/clubs/{club}/applications/{application}/extensions/…`

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::{hours, id};

// proves A9
#[tokio::test]
async fn an_extension_is_created_changed_and_taken_back() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = id(&campus.as_("sue").get("/api/settings/").await.ok());
    let path = format!("{}extensions/", recruitment.path);
    let officer = &recruitment.officer;
    let created = officer
        .post(&path, json!({ "username": "sue", "end_time": hours(30) }))
        .await
        .created();
    assert_eq!(
        created,
        json!({ "id": created["id"], "username": "sue", "person": sue, "end_time": hours(30) })
    );
    officer
        .post(&path, json!({ "person": sue, "end_time": hours(31) }))
        .await
        .invalid(&["person"]);
    let one = format!("{path}{}/", id(&created));
    assert_eq!(officer.get(&one).await.ok(), created);
    assert_eq!(
        officer
            .patch(&one, json!({ "end_time": hours(40) }))
            .await
            .ok()["end_time"],
        hours(40)
    );
    assert_eq!(
        officer
            .put(&one, json!({ "end_time": hours(41) }))
            .await
            .ok()["end_time"],
        hours(41)
    );
    officer.put(&one, json!({})).await.invalid(&["end_time"]);
    assert_eq!(
        officer.get(&path).await.ok().as_array().map(Vec::len),
        Some(1)
    );
    officer.delete(&one).await.no_content();
    officer.get(&one).await.error(404);
}

// proves H13
#[tokio::test]
async fn overtaken_extension_can_be_sent_back() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.as_("sue").get("/api/settings/").await.ok();
    let path = format!("{}extensions/", recruitment.path);
    let body = json!({ "username": "sue", "end_time": hours(30) });
    let made = recruitment.officer.post(&path, body).await.created();
    let later = json!({ "application_end_time": hours(40) });
    recruitment
        .officer
        .patch(&recruitment.path, later)
        .await
        .ok();
    let one = format!("{path}{}/", id(&made));
    recruitment.officer.patch(&one, json!({})).await.ok();
    let back = json!({ "end_time": hours(30) });
    assert_eq!(recruitment.officer.put(&one, back).await.ok(), made);
    let other = json!({ "end_time": hours(35) });
    let refused = recruitment.officer.patch(&one, other).await;
    refused.invalid(&["end_time"]);
}

// proves A9
#[tokio::test]
async fn wrong_extensions_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    campus.as_("sue").get("/api/settings/").await.ok();
    let path = format!("{}extensions/", recruitment.path);
    let officer = &recruitment.officer;
    officer
        .post(&path, json!({ "username": "sue" }))
        .await
        .invalid(&["end_time"]);
    officer
        .post(&path, json!({ "username": "sue", "end_time": hours(24) }))
        .await
        .invalid(&["end_time"]);
    officer
        .post(&path, json!({ "end_time": hours(30) }))
        .await
        .invalid(&["username"]);
    officer
        .post(
            &path,
            json!({ "username": "nobody", "end_time": hours(30) }),
        )
        .await
        .invalid(&["username"]);
    officer
        .post(&path, json!({ "person": 1, "end_time": hours(30) }))
        .await
        .invalid(&["person"]);
}

// proves A4, A9, A10, S1
#[tokio::test]
async fn an_extension_keeps_the_application_open_for_one_person() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    sue.get("/api/settings/").await.ok();
    recruitment
        .officer
        .post(
            &format!("{}extensions/", recruitment.path),
            json!({ "username": "SUE", "end_time": hours(30) }),
        )
        .await
        .created();
    campus.advance(TimeDelta::hours(25));
    let (sue, bob, officer) = (sue, bob, campus.as_("ada"));
    let current = "/api/clubs/chess/applications/current/";
    assert_eq!(
        sue.get(current).await.ok().as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(bob.get(current).await.ok(), json!([]));
    bob.post(
        &format!("{}submissions/", recruitment.path),
        recruitment.answer("x"),
    )
    .await
    .error(400);
    let submission = recruitment.submit(&sue).await;
    sue.delete(&format!("/api/submissions/{}/", id(&submission)))
        .await
        .no_content();
    officer
        .patch(&recruitment.path, json!({ "is_active": false }))
        .await
        .ok();
    sue.post(
        &format!("{}submissions/", recruitment.path),
        recruitment.answer("x"),
    )
    .await
    .error(400);
    officer
        .patch(&recruitment.path, json!({ "is_active": true }))
        .await
        .ok();
    campus.advance(TimeDelta::hours(6));
    sue.post(
        &format!("{}submissions/", recruitment.path),
        recruitment.answer("x"),
    )
    .await
    .error(400);
}

// proves A9
#[tokio::test]
async fn a_user_name_of_two_people_is_refused() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for name in ["Bob", "bOb"] {
        campus.as_(name).get("/api/settings/").await.ok();
    }
    let path = format!("{}extensions/", recruitment.path);
    let body = |name: &str| json!({ "username": name, "end_time": hours(30) });
    recruitment
        .officer
        .post(&path, body("bob"))
        .await
        .invalid(&["username"]);
}
