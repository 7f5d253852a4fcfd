//! `Idempotency-Key`: a POST that is sent again with its key is answered as it was, and done once

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use tests::images::{form, png};
use tests::{Client, Setup, TestCampus};

fn with(client: &Client, key: &str) -> Client {
    client.clone().header("idempotency-key", key)
}

async fn clubs(campus: &TestCampus) -> Value {
    campus.anonymous().get("/api/clubs/").await.ok()["count"].clone()
}

#[tokio::test]
async fn a_repeat_gets_the_first_answer() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let go = json!({ "name": "Go" });
    let first = with(&ada, "k").post("/api/clubs/", go.clone()).await;
    for _ in 0..2 {
        let again = with(&ada, "k").post("/api/clubs/", go.clone()).await;
        assert_eq!(
            (again.status, again.header("location"), again.header("content-type")),
            (first.status, "/api/clubs/go/", "application/json")
        );
        assert_eq!(again.bytes, first.bytes);
    }
    // Without the slash it is the same path.
    assert_eq!(with(&ada, "k").post("/api/clubs", go.clone()).await.bytes, first.bytes);
    assert_eq!(clubs(&campus).await, 1);
    with(&ada, "k").post("/api/clubs/", json!({ "name": "Chess" })).await.invalid(&["Idempotency-Key"]);
    with(&ada, &"k".repeat(256)).post("/api/clubs/", go.clone()).await.invalid(&["Idempotency-Key"]);
    with(&ada, &"k".repeat(255)).post("/api/clubs/", go.clone()).await.created();
    // Another key, another caller, another path: other requests.
    for client in [with(&ada, "l"), with(&campus.as_("sue"), "k")] {
        client.post("/api/clubs/", go.clone()).await.created();
    }
    with(&ada, "k").post("/api/favorites/", json!({ "club": "go" })).await.created();
    with(&ada, "k").post("/api/favorites/", json!({ "club": "go" })).await.created();
    ada.post("/api/favorites/", json!({ "club": "go" })).await.invalid(&["club"]);
    assert_eq!(clubs(&campus).await, 4);
    // A refusal is an answer too.
    with(&ada, "m").post("/api/favorites/", json!({ "club": "later" })).await.invalid(&["club"]);
    campus.club("later", &ada).await;
    with(&ada, "m").post("/api/favorites/", json!({ "club": "later" })).await.invalid(&["club"]);
    // A function that was not there before knows it; after a day nobody does.
    let other = campus.another().with_token(&campus.token("ada"));
    assert_eq!(with(&other, "k").post("/api/clubs/", go.clone()).await.status, 401, "it has another issuer");
    campus.advance(TimeDelta::hours(24) - TimeDelta::seconds(1));
    assert_eq!(with(&ada, "k").post("/api/clubs/", go.clone()).await.bytes, first.bytes);
    campus.advance(TimeDelta::seconds(1));
    assert_eq!(with(&ada, "k").post("/api/clubs/", go).await.created()["code"], "go-5");
}

// Without the attempt in the table, there would be eight clubs.
#[tokio::test(start_paused = true)]
async fn repeats_at_once_are_done_once() {
    let campus = Setup::default().latency(5).build();
    let ada = campus.as_("ada");
    let answers = futures::future::join_all((0..8).map(|_| {
        let client = with(&ada, "k");
        async move { client.post("/api/clubs/", json!({ "name": "Go" })).await.created() }
    }))
    .await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(clubs(&campus).await, 1);
}

#[tokio::test(start_paused = true)]
async fn who_waits_too_long_is_told_and_failures_are_not_kept() {
    let (slow, broken) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (is_slow, is_broken) = (slow.clone(), broken.clone());
    let campus = Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let transacts = operation == "TransactWriteItems";
            let (slow, broken) = (transacts && is_slow.load(Ordering::SeqCst), transacts && is_broken.load(Ordering::SeqCst));
            Box::pin(async move {
                if slow {
                    tokio::time::sleep(Duration::from_secs(8)).await;
                }
                broken.then(|| (400, json!({ "__type": "ResourceNotFoundException", "message": "cut" })))
            })
        }))
        .build();
    let ada = campus.as_("ada");
    ada.get("/api/settings/").await.ok();
    let go = json!({ "name": "Go" });
    slow.store(true, Ordering::SeqCst);
    let (first, second) = futures::join!(async { with(&ada, "k").post("/api/clubs/", go.clone()).await }, async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        with(&ada, "k").post("/api/clubs/", go.clone()).await
    });
    first.created();
    second.invalid(&["Idempotency-Key"]);
    slow.store(false, Ordering::SeqCst);
    broken.store(true, Ordering::SeqCst);
    with(&ada, "l").post("/api/clubs/", go.clone()).await.error(500);
    broken.store(false, Ordering::SeqCst);
    with(&ada, "l").post("/api/clubs/", go).await.created();
    assert_eq!(clubs(&campus).await, 2);
}

#[tokio::test]
async fn who_lost_their_rights_gets_no_old_answer() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = with(&campus.member("chess", &ada, "olga", 10).await, "k");
    let invite = json!({ "email": "ina@uni.example" });
    let first = olga.post("/api/clubs/chess/invites/", invite.clone()).await.created();
    assert_eq!(olga.post("/api/clubs/chess/invites/", invite.clone()).await.created(), first);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 })).await.ok();
    olga.post("/api/clubs/chess/invites/", invite.clone()).await.error(403);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 10 })).await.ok();
    assert_eq!(olga.post("/api/clubs/chess/invites/", invite.clone()).await.created(), first);
    ada.delete("/api/clubs/chess/").await.no_content();
    olga.post("/api/clubs/chess/invites/", invite).await.error(404);
}

#[tokio::test]
async fn rights_that_depend_on_the_body_are_checked_again_too() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 0).await;
    campus.as_("bob").get("/api/settings/").await.ok();
    let ids = tests::fixtures::collections(&admin).await;
    let fair = ids.iter().find(|(name, _)| *name == "{fair}").map(|(_, fair)| fair.clone()).unwrap_or_default();
    let bob = tests::fixtures::id(&campus.as_("bob").get("/api/settings/").await.ok());
    let sue = campus.as_("sue");
    let olgas = with(&olga, "k");
    let register = format!("/api/clubfairs/{fair}/register/");
    olgas.post(&register, json!({ "club": "chess" })).await.ok();
    olgas.post("/api/clubs/chess/members/", json!({ "person": bob, "role": 0 })).await.created();
    olgas.post("/api/clubs/chess/invite/", json!({ "emails": "ina@uni.example", "role": 0 })).await.ok();
    let sues = with(&sue, "k");
    let wishes = ["/api/favorites/", "/api/subscriptions/", "/api/requests/membership/"];
    for path in wishes {
        sues.post(path, json!({ "club": "chess" })).await.created();
    }
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 10 })).await.ok();
    olgas.post(&register, json!({ "club": "chess" })).await.ok();
    olgas.post("/api/clubs/chess/members/", json!({ "person": bob, "role": 0 })).await.error(403);
    olgas.post("/api/clubs/chess/invite/", json!({ "emails": "ina@uni.example", "role": 0 })).await.error(403);
    ada.patch("/api/clubs/chess/members/olga/", json!({ "role": 20 })).await.ok();
    olgas.post(&register, json!({ "club": "chess" })).await.error(403);
    // What is wrong with the key comes after rights too.
    olgas.post(&register, json!({ "club": "chess", "status": false })).await.error(403);
    with(&olga, &"k".repeat(256)).post(&register, json!({ "club": "chess" })).await.error(403);
    with(&olga, &"k".repeat(256)).post("/api/clubs/nothing/members/", json!({})).await.error(404);
    with(&ada, &"k".repeat(256)).raw(Method::POST, &register, Some("text/plain"), "x").await.error(415);
    admin.patch("/api/clubs/chess/", json!({ "approved": false })).await.ok();
    for path in wishes {
        sues.post(path, json!({ "club": "chess" })).await.invalid(&["club"]);
    }
    admin.patch("/api/clubs/chess/", json!({ "approved": true })).await.ok();
    for path in wishes {
        sues.post(path, json!({ "club": "chess" })).await.created();
    }
}

#[tokio::test]
async fn forms_are_the_same_whatever_their_boundary() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let (content_type, body) = form(&[("file", &png(4, 4))]);
    let boundary = content_type.split_once("boundary=").map(|(_, boundary)| boundary.to_owned()).unwrap_or_default();
    let position = |body: &[u8]| body.windows(boundary.len()).position(|part| part == boundary.as_bytes());
    let mut other = body.clone();
    let new = "x".repeat(boundary.len());
    while let Some(at) = position(&other) {
        other.splice(at..at + boundary.len(), new.bytes());
    }
    let client = with(&ada, "k");
    let first = client.raw(Method::POST, "/api/clubs/chess/upload/", Some(&content_type), body).await.ok();
    let again = client.raw(Method::POST, "/api/clubs/chess/upload/", Some(&content_type.replace(&boundary, &new)), other).await.ok();
    assert_eq!(first, again);
}

// Erasure looks twice, with a pause.
#[tokio::test(start_paused = true)]
async fn kept_answers_are_erased_with_their_person() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let sue = campus.client(&json!({ "email": "planted@uni.example", "name": "Planted Name" }), "planted");
    let submit = format!("{}submissions/", drive.path);
    let answer = json!({ "responses": [{ "question": drive.question, "text": "planted ".repeat(2_400) }] });
    with(&sue, "k").post(&submit, answer).await.created();
    assert!(json!(campus.stored()).to_string().contains("ANSWER#"));
    sue.delete("/api/settings/").await.no_content();
    let stored = json!(campus.stored()).to_string().to_lowercase();
    assert!(!stored.contains("planted") && !stored.contains("answer#"));
}

/// A campus whose table fails at the next call of an operation once it is armed.
fn failing(operation: &'static str) -> (TestCampus, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let is_armed = armed.clone();
    let campus = Setup::default().table(Arc::new(move |name: &str, _: &[u8]| {
        let fails = name == operation && is_armed.swap(false, Ordering::SeqCst);
        Box::pin(async move { fails.then(|| (400, json!({ "__type": "ResourceNotFoundException", "message": "cut" }))) })
    }));
    (campus.build(), armed)
}

// A failing read behind the write would have the repeat do the work again.
#[tokio::test(start_paused = true)]
async fn nothing_that_fails_behind_a_write_makes_a_repeat_do_it_twice() {
    let (campus, armed) = failing("GetItem");
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let badge = tests::fixtures::id(&admin.post("/api/badges/", json!({ "label": "Gold" })).await.created());
    admin.patch("/api/clubs/chess/", json!({ "badges": [badge] })).await.ok();
    let client = with(&ada, "k");
    let evening = json!({ "name": "Evening" });
    armed.store(true, Ordering::SeqCst);
    client.post("/api/clubs/chess/events/", evening.clone()).await.error(500);
    client.post("/api/clubs/chess/events/", evening).await.created();
    assert_eq!(ada.get("/api/clubs/chess/events/").await.ok().as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn large_answers_are_kept_in_parts_and_previews_not_at_all() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 2, "").await;
    let ada = with(&drive.officer, "k");
    let kept = || campus.stored().iter().filter(|item| item["type"]["S"] == "AnswerPart").count();
    let preview = json!({ "email_type": { "id": "rejection" }, "dry_run": true });
    for _ in 0..2 {
        ada.post(&format!("{}send_emails/", drive.path), preview.clone()).await.ok();
    }
    assert_eq!(kept(), 0);
    let other = json!({ "email_type": { "id": "acceptance" }, "dry_run": true });
    ada.post(&format!("{}send_emails/", drive.path), other).await.invalid(&["Idempotency-Key"]);
    // Line breaks are twice as long in JSON: more than one item takes.
    let mut responses = Vec::new();
    for n in 0..12 {
        let question = json!({ "question_type": 1, "prompt": format!("{n}?") });
        let question = drive.officer.post(&format!("{}questions/", drive.path), question).await.created();
        responses.push(json!({ "question": question["id"], "text": "a\n".repeat(10_000) }));
    }
    let bob = with(&campus.as_("bob"), "k");
    let submit = format!("{}submissions/", drive.path);
    let large = bob.post(&submit, json!({ "responses": responses })).await;
    assert_eq!((large.status.as_u16(), kept()), (201, 2));
    assert_eq!(bob.post(&submit, json!({ "responses": responses })).await.bytes, large.bytes);
    // After a day the same key makes another answer; nothing of the old one is in it.
    campus.advance(TimeDelta::hours(25));
    let closed = bob.post(&submit, json!({ "responses": [] })).await;
    assert_eq!(bob.post(&submit, json!({ "responses": [] })).await.bytes, closed.bytes);
    closed.error(400);
}
